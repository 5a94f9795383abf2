package io.boltwork;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A reentrant lock that excludes threads, clients and JVMs from each other. Every hold is a {@linkplain Lease lease} with a
 * fencing token.
 *
 * <!-- snippet: ClassExamples.java#FencedLock -->
 * <pre>{@code
 * stock.lock();
 * try {
 *     sell();
 * } finally {
 *     stock.unlock();
 * }
 * }</pre>
 *
 * <p><b>Owners.</b> What a thread gets from {@code lock()}, {@code tryLock(..)} and {@code acquire()} is one hold with one
 * count and one token; it ends when everything has been given back, in any order. {@code unlock()} gives back what the
 * {@code lock} methods took; a {@link Lease} gives back itself. An asynchronous lease belongs to its handle and to no
 * thread, and is not reentrant: a thread that waits for what such a lease of its own holds is warned of in the log. A hold is
 * renewed while the thread of its {@code lock}s lives or one of its leases is open and reachable; then it ends with its lease,
 * and {@link LockListener#abandoned} tells of it.
 *
 * <p><b>Waiting.</b> Waiters are woken when the lock is given to them; within one client they are served in the order in
 * which they came. If the backend does not answer, methods without a time limit wait as long as the client's outage
 * patience (30 s by default) and throw {@link BackendException} then; at once if waiting cannot heal it. Methods with a time
 * limit end by it: with {@code false} if the lock was known to be taken, with {@link BackendException} if the backend gave no
 * answer. After any failure the caller does not hold the lock, and what may have been left at the backend is undone.
 *
 * <p><b>Round trips.</b> An uncontended acquisition takes one, its release one, a nested pair none, and a lock that passes
 * from one thread of a client to the next none.
 *
 * <p><b>Loss.</b> A hold that the backend has forgotten (a restart, a flush, a failover), and that nobody has taken since, is
 * restored with its fencing token; its holder notices nothing. Else a lease can be lost: see {@link Lease}. Then {@link #isHeldByCurrentThread()} is false at once, acquiring
 * again throws {@link LeaseLostException} until the thread has unwound, and so does each unwinding {@code unlock()}, so that
 * lost exclusion never looks clean.
 *
 * <p>All methods are thread-safe and throw {@link ClientClosedException} if they would acquire through a closed client. Two
 * locks are equal if they have the same client and name, whatever their options.
 */
public interface FencedLock extends Lock {

    /**
     * The lock's name.
     *
     * @return the name
     */
    String name();

    /**
     * The same lock with other options.
     *
     * @param options the options
     * @return a view of this lock
     */
    FencedLock withOptions(LockOptions options);

    /**
     * Waits for the lock as long as it takes. Interrupts are ignored, the flag is kept.
     *
     * @throws BackendException if the backend gave no answer for the outage patience, or one that waiting cannot heal
     * @throws LeaseLostException if this thread has lost a hold of this lock and has not unwound it
     */
    @Override
    void lock();

    /**
     * Waits for the lock as long as it takes, and holds it for a fixed time at most.
     *
     * @param lease when the lock is lost if it has not been released; it is not renewed
     * @throws IllegalArgumentException if the lease is not one of {@link LockOptions#fixedLease}, or shorter than the lock's
     *     {@code minHold}
     * @throws BackendException as for {@link #lock()}
     * @throws LeaseLostException as for {@link #lock()}
     */
    void lock(Duration lease);

    /**
     * Waits for the lock until the thread is interrupted.
     *
     * @throws InterruptedException if the thread was interrupted before it had the lock; nothing is left behind
     * @throws BackendException as for {@link #lock()}
     * @throws LeaseLostException as for {@link #lock()}
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Takes the lock if it is free and nobody waits for it. No round trip if another owner of this client holds or wants it,
     * else one.
     *
     * @return whether this thread holds the lock
     * @throws BackendException if the backend does not answer within its command timeout
     * @throws LeaseLostException as for {@link #lock()}
     */
    @Override
    boolean tryLock();

    /**
     * Waits for the lock for a limited time.
     *
     * @param time how long; not positive is the same as {@link #tryLock()}
     * @param unit of {@code time}
     * @return whether this thread holds the lock
     * @throws InterruptedException if the thread was interrupted before it had the lock; nothing is left behind
     * @throws BackendException if the time has passed without any answer
     * @throws LeaseLostException as for {@link #lock()}
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Waits for the lock for a limited time, and holds it for a fixed time at most.
     *
     * <p>Some use that as a cool-down: {@code tryLock(Duration.ZERO, Duration.ofMillis(200))}, never unlocked, so that something
     * happens once in that time. That works: if the lease has run out and was not unlocked, such a try of the same thread begins a
     * new one, where every other acquisition throws {@link LeaseLostException}. The lost lease is remembered for a minute, or for
     * as long as it was if that is longer, so that a late {@link #unlock} throws {@link LeaseLostException}; after that it throws
     * {@link IllegalMonitorStateException}, and the lock can be acquired as ever. If the thread has tried to nest an acquisition
     * by then, the lease is remembered until it is unlocked. {@link LockOptions#withMinHold} is the better cool-down: the lock is
     * released at once, stays taken all the same, for the same thread too, and nothing is lost.
     *
     * @param wait how long to wait; not positive: not at all
     * @param lease when the lock is lost if it has not been released; it is not renewed
     * @return whether this thread holds the lock
     * @throws InterruptedException if the thread was interrupted before it had the lock; nothing is left behind
     * @throws IllegalArgumentException if the lease is not one of {@link LockOptions#fixedLease}, or shorter than the lock's
     *     {@code minHold}
     * @throws BackendException if the time has passed without any answer
     * @throws LeaseLostException as for {@link #lock()}
     */
    boolean tryLock(Duration wait, Duration lease) throws InterruptedException;

    /**
     * Gives back what one {@code lock} took. The outermost one takes a round trip, at most the backend's command timeout; if
     * the backend does not answer, the lock counts as released here and the release is repeated in the background until
     * the lease would have ended. Interrupts are ignored, the flag is kept.
     *
     * @throws IllegalMonitorStateException if this thread holds nothing that {@code unlock()} could give back
     * @throws LeaseLostException if the hold had been lost, once for each level
     */
    @Override
    void unlock();

    /**
     * Not supported.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    Condition newCondition();

    /**
     * Waits for the lock like {@link #lock()}.
     *
     * @return the hold
     * @throws BackendException as for {@link #lock()}
     * @throws LeaseLostException as for {@link #lock()}
     */
    Lease acquire();

    /**
     * Waits for the lock like {@link #lockInterruptibly()}.
     *
     * @return the hold
     * @throws InterruptedException if the thread was interrupted before it had the lock; nothing is left behind
     * @throws BackendException as for {@link #lock()}
     * @throws LeaseLostException as for {@link #lock()}
     */
    Lease acquireInterruptibly() throws InterruptedException;

    /**
     * Takes the lock like {@link #tryLock()}.
     *
     * @return the hold, or empty
     * @throws BackendException if the backend does not answer within its command timeout
     * @throws LeaseLostException as for {@link #lock()}
     */
    Optional<Lease> tryAcquire();

    /**
     * Waits for the lock for a limited time.
     *
     * @param wait how long; not positive is the same as {@link #tryAcquire()}
     * @return the hold, or empty
     * @throws InterruptedException if the thread was interrupted before it had the lock; nothing is left behind
     * @throws BackendException if the time has passed without any answer
     * @throws LeaseLostException as for {@link #lock()}
     */
    Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * Waits for the lock for a limited time and does something while holding it. The hold is this thread's, so {@link
     * #currentLease()} tells its fencing token.
     *
     * <pre>{@code
     * stock.run(Duration.ofSeconds(2), () -> sell());
     * }</pre>
     *
     * @param wait how long; not positive: not at all
     * @param body what to do; what it throws is thrown by this method
     * @throws LockTimeoutException if the lock was taken for all that time; {@code body} was not executed
     * @throws InterruptedException if the thread was interrupted before it had the lock; {@code body} was not executed
     * @throws LeaseLostException if the lock was lost before {@code body} had ended; or as for {@link #lock()}
     * @throws BackendException if the time has passed without any answer; {@code body} was not executed
     */
    default void run(Duration wait, Runnable body) throws InterruptedException {
        Objects.requireNonNull(body, "body");
        try (Lease lease = tryAcquire(wait).orElseThrow(() -> new LockTimeoutException(name(), wait))) {
            body.run();
        }
    }

    /**
     * Waits for the lock for a limited time and computes something while holding it, else like {@link #run}.
     *
     * @param wait how long; not positive: not at all
     * @param body what to do; what it throws is thrown by this method
     * @param <T> what is computed
     * @return what {@code body} returned
     * @throws LockTimeoutException if the lock was taken for all that time; {@code body} was not executed
     * @throws LeaseLostException if the lock was lost before {@code body} had ended; or as for {@link #lock()}
     * @throws BackendException if the time has passed without any answer; {@code body} was not executed
     * @throws Exception what {@code body} throws; {@link InterruptedException} also if the thread was interrupted before it
     *     had the lock
     */
    default <T extends @Nullable Object> T call(Duration wait, Callable<T> body) throws Exception {
        Objects.requireNonNull(body, "body");
        try (Lease lease = tryAcquire(wait).orElseThrow(() -> new LockTimeoutException(name(), wait))) {
            return body.call();
        }
    }

    /**
     * Waits for the lock without a thread. The lease belongs to its handle: it is not reentrant, and any thread may release it.
     * Cancelling the result ({@code toCompletableFuture().cancel(..)}) withdraws the request, and so does completing it in any
     * other way, as {@code orTimeout(..)} does. A lease that the result has taken is the caller's: a caller that gives up must
     * release it. Does not block.
     *
     * <!-- snippet: ClassExamples.java#acquireAsync -->
     * <pre>{@code
     * CompletableFuture<Lease> wish = stock.acquireAsync().toCompletableFuture();
     * try {
     *     return Optional.of(wish.get(2, TimeUnit.SECONDS));
     * } catch (TimeoutException tooLong) {
     *     if (!wish.cancel(true)) {
     *         wish.join().release(); // it came in the last moment
     *     }
     *     return Optional.empty();
     * }
     * }</pre>
     *
     * <p>A result that is dropped with its lease is found by the garbage collector, which may come late: the lease is renewed
     * until then, at the longest for {@link LockOptions#withMaxHold}.
     *
     * @return a stage that completes with the hold, on the client's callback executor; or with what {@link #acquire()} throws
     * @throws UnsupportedOperationException if the options say {@link LockOptions.OnLoss#INTERRUPT}: there is no thread
     */
    CompletionStage<Lease> acquireAsync();

    /**
     * Waits for the lock for a limited time without a thread, else like {@link #acquireAsync()}.
     *
     * @param wait how long; not positive: not at all
     * @return a stage that completes with the hold or empty; or with what {@link #tryAcquire(Duration)} throws
     * @throws UnsupportedOperationException if the options say {@link LockOptions.OnLoss#INTERRUPT}: there is no thread
     */
    CompletionStage<Optional<Lease>> tryAcquireAsync(Duration wait);

    /**
     * Waits for the lock without a thread and does something asynchronous while holding it. The lock is given back when the
     * stage that {@code body} returns has completed, or when {@code body} throws. Does not block.
     *
     * <p>If the result completes earlier, because it is cancelled or by {@link
     * java.util.concurrent.CompletableFuture#orTimeout}, what has not begun is withdrawn and never begins; what has begun holds
     * the lock to its own end.
     *
     * <pre>{@code
     * stock.callAsync(Duration.ofSeconds(2), lease -> shop.sell(item, lease.fencingToken()));
     * }</pre>
     *
     * @param wait how long; not positive: not at all
     * @param body what to do, given the hold; called on the client's callback executor
     * @param <T> what is computed
     * @return a stage that completes, on the client's callback executor, when the lock has been given back: with what the body's
     *     stage completes with; or with {@link LockTimeoutException} if the lock was taken for all that time, {@link
     *     LeaseLostException} if it was lost before the body had ended, {@link BackendException} if the time has passed without
     *     any answer
     * @throws UnsupportedOperationException if the options say {@link LockOptions.OnLoss#INTERRUPT}: there is no thread
     */
    <T extends @Nullable Object> CompletionStage<T> callAsync(
            Duration wait, Function<? super Lease, ? extends CompletionStage<T>> body);

    /**
     * The hold of this thread. The view tells token and validity; it is not a right of its own, so that releasing it does
     * nothing. No round trip.
     *
     * @return the hold, a lost one included until it is unwound; or empty
     */
    Optional<Lease> currentLease();

    /**
     * Whether this thread holds the lock. No round trip.
     *
     * @return {@code false} also if the hold has been lost
     */
    boolean isHeldByCurrentThread();

    /**
     * How often this thread holds the lock: {@code lock}s and open leases together. No round trip.
     *
     * @return the count, 0 if it does not hold the lock or has lost it
     */
    int holdCount();

    /**
     * Asks the backend whether anybody holds the lock. One round trip; the answer may be old when it arrives.
     *
     * @return whether it is held
     * @throws BackendException if the backend does not answer within its command timeout
     */
    boolean isLocked();
}
