package io.boltwork.engine;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockException;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.LockTimeoutException;
import io.boltwork.machine.HandleRef;
import io.boltwork.machine.Hold;
import io.boltwork.machine.LockTerms;
import io.boltwork.machine.Ticker;
import io.boltwork.machine.Waiter;
import io.boltwork.machine.Waiter.WaitResult;
import io.boltwork.spi.Command;
import io.boltwork.spi.Durations;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The lock of that name as its users see it: a view on the engine, without state of its own but for what an error cuts short. */
public final class EngineLock implements FencedLock {

    private static final long FOR_EVER = Ticker.NEVER;
    private static final long NOT_AT_ALL = 0;

    private final Engine engine;
    private final String name;
    private final LockTerms terms;

    /**
     * The hold that was begun last by {@code lock}, until it is left: for an unlock that cannot even look it up. Threads write it
     * without order; only the thread of the hold that stands there believes it.
     */
    private @Nullable Hold entered;

    public EngineLock(Engine engine, String name, LockOptions options) {
        this.engine = engine;
        this.name = name;
        this.terms = engine.terms(options);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public FencedLock withOptions(LockOptions other) {
        return new EngineLock(engine, name, Objects.requireNonNull(other, "options"));
    }

    // ================================================================ by thread

    @Override
    public void lock() {
        enterUninterruptibly(terms);
    }

    @Override
    public void lock(Duration lease) {
        enterUninterruptibly(engine.terms(terms.options.withFixedLease(lease)));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        checkInterrupt();
        enter(terms, FOR_EVER, true);
    }

    @Override
    public boolean tryLock() {
        try {
            return enter(terms, NOT_AT_ALL, false);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        checkInterrupt();
        return enter(terms, Math.max(NOT_AT_ALL, unit.toNanos(time)), true);
    }

    @Override
    public boolean tryLock(Duration wait, Duration lease) throws InterruptedException {
        LockTerms fixed = engine.terms(terms.options.withFixedLease(lease));
        long nanos = Durations.nanos("wait", wait);
        checkInterrupt();
        return enter(fixed, nanos, true);
    }

    @Override
    public void unlock() {
        Thread self = Thread.currentThread();
        Hold hold = null;
        Hold.Left left = null;
        try {
            hold = engine.holdToLeave(name, self);
            if (hold == null || hold.locks() == 0) {
                throw notHeld(hold);
            }
            left = hold.leave(false);
            if (left != Hold.Left.NESTED && entered == hold) {
                entered = null;
            }
            engine.callers.awaitRelease(engine.callers.left(hold, left));
        } catch (Error cut) {
            Hold own =
                    hold == null ? entered : hold; // where the stack ends at once, not even the hold can be looked up
            if (own != null && own.thread == self) {
                own.owed = own.owed | (left == null ? Hold.OWED_LOCK : Hold.OWED_RELEASE);
                engine.errorFlag.cause = cut;
                engine.errorFlag.raised = true;
            }
            throw cut;
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException(
                "Conditions are not supported by distributed locks: the threads that wait and signal would be in different JVMs");
    }

    @Override
    public Lease acquire() {
        try {
            return Objects.requireNonNull(acquire(FOR_EVER, false, Function.identity()));
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public Lease acquireInterruptibly() throws InterruptedException {
        checkInterrupt();
        return Objects.requireNonNull(acquire(FOR_EVER, true, Function.identity()));
    }

    @Override
    public Optional<Lease> tryAcquire() {
        try {
            Optional<Lease> lease = acquire(NOT_AT_ALL, false, Optional::of);
            return lease == null ? Optional.empty() : lease;
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Override
    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        long nanos = Durations.nanos("wait", wait);
        checkInterrupt();
        Optional<Lease> lease = acquire(nanos, true, Optional::of);
        return lease == null ? Optional.empty() : lease;
    }

    private static void checkInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private void enterUninterruptibly(LockTerms with) {
        try {
            enter(with, FOR_EVER, false);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /*
     * What follows takes a hold as its last act, and makes whatever is made of it before: after that nothing is called and nothing
     * allocated on the way back to the user's frame, so that no error can come between the lock and its holder.
     */

    /** One level deeper by {@code lock}, or a new hold; {@code false} if it was refused. */
    private boolean enter(LockTerms with, long nanos, boolean interruptible) throws InterruptedException {
        long start = engine.ticker.nanos();
        Hold held = engine.ownHold(name);
        if (held != null && !beginsAnew(held, with, nanos) && enterAgain(held, false)) {
            return true;
        }
        for (; ; ) {
            Waiter waiter = Waiter.ofThread(with, nanos == NOT_AT_ALL, false);
            try {
                Hold hold = engine.callers.request(name, waiter, left(start, nanos), interruptible);
                if (hold == null) {
                    return false;
                }
                entered = hold;
                if (hold.take(waiter)) {
                    return true;
                }
            } catch (Error cut) {
                waiter.forsaken = true;
                engine.errorFlag.cause = cut;
                engine.errorFlag.raised = true;
                throw cut;
            }
        }
    }

    /** One level deeper by handle, or a new hold; {@code null} if it was refused. */
    private <T> @Nullable T acquire(long nanos, boolean interruptible, Function<Lease, T> result)
            throws InterruptedException {
        long start = engine.ticker.nanos();
        Hold held = engine.ownHold(name);
        if (held != null && !beginsAnew(held, terms, nanos)) {
            LeaseHandle handle = new LeaseHandle(engine, held);
            boolean entered = false;
            try {
                T made = result.apply(handle);
                if (enterAgain(held, true)) {
                    entered = true;
                    return made;
                }
            } finally {
                if (!entered) {
                    handle.right.state = HandleRef.State.LEFT_CLEANLY; // it is for no level
                }
            }
        }
        for (; ; ) {
            Waiter waiter = Waiter.ofThread(terms, nanos == NOT_AT_ALL, true);
            try {
                Hold hold = engine.callers.request(name, waiter, left(start, nanos), interruptible);
                if (hold == null) {
                    return null;
                }
                T made = result.apply(new LeaseHandle(engine, hold));
                if (hold.take(waiter)) {
                    return made;
                }
            } catch (Error cut) {
                waiter.forsaken = true;
                engine.errorFlag.cause = cut;
                engine.errorFlag.raised = true;
                throw cut;
            }
        }
    }

    private long left(long start, long nanos) {
        return nanos == FOR_EVER ? FOR_EVER : Math.max(NOT_AT_ALL, nanos - (engine.ticker.nanos() - start));
    }

    private boolean enterAgain(Hold held, boolean asLease) {
        engine.callers.awaitVerified(held);
        try {
            return held.enter(asLease);
        } catch (LeaseLostException lost) {
            engine.nested(held);
            throw lost;
        }
    }

    /**
     * Whether the caller uses the lock as a cool-down: it tries, and does not wait, to begin a fixed lease when the one before has
     * run out and was not unlocked.
     */
    private boolean beginsAnew(Hold held, LockTerms with, long nanos) {
        boolean anew = nanos == NOT_AT_ALL && !with.isRenewed && held.hasRunOut();
        if (anew) {
            engine.expired(held);
        }
        return anew;
    }

    private IllegalMonitorStateException notHeld(@Nullable Hold hold) {
        Thread thread = Thread.currentThread();
        if (hold != null) {
            return new IllegalMonitorStateException(
                    Printable.text(
                            "Thread '" + thread.getName() + "' holds the lock '" + name
                                    + "' by a lease (acquire); call release() or close() on the lease, since unlock() undoes lock() only"));
        }
        Hold other = engine.hold(name);
        String holder = other == null ? "nothing in this client holds it" : "it is held by " + other;
        return new IllegalMonitorStateException(
                Printable.text("Thread '" + thread.getName() + "' does not hold the lock '" + name + "'; " + holder
                        + ". Call unlock() once for each lock(), on the same thread"));
    }

    // ================================================================ by handle

    @Override
    public CompletionStage<Lease> acquireAsync() {
        return request(
                        FOR_EVER,
                        lease -> lease.orElseThrow(() -> new IllegalStateException("refused although it would wait")))
                .post();
    }

    @Override
    public CompletionStage<Optional<Lease>> tryAcquireAsync(Duration wait) {
        return request(Durations.nanos("wait", wait), Function.identity()).post();
    }

    @Override
    public <T extends @Nullable Object> CompletionStage<T> callAsync(
            Duration wait, Function<? super Lease, ? extends CompletionStage<T>> body) {
        Objects.requireNonNull(body, "body");
        AsyncRequest<Optional<Lease>> turn = request(Durations.nanos("wait", wait), Function.identity());
        // waits before the lock can be there: else the body would run here, on the caller's thread
        CompletionStage<T> call = new AsyncCall<>(
                turn, body, () -> new LockTimeoutException(name, wait), end -> engine.callBack(name, end));
        turn.post();
        return call;
    }

    private <T> AsyncRequest<T> request(long nanos, Function<Optional<Lease>, T> result) {
        if (terms.options.onLoss() == OnLoss.INTERRUPT) {
            throw new UnsupportedOperationException(
                    "An asynchronous lease belongs to no thread that could be interrupted: use OnLoss.NOTIFY and whenLost()");
        }
        return new AsyncRequest<>(engine, name, Waiter.ofHandle(terms, nanos == NOT_AT_ALL), nanos, result);
    }

    /** The result of an asynchronous request, which begins to wait when it is posted. */
    private static final class AsyncRequest<T> extends WithdrawableFuture<T> {
        private final Engine engine;
        private final String name;
        private volatile Waiter waiter;
        private final long nanos;
        private final Function<Optional<Lease>, T> result;

        AsyncRequest(Engine engine, String name, Waiter waiter, long nanos, Function<Optional<Lease>, T> result) {
            this.engine = engine;
            this.name = name;
            this.waiter = waiter;
            this.nanos = nanos;
            this.result = result;
        }

        /** Once. The result is completed on the client's executor, never by this call. */
        AsyncRequest<T> post() {
            Waiter asked = waiter;
            try {
                post(asked);
            } catch (Error cut) {
                engine.cutShort(asked, cut);
                throw cut;
            }
            return this;
        }

        private void post(Waiter asked) {
            engine.request(name, asked);
            if (nanos != FOR_EVER && !asked.tryOnly && !asked.outcome.isDecided()) {
                Future<?> timer = engine.cancelAfter(name, asked, nanos);
                whenComplete((value, failure) -> timer.cancel(false));
            }
            asked.outcome.then(() -> engine.callBack(name, () -> settle(asked)));
        }

        private void settle(Waiter asked) {
            try {
                settle(asked, asked.outcome.value());
            } catch (Error cut) {
                engine.cutShort(asked, cut);
                throw cut;
            }
        }

        private void settle(Waiter asked, WaitResult verdict) {
            if (verdict == Waiter.Denied.CANCELLED) {
                return; // by withdraw(): this has been completed
            }
            Hold hold;
            try {
                hold = Callers.hold(verdict);
            } catch (LockException failure) {
                fail(failure);
                return;
            }
            if (hold == null) {
                fulfil(result.apply(Optional.empty()));
                return;
            }
            LeaseHandle lease = new LeaseHandle(engine, hold);
            T value = result.apply(Optional.of(lease));
            if (!hold.take(asked)) { // it was given up, since this came too late: asks again
                waiter = Waiter.ofHandle(asked.terms, asked.tryOnly);
                post();
                if (isDone()) {
                    engine.cancel(name, waiter, false);
                }
            } else if (!fulfil(value)) {
                lease.releaseAsync(); // withdrawn in the last moment: no caller will ever see it
            }
        }

        @Override
        void withdraw() {
            engine.cancel(name, waiter, false);
        }
    }

    // ================================================================ questions

    @Override
    public Optional<Lease> currentLease() {
        return Optional.ofNullable(engine.holdOf(name, Thread.currentThread()))
                .map(hold -> new LeaseView(engine, hold));
    }

    @Override
    public boolean isHeldByCurrentThread() {
        Hold hold = engine.holdOf(name, Thread.currentThread());
        return hold != null && hold.isValid();
    }

    @Override
    public int holdCount() {
        Hold hold = engine.holdOf(name, Thread.currentThread());
        return hold != null && hold.isValid() ? hold.depth() : 0;
    }

    @Override
    public boolean isLocked() {
        Reply.Inspected lock = (Reply.Inspected) engine.ask(new Command.Inspect(name));
        return lock.server().millis() < lock.untilMillis();
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof EngineLock that && engine == that.engine && name.equals(that.name);
    }

    @Override
    public int hashCode() {
        return name.hashCode() * 31 + System.identityHashCode(engine);
    }

    @Override
    public String toString() {
        return "FencedLock['" + Printable.text(name) + "', " + terms + "]";
    }
}
