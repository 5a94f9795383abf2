// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockException;
import io.boltwork.LockOptions;
import io.boltwork.PermitsExceededException;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.Heartbeat;
import io.boltwork.engine.client.Sleeper;
import io.boltwork.engine.diagnose.LongWaits;
import io.boltwork.engine.drive.Acquirable;
import io.boltwork.engine.drive.LockDrivers;
import io.boltwork.engine.watch.ProgressWatch;
import io.boltwork.machine.request.Extension;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.request.Waiter.WaitResult;
import io.boltwork.spi.BodyScope;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.Durations;
import io.boltwork.spi.Patience;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The calls in which a user's thread waits. Users' threads block here and nowhere else. Thread-safe. */
public final class Callers {

    /** The pause before a caller looks at something again, 1 ms: about a round trip. */
    private static final long LOOK_AGAIN = 1_000_000;

    private final ClientCore core;
    private final LockDrivers drivers;
    private final Heartbeat heartbeat;
    private final LongWaits longWaits;
    private final Sleeper sleeper;
    private final LongSupplier clock;

    /** The time for which a caller sleeps before it is watched, in nanoseconds. */
    private final long unwatched;

    Callers(ClientCore core, LockDrivers drivers, Heartbeat heartbeat, LongWaits longWaits, Sleeper sleeper) {
        this.core = core;
        this.drivers = drivers;
        this.heartbeat = heartbeat;
        this.longWaits = longWaits;
        this.sleeper = sleeper;
        this.clock = core.ticker::nanos;
        this.unwatched = Math.min(LongWaits.LONG, core.timing.commandTimeout());
    }

    // ================================================================ acquiring

    /**
     * Requests a lock and sleeps until the request is granted, refused or cancelled. Returns the new hold, or
     * {@code null} if there is none.
     *
     * @param nanos the longest time to wait; {@link Ticker#NEVER} without a limit
     * @throws InterruptedException if the wait is interruptible, and was interrupted before the outcome was decided
     */
    @Nullable
    public Hold request(Acquirable room, Waiter waiter, long nanos, boolean interruptible) throws InterruptedException {
        waiter.executes = true;
        room.request(waiter);
        // a try ends by itself, with the command timeout at the latest
        return hold(await(room, waiter, waiter.tryOnly ? Ticker.NEVER : nanos, interruptible));
    }

    /**
     * Requests a lock for a handle, and calls back when the request is granted, refused or cancelled.
     *
     * @param nanos the longest time to wait; {@link Ticker#NEVER} without a limit
     * @param scope the bodies in which the handle is wanted; {@code null} outside of all bodies
     * @param decided is called on the client's executor
     */
    public void request(Acquirable room, Waiter waiter, long nanos, @Nullable BodyScope scope, Runnable decided) {
        room.request(waiter);
        boolean isLimited = nanos != Ticker.NEVER;
        Future<?> timer = isLimited && !waiter.tryOnly && !waiter.outcome.isDecided()
                ? drivers.cancelAfter(room, waiter, nanos)
                : null;
        longWaits.addHandle(room, waiter, isLimited, scope);
        waiter.outcome.then(() -> {
            longWaits.removeHandle(waiter, scope);
            drivers.callBack(room.name(), () -> {
                if (timer != null) {
                    timer.cancel(false);
                }
                decided.run();
            });
        });
    }

    /** Returns the rest of a time to wait that began at {@code start}. */
    public long nanosLeft(long start, long nanos) {
        return nanos == Ticker.NEVER ? nanos : Math.max(0, nanos - (core.ticker.nanos() - start));
    }

    /**
     * Sleeps until a request that was made is granted, refused or cancelled. After {@code nanos} it is cancelled, and
     * decided soon after.
     *
     * @throws InterruptedException as {@link #request}
     */
    public WaitResult await(Acquirable room, Waiter waiter, long nanos, boolean interruptible)
            throws InterruptedException {
        long start = core.ticker.nanos();
        long left = nanos;
        if (waiter.outcome.isOffered()) {
            boolean stays = !interruptible && nanos >= core.timing.commandTimeout();
            execute(waiter.outcome, stays, () -> interruptible && isInterrupted() ? 0 : nanosLeft(start, nanos));
            left = nanosLeft(start, nanos);
        }
        if (left > 0 && !waiter.outcome.isDecided()) {
            // short if an error has just cut work short
            sleeper.sleep(waiter.outcome, core, Math.min(left, core.errorFlag.raised ? Heartbeat.PERIOD : unwatched));
        }
        if (waiter.outcome.isDecided()) {
            return waiter.outcome.value(); // true for most callers, and then nothing needs to be watched
        }
        if (nanos <= LongWaits.LONG || waiter.signalWait != null) { // a signal may take any time
            return awaitWatched(room, waiter, nanos, start, interruptible);
        }
        try {
            longWaits.addThread(room, waiter, start, nanos != Ticker.NEVER);
            return awaitWatched(room, waiter, nanos, start, interruptible);
        } finally {
            longWaits.removeThread(waiter);
        }
    }

    /**
     * Executes the command that the caller is offered, until the outcome is decided or the caller leaves.
     *
     * @param stays whether the caller waits for the command timeout at least and heeds no interrupts
     */
    private static void execute(Promise<?> outcome, boolean stays, LongSupplier nanosLeft) {
        CallerRun offered = outcome.takeOffer();
        if (offered != null && (stays || offered.canBeLeft())) {
            offered.run(() -> outcome.isDecided() ? 0 : nanosLeft.getAsLong());
        } else if (offered != null) {
            offered.send();
        }
    }

    private static boolean isInterrupted() {
        return Thread.currentThread().isInterrupted();
    }

    private WaitResult awaitWatched(Acquirable room, Waiter waiter, long nanos, long start, boolean interruptible)
            throws InterruptedException {
        boolean interrupted = false;
        ProgressWatch watch = new ProgressWatch(core, heartbeat, room, waiter, start);
        boolean cancelled = false;
        while (!waiter.outcome.isDecided()) {
            long left = nanos == Ticker.NEVER || cancelled ? Ticker.NEVER : nanos - (core.ticker.nanos() - start);
            if (left <= 0) {
                cancelled = true; // the machine decides all the same: the lock may have been granted just now
                cancelWait(room, waiter, watch, true);
                continue;
            }
            sleeper.sleep(waiter.outcome, core, Math.min(left, watch.nanosToNextLook()));
            if (Thread.interrupted()) {
                interrupted = true;
                if (interruptible && !cancelled) {
                    cancelled = true;
                    cancelWait(room, waiter, watch, false);
                }
            }
            watch.lookIfDue();
        }
        WaitResult result = waiter.outcome.value();
        if (interrupted) {
            if (result == Waiter.Denied.CANCELLED) {
                throw new InterruptedException(
                        "Interrupted while waiting for the lock '" + Printable.text(room.name()) + "'");
            }
            Thread.currentThread().interrupt();
        }
        return result;
    }

    /** Ends a wait, unless its outcome is decided. A wait for a signal becomes one for the lock, without a limit. */
    private static void cancelWait(Acquirable room, Waiter waiter, ProgressWatch watch, boolean timedOut) {
        if (waiter.signalWait == null) {
            watch.expectDecision();
        }
        room.cancel(waiter, timedOut);
    }

    /**
     * Returns the hold that a wait has ended with, or {@code null} if there is none. Throws if the request has failed.
     */
    public static @Nullable Hold hold(WaitResult result) {
        if (result instanceof Waiter.Granted granted) {
            return granted.hold();
        }
        if (result instanceof Waiter.Failed failed) {
            throw again(failed.cause());
        }
        return null;
    }

    /** Copies an exception, so that the stack trace is that of the caller. */
    public static LockException again(LockException cause) {
        if (cause instanceof PermitsExceededException large) {
            return new PermitsExceededException(large.semaphore(), large.permits(), large.capacity());
        }
        if (cause instanceof LeaseLostException lost) {
            return new LeaseLostException(lost.loss());
        }
        return cause instanceof BackendException failure
                ? new BackendException(String.valueOf(failure.getMessage()), failure.isRetryable(), failure)
                : new ClientClosedException(String.valueOf(cause.getMessage()));
    }

    // ================================================================ releasing

    /**
     * Leaves one level of a hold. Returns a promise of the loss that had happened, if any. The promise is decided when
     * the backend has answered the release, or already if the release is not awaited.
     */
    public Promise<Optional<LeaseLoss>> releaseLevel(Hold hold, Hold.Left left) {
        return releaseLevel(hold, left, false);
    }

    /** Does the same for a caller that is going to wait for it, and for nothing else before. */
    public Promise<Optional<LeaseLoss>> releaseLevelAndWait(Hold hold, Hold.Left left) {
        return releaseLevel(hold, left, true);
    }

    private Promise<Optional<LeaseLoss>> releaseLevel(Hold hold, Hold.Left left, boolean waits) {
        switch (left) {
            case NESTED -> {}
            case LAST -> {
                Promise<Optional<LeaseLoss>> released = hold.released();
                boolean isAwaited = hold.request.terms.options.release() == LockOptions.Release.AWAITED;
                if (waits && isAwaited) {
                    drivers.releaseAndWait(hold);
                } else {
                    drivers.release(hold);
                }
                if (isAwaited) {
                    return released;
                }
            }
            case LOST_NESTED -> drivers.expired(hold);
            case LOST_LAST -> drivers.release(hold);
        }
        return Promise.decided(left.isLost() ? Optional.of(hold.lossOf()) : Optional.empty());
    }

    /**
     * Sleeps until the backend has answered a release, for at most the command timeout.
     *
     * @throws LeaseLostException if the hold had been lost
     */
    public void awaitRelease(Promise<Optional<LeaseLoss>> left) {
        long nanos = core.timing.commandTimeout();
        if (left.isOffered()) {
            long start = core.ticker.nanos();
            execute(left, true, () -> nanosLeft(start, core.timing.commandTimeout()));
            nanos = nanosLeft(start, nanos);
        }
        if (!sleep(left, nanos)) {
            left.decide(Optional.empty());
        }
        Optional<LeaseLoss> loss = left.value();
        if (loss.isPresent()) {
            throw new LeaseLostException(loss.get());
        }
    }

    /**
     * Sleeps until the backend has answered one of several releases, as {@link #awaitRelease(Promise)} does.
     *
     * @param first the first loss so far; {@code null} if there is none
     * @return the first loss; the later ones are suppressed in it
     */
    @Nullable
    public LeaseLostException awaitRelease(Promise<Optional<LeaseLoss>> left, @Nullable LeaseLostException first) {
        try {
            awaitRelease(left);
            return first;
        } catch (LeaseLostException lost) {
            if (first == null) {
                return lost;
            }
            first.addSuppressed(lost);
            return first;
        }
    }

    /** Decides the promise of a release after the command timeout, so that nothing waits for it any longer. */
    public Future<?> decideAfterTimeout(Promise<Optional<LeaseLoss>> left) {
        return core.scheduler.schedule(() -> left.decide(Optional.empty()), core.timing.commandTimeout());
    }

    // ================================================================ extending and verifying

    /**
     * Makes a hold last for at least {@code nanos} from now on. Sleeps until the backend has answered.
     *
     * @throws LeaseLostException if the hold was lost
     */
    public void extend(Hold hold, long nanos) {
        long start = core.ticker.nanos();
        long bound = hold.request.bound(start);
        if (nanos > bound) {
            throw new IllegalArgumentException("atLeast must not exceed what is left of maxHold, "
                    + Durations.text(Duration.ofNanos(Math.max(0, bound))) + ", but is "
                    + Durations.text(Duration.ofNanos(nanos)));
        }
        for (; ; ) {
            Promise<Extension> outcome = new Promise<>();
            if (!drivers.post(hold.request.context.key(), driver -> driver.machine.extend(hold, nanos, outcome))) {
                throw LockDrivers.closed(hold.request.lock(), "cannot be extended");
            }
            Extension extension = null;
            if (sleep(outcome, core.timing.commandTimeout() - (core.ticker.nanos() - start))) {
                extension = outcome.value();
            }
            if (extension == Extension.DONE) {
                return;
            }
            if (extension == Extension.LOST) {
                throw lossOr(hold, releasedMeanwhile(hold, "extended"));
            }
            if (extension instanceof Extension.Failed failed) {
                BackendException cause = failed.cause();
                throw new BackendException(
                        cause.getMessage() + ". The lease was not extended and runs on until its deadline",
                        cause.isRetryable(),
                        cause);
            }
            if (extension == null) {
                drivers.post(hold.request.context.key(), driver -> driver.machine.extensionGivenUp(outcome));
                throw noAnswer();
            }
            lookAway(); // it is being restored
        }
    }

    /**
     * Asks the backend whether it knows a hold. Sleeps until the backend has answered.
     *
     * @return whether the backend has confirmed the hold; else there was no answer, and the hold is valid by the clock
     * @throws LeaseLostException if the hold was lost
     */
    public boolean verify(Hold hold) {
        String lock = hold.request.lock();
        Object key = hold.request.context.key();
        long start = core.ticker.nanos();
        for (; ; ) {
            Promise<Extension> outcome = new Promise<>();
            if (!drivers.post(key, driver -> driver.machine.verify(hold, outcome))) {
                throw lossOr(hold, LockDrivers.closed(lock, "cannot be verified"));
            }
            if (!sleep(outcome, core.timing.commandTimeout() - (core.ticker.nanos() - start))) {
                drivers.post(key, driver -> driver.machine.extensionGivenUp(outcome));
                return validByClock(hold);
            }
            Extension answer = outcome.value();
            if (answer == Extension.DONE) {
                return true;
            }
            if (answer == Extension.LOST) {
                throw lossOr(hold, releasedMeanwhile(hold, "verified"));
            }
            if (answer instanceof Extension.Failed) {
                return validByClock(hold);
            }
            lookAway(); // it is being restored
        }
    }

    /** Returns {@code false}: the backend has not confirmed the hold. Throws if the hold is lost by the clock. */
    private static boolean validByClock(Hold hold) {
        if (!hold.isValid()) {
            throw lossOr(hold, releasedMeanwhile(hold, "verified"));
        }
        return false;
    }

    private static RuntimeException lossOr(Hold hold, RuntimeException otherwise) {
        LeaseLoss loss = hold.loss();
        return loss == null ? otherwise : new LeaseLostException(loss);
    }

    private static IllegalStateException releasedMeanwhile(Hold hold, String what) {
        return new IllegalStateException("The lease of the lock '" + Printable.text(hold.request.lock())
                + "' was released before it could be " + what);
    }

    /**
     * Sleeps while the server is asked about a hold after a suspension of the machine, for at most the command timeout.
     */
    public void awaitVerified(Hold hold) {
        boolean interrupted = false;
        while (hold.isUnverified() && !hold.isOver()) {
            lookAway();
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ================================================================ asking the backend

    /**
     * Sends the backend commands that concern no machine, all at once. Sleeps until the backend has answered all of
     * them.
     */
    List<Reply.Answer> ask(List<? extends Command<?>> commands) {
        if (core.isClosed()) {
            throw new ClientClosedException("The client is closed; it can no longer ask " + core.backend);
        }
        List<Promise<Reply>> outcomes = new ArrayList<>();
        for (Command<?> command : commands) {
            Promise<Reply> outcome = new Promise<>();
            core.backend.send(command, outcome::decide);
            outcomes.add(outcome);
        }
        return outcomes.stream().map(this::answer).toList();
    }

    private Reply.Answer answer(Promise<Reply> outcome) {
        if (!sleep(outcome, core.timing.commandTimeout())) {
            throw noAnswer();
        }
        Reply reply = outcome.value();
        if (reply instanceof Reply.Failed failed) {
            throw again(failed.cause());
        }
        return (Reply.Answer) reply;
    }

    private BackendException noAnswer() {
        return new BackendException(
                "No answer from " + core.backend + " within its command timeout of "
                        + Durations.text(core.backend.commandTimeout())
                        + ". Is the server frozen, or the network down?",
                true,
                null);
    }

    // ================================================================ sleeping

    /**
     * Sleeps until a promise is decided. An interrupt does not end the sleep; the thread's flag is set afterwards.
     *
     * @param nanos the longest time to sleep, in the thread's {@linkplain Patience own time}
     * @return whether the promise is decided
     */
    public boolean sleep(Promise<?> outcome, long nanos) {
        Patience patience = new Patience(nanos, clock);
        boolean interrupted = false;
        for (long part; !outcome.isDecided() && (part = patience.next()) > 0; ) {
            sleeper.sleep(outcome, core, part);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return outcome.isDecided();
    }

    /** Sleeps for about a round trip, or until the thread is interrupted. */
    void lookAway() {
        pause(LOOK_AGAIN);
    }

    /** Sleeps until a promise is decided or the thread is interrupted, for that many nanoseconds at most. */
    public void sleepInterruptibly(Promise<?> outcome, long nanos) {
        sleeper.sleep(outcome, core, nanos);
    }

    /** Sleeps for a time, or until the thread is interrupted. */
    public void pause(long nanos) {
        sleeper.sleep(new Promise<>(), core, nanos);
    }
}
