// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.LeadershipListener.Reason;
import io.boltwork.LeadershipListener.Revocation;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.engine.Engine;
import io.boltwork.engine.client.CallbackQueue;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.LeaseView;
import io.boltwork.machine.request.Promise;
import io.boltwork.spi.Durations;
import io.boltwork.spi.Printable;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * STANDING  waits for the lock. Granted: LEADING. A failure, yieldFor or close: the next state.
 * LEADING   holds the lock, and elected was called or will be. Lost, yieldFor, close, elected threw: REVOKING.
 * REVOKING  waits until elected has returned, then until revoked has, and releases the lock. Answered: the next state.
 * RESTING   waits for a time, after yieldFor or a failure. The time has passed, or close: the next state.
 * CLOSED    is the end.
 *
 * The next state is CLOSED after a close, else RESTING until the time has passed, else STANDING.
 *
 * Events come on any thread. Each decides under the monitor, and calls the engine, the executor or the listener after
 * it. The races, and what decides them:
 *
 * - grant, yieldFor, close: the order at the monitor. A lease that comes too late is released, and the listener is not
 *   called. A request is stored after it was made, and is withdrawn then if it is no longer wanted.
 * - two ends of one term: the first one is told. A later yieldFor or close decides only the next state.
 * - end of a term, begin of elected: the order at the monitor. After the end, neither method is called.
 * - end of a term, end of elected: the order at the monitor. The later one has revoked called.
 * - interrupt, end of elected: the order at the monitor. An interrupt that elected has not noticed is cleared.
 * - end of the rest, yieldFor, close: the timer looks again whether the time has passed. Close ends the rest itself.
 */
/** The only implementation of {@link Leadership}. */
final class LeaderCandidate implements Leadership {

    private static final long FIRST_PAUSE = Duration.ofMillis(500).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofSeconds(30).toNanos();

    private final Engine engine;
    private final FencedLock lock;
    private final LeadershipListener listener;
    private final Executor executor;
    private final boolean interrupts;
    private final CallbackQueue callbacks;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private final ReentrantLock monitor = new ReentrantLock();
    private State state = State.STANDING;
    private @Nullable CompletableFuture<Lease> request;
    private @Nullable Future<?> rest;

    /** The end of the rest, by the client's clock. */
    private long restUntil;

    /** The number of failures since {@code elected} has last returned normally. */
    private int failures;

    private boolean closing;
    private volatile @Nullable Term term;

    private enum State {
        STANDING,
        LEADING,
        REVOKING,
        RESTING,
        CLOSED
    }

    /** The time from a grant until the lease is given back, and the listener's view of this lease. */
    private static final class Term extends LeaseView {
        final Lease lease;

        /** True once {@code elected} is called. */
        volatile boolean begun;

        volatile @Nullable Revocation end;

        /** The threads that are in {@code elected} and in {@code revoked}. */
        @Nullable
        Thread elected;

        @Nullable
        Thread revoked;

        boolean interrupted;

        Term(LeaseView lease) {
            super(lease.engine, lease.hold);
            this.lease = lease;
        }

        /** The work must end at the end of the term, although the lease is not released before that. */
        @Override
        public boolean isReleased() {
            return end != null || super.isReleased();
        }

        boolean leads() {
            return begun && isValid();
        }
    }

    static Leadership start(FencedLock lock, LeadershipListener listener, Executor executor) {
        Objects.requireNonNull(lock, "lock");
        Objects.requireNonNull(listener, "listener");
        Objects.requireNonNull(executor, "executor");
        if (!(lock instanceof EngineLock plain) || plain.kind() != LockKind.LOCK) {
            throw new IllegalArgumentException(
                    Printable.text("lock must be a plain lock, made by LockClient.lock, but is " + lock));
        }
        LeaderCandidate candidate = new LeaderCandidate(plain, listener, executor);
        candidate.stand();
        return candidate;
    }

    private LeaderCandidate(EngineLock lock, LeadershipListener listener, Executor executor) {
        LockOptions options = lock.terms.options;
        this.engine = lock.engine;
        this.interrupts = options.onLoss() == OnLoss.INTERRUPT;
        this.lock = lock.withOptions(options.withOnLoss(OnLoss.NOTIFY)); // an asynchronous lease has no thread
        this.listener = listener;
        this.executor = executor;
        this.callbacks = engine.core.newCallbackQueue();
        this.restUntil = engine.core.ticker.nanos();
    }

    // ================================================================ before a term

    private void stand() {
        CompletableFuture<Lease> asked = lock.acquireAsync().toCompletableFuture();
        boolean unwanted;
        monitor.lock();
        try {
            request = asked;
            unwanted = closing || restNanos() > 0;
        } finally {
            monitor.unlock();
        }
        asked.whenComplete(this::answered);
        if (unwanted) {
            asked.cancel(false);
        }
    }

    private void answered(@Nullable Lease lease, @Nullable Throwable failure) {
        boolean failed = failure != null && !(failure instanceof CancellationException);
        if (failed && !(failure instanceof ClientClosedException)) {
            LOG.log(System.Logger.Level.WARNING, "A candidate could not ask for its lock; it tries again", failure);
        }
        Term granted = null;
        monitor.lock();
        try {
            request = null;
            if (lease != null && !closing && restNanos() <= 0) {
                granted = new Term((LeaseView) lease);
                term = granted;
                state = State.LEADING;
            } else if (failure instanceof ClientClosedException) {
                closing = true;
            } else if (failed) {
                backOff();
            }
        } finally {
            monitor.unlock();
        }
        if (granted != null) {
            begin(granted);
        } else if (lease != null) {
            giveBack(lease);
        } else {
            next();
        }
    }

    /** Plans the next step after a request or a term. */
    private void next() {
        boolean stands;
        monitor.lock();
        try {
            term = null;
            stands = plan();
        } finally {
            monitor.unlock();
        }
        if (stands) {
            stand();
        }
    }

    private void rested() {
        boolean stands;
        monitor.lock();
        try {
            stands = state == State.RESTING && plan();
        } finally {
            monitor.unlock();
        }
        if (stands) {
            stand();
        }
    }

    /** Returns whether to stand now. */
    private boolean plan() {
        long left = restNanos();
        if (closing) {
            end();
        } else if (left > 0) {
            state = State.RESTING;
            rest = engine.core.scheduler.schedule(this::rested, left);
        } else {
            state = State.STANDING;
        }
        return state == State.STANDING;
    }

    private void end() {
        state = State.CLOSED;
        closed.complete(null);
    }

    private long restNanos() {
        return restUntil - engine.core.ticker.nanos();
    }

    private void restFor(long nanos) {
        restUntil = engine.core.ticker.nanos() + Math.max(nanos, restNanos());
    }

    private void backOff() {
        long pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE << Math.min(failures, 6));
        failures++;
        restFor(pause / 2 + engine.core.random.applyAsLong(pause / 2));
    }

    // ================================================================ a term

    private void begin(Term granted) {
        granted.whenLost().thenAccept(loss -> end(granted, Reason.LOST, loss));
        try {
            executor.execute(() -> lead(granted));
        } catch (Throwable rejected) {
            report(rejected);
            end(granted, Reason.FAILED, null);
        }
    }

    private void lead(Term led) {
        monitor.lock();
        try {
            if (led.end != null) {
                return;
            }
            led.begun = true;
            led.elected = Thread.currentThread();
        } finally {
            monitor.unlock();
        }
        Throwable thrown = null;
        try {
            listener.elected(led);
        } catch (Throwable any) {
            thrown = any;
        }
        boolean ended;
        monitor.lock();
        try {
            led.elected = null;
            ended = led.end != null;
            if (thrown == null) {
                failures = 0;
            }
        } finally {
            monitor.unlock();
        }
        if (led.interrupted) {
            Thread.interrupted(); // it was for this work alone
        } else if (thrown != null) {
            report(thrown);
        }
        if (ended) {
            revoke(led);
        } else if (thrown != null) {
            end(led, Reason.FAILED, null);
        }
    }

    private static void report(Throwable thrown) {
        LOG.log(System.Logger.Level.WARNING, "The listener of a leadership threw; the leadership ends", thrown);
    }

    /** Ends a term, unless it has ended. */
    private void end(Term ended, Reason reason, @Nullable LeaseLoss loss) {
        boolean works;
        monitor.lock();
        try {
            if (ended.end != null) {
                return;
            }
            ended.end = new Revocation(ended.fencingToken(), reason, Optional.ofNullable(loss));
            state = State.REVOKING;
            if (reason == Reason.FAILED) {
                backOff();
            }
            Thread worker = ended.elected;
            works = worker != null;
            if (interrupts && worker != null && worker != Thread.currentThread()) {
                ended.interrupted = true;
                worker.interrupt();
            }
        } finally {
            monitor.unlock();
        }
        if (!ended.begun) {
            giveBack(ended.lease);
        } else if (!works) {
            revoke(ended);
        }
    }

    private void revoke(Term ended) {
        callbacks.run(() -> {
            ended.revoked = Thread.currentThread();
            try {
                listener.revoked(Objects.requireNonNull(ended.end));
            } catch (Throwable thrown) {
                report(thrown);
            }
            ended.revoked = null;
            giveBack(ended.lease);
        });
    }

    private void giveBack(Lease lease) {
        lease.releaseAsync().whenComplete((released, lost) -> next());
    }

    // ================================================================ calls of users

    @Override
    public String lockName() {
        return lock.name();
    }

    @Override
    public boolean isLeader() {
        Term current = term;
        return current != null && current.leads();
    }

    @Override
    public Optional<Lease> lease() {
        Term current = term;
        return current != null && current.leads() ? Optional.of(current) : Optional.empty();
    }

    @Override
    public Optional<LockInfo.Holder> leader() {
        return new LockInspector(engine)
                .describe(lock.name()).holders().stream().findFirst();
    }

    @Override
    public void yieldFor(Duration time) {
        long nanos = Durations.nanos("time", time);
        CompletableFuture<Lease> asked = null;
        monitor.lock();
        try {
            restFor(nanos);
            if (nanos > 0) {
                asked = request;
            }
        } finally {
            monitor.unlock();
        }
        giveUp(asked, Reason.YIELDED);
    }

    @Override
    public void close() {
        CompletableFuture<Lease> asked;
        boolean byListener;
        monitor.lock();
        try {
            closing = true;
            asked = request;
            if (state == State.RESTING && rest != null) {
                rest.cancel(false);
                end();
            }
            Term current = term;
            Thread self = Thread.currentThread();
            byListener = current != null && (current.elected == self || current.revoked == self);
        } finally {
            monitor.unlock();
        }
        giveUp(asked, Reason.CLOSED);
        if (!byListener) {
            awaitEnd();
        }
    }

    private void giveUp(@Nullable CompletableFuture<Lease> asked, Reason reason) {
        if (asked != null) {
            asked.cancel(false);
        }
        Term current = term;
        if (current != null) {
            end(current, reason, null);
        }
    }

    private void awaitEnd() {
        Promise<Boolean> end = new Promise<>();
        closed.thenRun(() -> end.decide(true));
        if (!engine.callers.sleep(end, engine.shutdownTime.toNanos())) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The listener of the leadership ''{0}'' has not returned within {1}; its lock stays taken until"
                            + " then",
                    lock.name(),
                    Durations.text(engine.shutdownTime));
        }
    }

    @Override
    public String toString() {
        Term current = term;
        monitor.lock();
        try {
            String text = switch (state) {
                case STANDING -> "waits for the lock";
                case LEADING ->
                    current != null && current.leads()
                            ? "leads with fencing token " + current.fencingToken()
                            : "begins or ends to lead";
                case REVOKING -> "gives up";
                case RESTING -> "rests for " + Durations.text(Duration.ofNanos(Math.max(0, restNanos())));
                case CLOSED -> "closed";
            };
            return "Leadership['" + Printable.text(lock.name()) + "', " + text + "]";
        } finally {
            monitor.unlock();
        }
    }
}
