// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks;

import io.boltwork.Lease;
import io.boltwork.LockTimeoutException;
import io.boltwork.engine.Engine;
import io.boltwork.engine.drive.Acquirable;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The forms of an acquisition by a lease. All of them are made of two: in one a thread waits, in the other none does.
 */
public abstract class LeaseForms {

    protected static final long FOR_EVER = Ticker.NEVER;
    protected static final long NOT_AT_ALL = 0;

    public abstract String name();

    /**
     * Waits for a lease, on the current thread. Returns {@code null} if it was refused.
     *
     * @param nanos the longest time to wait; {@link #FOR_EVER} without a limit
     * @param result makes the result before the lock is taken
     */
    protected abstract <T> @Nullable T acquire(long nanos, boolean interruptible, Function<Lease, T> result)
            throws InterruptedException;

    /**
     * Returns an asynchronous request that has not been posted.
     *
     * @param nanos as for {@link #acquire(long, boolean, Function)}
     * @param result makes the result from the lease, or from an empty value if it was refused
     */
    protected abstract <T> WithdrawableFuture<T> request(long nanos, Function<Optional<Lease>, T> result);

    /** Runs a callback on the client's executor. */
    protected abstract void callBack(Runnable callback);

    // ================================================================ by thread

    public Lease acquire() {
        return Objects.requireNonNull(acquireUninterruptibly(FOR_EVER, Function.identity()));
    }

    public Lease acquireInterruptibly() throws InterruptedException {
        checkInterrupt();
        return Objects.requireNonNull(acquire(FOR_EVER, true, Function.identity()));
    }

    public Optional<Lease> tryAcquire() {
        Optional<Lease> lease = acquireUninterruptibly(NOT_AT_ALL, Optional::of);
        return lease == null ? Optional.empty() : lease;
    }

    public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
        long nanos = Durations.nanos("wait", wait);
        checkInterrupt();
        Optional<Lease> lease = acquire(nanos, true, Optional::of);
        return lease == null ? Optional.empty() : lease;
    }

    private <T> @Nullable T acquireUninterruptibly(long nanos, Function<Lease, T> result) {
        try {
            return acquire(nanos, false, result);
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Enters the owner's hold, or waits for one, and makes a result from its lease. Takes the hold as its last act and
     * makes the result before it. After it, this method calls nothing and allocates nothing on the way back to the
     * user's frame, so that no error can come between the lock and its holder.
     *
     * @param first the first request; later ones replace it if its hold is given up
     */
    static <T> @Nullable T take(
            Engine engine,
            Acquirable room,
            Waiter first,
            long start,
            long nanos,
            boolean interruptible,
            Function<Lease, T> result)
            throws InterruptedException {
        Waiter waiter = first;
        while (true) {
            T own = room.enterOwn(waiter.tryOnly, result);
            if (own != null) {
                return own;
            }
            try {
                long left = engine.callers.nanosLeft(start, nanos);
                Hold hold = engine.callers.request(room, waiter, left, interruptible);
                if (hold == null) {
                    return null;
                }
                LeaseHandle handle = new LeaseHandle(engine, hold);
                T made = result.apply(handle);
                if (hold.take(waiter)) {
                    return made;
                }
                handle.unused();
                waiter = waiter.again();
            } catch (Error cut) {
                waiter.forsaken = true;
                engine.errorFlag.cause = cut;
                engine.errorFlag.raised = true;
                throw cut;
            }
        }
    }

    static void checkInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    // ================================================================ by handle

    public CompletionStage<Lease> acquireAsync() {
        return request(
                        FOR_EVER,
                        lease -> lease.orElseThrow(() -> new IllegalStateException("refused although it would wait")))
                .post();
    }

    public CompletionStage<Optional<Lease>> tryAcquireAsync(Duration wait) {
        return request(Durations.nanos("wait", wait), Function.identity()).post();
    }

    public <T extends @Nullable Object> CompletionStage<T> callAsync(
            Duration wait, Function<? super Lease, ? extends CompletionStage<T>> body) {
        Objects.requireNonNull(body, "body");
        WithdrawableFuture<Optional<Lease>> turn = request(Durations.nanos("wait", wait), Function.identity());
        return new AsyncCall<>(turn, body, () -> new LockTimeoutException(name(), wait), this::callBack).post();
    }
}
