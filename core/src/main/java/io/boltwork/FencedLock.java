// SPDX-License-Identifier: Apache-2.0
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
 * A reentrant lock that excludes threads, clients and JVMs from each other. Every hold is a {@linkplain Lease lease}
 * with a fencing token.
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
 * <p><b>Owners.</b> Nested acquisitions by one thread, through {@code lock()}, {@code tryLock(..)} or
 * {@code acquire()}, share one hold with one count and one token. The hold ends when all of them have been released, in
 * any order. {@code unlock()} undoes one call of a {@code lock} method; a {@link Lease} releases itself. An
 * asynchronous lease belongs to its handle and not to a thread, and it is not reentrant. A warning is logged if a
 * thread waits for a lock that its own asynchronous lease holds. A hold is renewed as long as the thread that called a
 * {@code lock} method is alive, or one of the leases of the hold is open and reachable. After that it ends with its
 * lease, and {@link LockListener#abandoned} reports it.
 *
 * <p><b>Waiting.</b> A waiter is woken when the lock is granted to it. Within one client, waiters are served in the
 * order of their arrival. If the backend does not answer, methods without a time limit wait for the client's outage
 * patience (30 s by default) and then throw {@link BackendException}. They throw it at once if waiting cannot help.
 * Methods with a time limit end within that limit: they return {@code false} or empty if the lock was known to be
 * taken, and throw {@link BackendException} if the backend gave no answer. After any failure the caller does not hold
 * the lock, and anything that the request left on the backend is undone.
 *
 * <p><b>Round trips.</b> An uncontended acquisition takes one round trip, and its release takes another. A nested
 * acquisition and its release take none. A lock that passes from one thread of a client to the next takes none.
 *
 * <p><b>Loss.</b> If the backend has forgotten a hold (a restart, a flush, a failover) and the lock has not been held
 * by another owner since, the hold is restored with the same fencing token and its holder notices nothing. Otherwise a
 * lease can be lost: see {@link Lease}. From then on {@link #isHeldByCurrentThread()} returns {@code false}, acquiring
 * the lock again throws {@link LeaseLostException} until the thread has unwound, and each unwinding {@code unlock()}
 * throws it too. A caller therefore never mistakes a lost lock for a clean release.
 *
 * <p>All methods are thread-safe. Methods that acquire the lock throw {@link ClientClosedException} if the client is
 * closed. Two locks are equal if they have the same client and the same name, whatever their options.
 *
 * @since 0.1.0
 */
public interface FencedLock extends Lock {

    /**
     * Returns the name of the lock.
     *
     * @return the name
     */
    String name();

    /**
     * Returns the same lock with other options. No round trip.
     *
     * @param options the options
     * @return a view of this lock
     * @throws IllegalArgumentException if the options ask for {@linkplain LockOptions#withReplication replication}
     *     within a time that is not shorter than the backend's command timeout
     */
    FencedLock withOptions(LockOptions options);

    /**
     * Acquires the lock, waiting as long as necessary. Interrupts are ignored, and the interrupt flag is kept.
     *
     * @throws BackendException if the backend gave no answer for the outage patience, or answered with an error that
     *     waiting cannot heal
     * @throws LeaseLostException if this thread has lost a hold of this lock and has not unwound it
     */
    @Override
    void lock();

    /**
     * Acquires the lock for at most a fixed time, waiting as long as necessary. Interrupts are ignored, and the
     * interrupt flag is kept.
     *
     * @param lease the time after which the lock is lost if it has not been released; the lease is not renewed
     * @throws IllegalArgumentException if the lease is out of the range of {@link LockOptions#fixedLease}, or shorter
     *     than the lock's {@code minHold}
     * @throws BackendException as for {@link #lock()}
     * @throws LeaseLostException as for {@link #lock()}
     */
    void lock(Duration lease);

    /**
     * Acquires the lock, waiting until it is available or the thread is interrupted.
     *
     * @throws InterruptedException if the thread was interrupted before it had the lock; nothing is left behind
     * @throws BackendException as for {@link #lock()}
     * @throws LeaseLostException as for {@link #lock()}
     */
    @Override
    void lockInterruptibly() throws InterruptedException;

    /**
     * Acquires the lock if it is free and no other owner waits for it, or if this thread already holds it. Takes no
     * round trip if this thread holds the lock or another owner of this client holds or wants it; otherwise one.
     *
     * @return whether this thread holds the lock
     * @throws BackendException if the backend does not answer within its command timeout
     * @throws LeaseLostException as for {@link #lock()}
     */
    @Override
    boolean tryLock();

    /**
     * Acquires the lock if it becomes available within a limited time.
     *
     * @param time the longest time to wait; zero or less is the same as {@link #tryLock()}
     * @param unit the unit of {@code time}
     * @return whether this thread holds the lock
     * @throws InterruptedException if the thread was interrupted before it had the lock; nothing is left behind
     * @throws BackendException if the time has passed without any answer from the backend
     * @throws LeaseLostException as for {@link #lock()}
     */
    @Override
    boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

    /**
     * Acquires the lock for at most a fixed time, if it becomes available within a limited time.
     *
     * <p>This method can serve as a cool-down: {@code tryLock(Duration.ZERO, Duration.ofMillis(200))}, never unlocked,
     * lets something happen at most once in that time. Its end is no warning in the log, unless it is unlocked later.
     * If the lease has run out and was not unlocked, such a try by the same thread begins a new lease, whereas every
     * other acquisition throws {@link LeaseLostException}. The lost lease is remembered for one minute, or for its own
     * length if that is longer. Within that time a late {@link #unlock}
     * throws {@link LeaseLostException}. After it, {@code unlock} throws {@link IllegalMonitorStateException}, and the
     * lock can be acquired as usual. If the thread tries to nest an acquisition within that time, the lease is
     * remembered until it is unlocked. {@link LockOptions#withMinHold} is the better cool-down: the lock is released at
     * once but stays taken, even for the same thread, and no lease is lost.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param lease the time after which the lock is lost if it has not been released; the lease is not renewed
     * @return whether this thread holds the lock
     * @throws InterruptedException if the thread was interrupted before it had the lock; nothing is left behind
     * @throws IllegalArgumentException if the lease is out of the range of {@link LockOptions#fixedLease}, or shorter
     *     than the lock's {@code minHold}
     * @throws BackendException if the time has passed without any answer from the backend
     * @throws LeaseLostException as for {@link #lock()}
     */
    boolean tryLock(Duration wait, Duration lease) throws InterruptedException;

    /**
     * Undoes one call of a {@code lock} method. The outermost {@code unlock} makes one round trip and blocks for the
     * backend's command timeout at most. If the backend does not answer, the lock counts as released in this client,
     * and the release is repeated in the background until the lease would have ended. Interrupts are ignored, and the
     * interrupt flag is kept.
     *
     * @throws IllegalMonitorStateException if this thread holds nothing that {@code unlock()} could release
     * @throws LeaseLostException if the hold had been lost; thrown once for each level
     */
    @Override
    void unlock();

    /**
     * Returns the lock's own condition, for which threads of all JVMs wait and which all of them can signal. See
     * {@link #condition(String)} for what a condition does. No round trip.
     *
     * <p>Other than with {@code ReentrantLock}, each call returns the same condition, because the calls of several JVMs
     * have no common order. If it is called more than once on one object, the conditions may be meant for different
     * things; {@code signal()} then wakes all threads that wait, as {@code signalAll()} does. Use
     * {@link #condition(String)} for several conditions.
     *
     * @return the condition
     * @throws UnsupportedOperationException if this is a read lock, a write lock or a multi-lock
     */
    @Override
    Condition newCondition();

    /**
     * Returns a condition of this lock. The same name stands for the same condition in all JVMs. No round trip.
     *
     * <!-- snippet: ClassExamples.java#Condition -->
     * <pre>{@code
     * Condition notEmpty = lock.condition("notEmpty");
     * Condition notFull = lock.condition("notFull");
     * lock.lock();
     * try {
     *     while (buffer.isEmpty()) {
     *         notEmpty.await(10, TimeUnit.SECONDS);
     *     }
     *     buffer.take();
     *     notFull.signal();
     * } finally {
     *     lock.unlock();
     * }
     * }</pre>
     *
     * <p><b>Waiting.</b> The {@code await} methods release the hold, whatever its depth, and begin to wait in one
     * atomic step of the backend (one round trip). They return when the thread holds the lock again, as deep as before,
     * with a new fencing token. Threads that wait for a condition are woken in the order in which they began. A thread
     * may also be woken without a signal, as always with conditions, so wait in a loop: after a failover, or if the
     * backend has lost data, all that wait are woken. While the backend does not answer, a thread goes on waiting for
     * its signal. Once it has been woken or its time has passed, it waits for the lock without a limit, as
     * {@link #lock()} does.
     *
     * <p><b>Signalling.</b> {@code signal} and {@code signalAll} take no round trip: signals are sent with the release
     * of the lock, since no thread can go on before that. A signalled thread is queued for the lock, and is woken when
     * the lock is granted to it. If its JVM has died meanwhile, the next thread that waits for the condition takes over
     * the signal. If a JVM dies between its change and the release, no thread is signalled. So give waits a time limit,
     * and look again.
     *
     * <p><b>Errors.</b> All methods throw {@link IllegalMonitorStateException} if the current thread does not hold the
     * lock, and {@link LeaseLostException} if it has lost its hold. The {@code await} methods throw
     * {@link IllegalMonitorStateException} if a {@link Lease} of the hold is open. They throw {@link BackendException}
     * or {@link ClientClosedException} if the lock cannot be had again; the hold then counts as lost, and each
     * {@code unlock()} throws {@link LeaseLostException}.
     *
     * @param name 1 to 1,024 bytes in UTF-8; any characters except unpaired surrogates
     * @return the condition; equal to others of the same lock and name; thread-safe
     * @throws IllegalArgumentException if the name is empty, too long or not well-formed
     * @throws UnsupportedOperationException if this is a read lock, a write lock or a multi-lock
     */
    Condition condition(String name);

    /**
     * Acquires the lock like {@link #lock()}, and returns the hold as a lease.
     *
     * @return the hold
     * @throws BackendException as for {@link #lock()}
     * @throws LeaseLostException as for {@link #lock()}
     */
    Lease acquire();

    /**
     * Acquires the lock like {@link #lockInterruptibly()}, and returns the hold as a lease.
     *
     * @return the hold
     * @throws InterruptedException if the thread was interrupted before it had the lock; nothing is left behind
     * @throws BackendException as for {@link #lock()}
     * @throws LeaseLostException as for {@link #lock()}
     */
    Lease acquireInterruptibly() throws InterruptedException;

    /**
     * Acquires the lock like {@link #tryLock()}, and returns the hold as a lease.
     *
     * @return the hold, or empty if the lock was not available
     * @throws BackendException if the backend does not answer within its command timeout
     * @throws LeaseLostException as for {@link #lock()}
     */
    Optional<Lease> tryAcquire();

    /**
     * Acquires the lock if it becomes available within a limited time, and returns the hold as a lease.
     *
     * @param wait the longest time to wait; zero or less is the same as {@link #tryAcquire()}
     * @return the hold, or empty if the lock was taken for all that time
     * @throws InterruptedException if the thread was interrupted before it had the lock; nothing is left behind
     * @throws BackendException if the time has passed without any answer from the backend
     * @throws LeaseLostException as for {@link #lock()}
     */
    Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

    /**
     * Runs an action while holding the lock, after waiting for the lock for a limited time. This thread owns the hold,
     * so {@link #currentLease()} gives its fencing token.
     *
     * <pre>{@code
     * stock.run(Duration.ofSeconds(2), () -> sell());
     * }</pre>
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body the action; an exception that it throws is thrown by this method
     * @throws LockTimeoutException if the lock was taken for all that time; {@code body} was not executed
     * @throws InterruptedException if the thread was interrupted before it had the lock; {@code body} was not executed
     * @throws LeaseLostException if the lock was lost before {@code body} had ended; or as for {@link #lock()}
     * @throws BackendException if the time has passed without any answer from the backend; {@code body} was not
     *     executed
     */
    default void run(Duration wait, Runnable body) throws InterruptedException {
        Objects.requireNonNull(body, "body");
        try (Lease lease = tryAcquire(wait).orElseThrow(() -> new LockTimeoutException(name(), wait))) {
            body.run();
        }
    }

    /**
     * Computes a value while holding the lock, after waiting for the lock for a limited time. Otherwise like
     * {@link #run}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body the computation; an exception that it throws is thrown by this method
     * @param <T> the type of the value
     * @return the value that {@code body} returned
     * @throws LockTimeoutException if the lock was taken for all that time; {@code body} was not executed
     * @throws LeaseLostException if the lock was lost before {@code body} had ended; or as for {@link #lock()}
     * @throws BackendException if the time has passed without any answer from the backend; {@code body} was not
     *     executed
     * @throws Exception the exception that {@code body} throws; {@link InterruptedException} also if the thread was
     *     interrupted before it had the lock
     */
    default <T extends @Nullable Object> T call(Duration wait, Callable<T> body) throws Exception {
        Objects.requireNonNull(body, "body");
        try (Lease lease = tryAcquire(wait).orElseThrow(() -> new LockTimeoutException(name(), wait))) {
            return body.call();
        }
    }

    /**
     * Waits for the lock without occupying a thread. The lease belongs to its handle: any thread may release it, and it
     * is reentrant only for an {@linkplain #ownedBy owner}. Cancelling the result ({@code
     * toCompletableFuture().cancel(..)}) withdraws the request. Completing the result in any other way, as {@code
     * orTimeout(..)} does, also withdraws it. A result that has completed with a lease belongs to the caller: a caller
     * that gives up must release that lease. Does not block.
     *
     * <!-- snippet: ClassExamples.java#acquireAsync -->
     * <pre>{@code
     * CompletableFuture<Lease> wish = stock.acquireAsync().toCompletableFuture();
     * try {
     *     return Optional.of(wish.get(2, TimeUnit.SECONDS));
     * } catch (TimeoutException tooLong) {
     *     if (!wish.cancel(true)) {
     *         wish.join().release(); // it came at the last moment
     *     }
     *     return Optional.empty();
     * }
     * }</pre>
     *
     * <p>If both the result and its lease are dropped, the garbage collector finds them, which may take long. The lease
     * is renewed until then, but no longer than {@link LockOptions#withMaxHold}.
     *
     * @return a stage that completes on the client's callback executor, with the hold or with the exception that
     *     {@link #acquire()} would throw
     * @throws UnsupportedOperationException if the options say {@link LockOptions.OnLoss#INTERRUPT}: there is no thread
     *     to interrupt
     */
    CompletionStage<Lease> acquireAsync();

    /**
     * Waits for the lock for a limited time without occupying a thread. Otherwise like {@link #acquireAsync()}.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @return a stage that completes with the hold or empty, or with the exception that {@link #tryAcquire(Duration)}
     *     would throw
     * @throws UnsupportedOperationException if the options say {@link LockOptions.OnLoss#INTERRUPT}: there is no thread
     *     to interrupt
     */
    CompletionStage<Optional<Lease>> tryAcquireAsync(Duration wait);

    /**
     * Runs an asynchronous action while holding the lock, without occupying a thread. The lock is released when the
     * stage that {@code body} returned has completed, or when {@code body} throws. Does not block.
     *
     * <p>If the result is completed early, by a cancellation or by
     * {@link java.util.concurrent.CompletableFuture#orTimeout}, a body that has not begun is withdrawn and never
     * begins. A body that has begun holds the lock until it ends.
     *
     * <pre>{@code
     * stock.callAsync(Duration.ofSeconds(2), lease -> shop.sell(item, lease.fencingToken()));
     * }</pre>
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @param body the action, which receives the hold; called on the client's callback executor
     * @param <T> the type of the value
     * @return a stage that completes on the client's callback executor when the lock has been released, with the
     *     outcome of the body's stage; or with {@link LockTimeoutException} if the lock was taken for all that time,
     *     {@link LeaseLostException} if it was lost before the body had ended, or {@link BackendException} if the time
     *     has passed without any answer from the backend
     * @throws UnsupportedOperationException if the options say {@link LockOptions.OnLoss#INTERRUPT}: there is no thread
     *     to interrupt
     */
    <T extends @Nullable Object> CompletionStage<T> callAsync(
            Duration wait, Function<? super Lease, ? extends CompletionStage<T>> body);

    /**
     * Returns a view of this lock in which an owner takes the place of the current thread. Whatever the view acquires
     * belongs to the owner, on whatever thread: {@code lock()}, leases, and asynchronous leases, which are otherwise
     * not reentrant. No round trip.
     *
     * <p>An owner has one hold of a lock, with one fencing token. Code that acquires the lock for an owner that has it
     * enters that hold once more, without a round trip, and the hold ends when all have left it, in any order. If
     * several calls of one owner wait for the lock, all of them go on when one is granted it. The owner does not
     * exclude its own calls from each other. Each {@link Lease} leaves once; {@link #unlock} undoes one {@code lock()}
     * of the owner, whoever calls it. A loss concerns all: each call fails with {@link LeaseLostException} until all
     * have left. {@link #currentLease}, {@link #isHeldByCurrentThread} and {@link #holdCount} tell of the owner. A wait
     * for a condition gives up all levels by {@code lock()}, as with threads.
     *
     * @param owner the owner
     * @return the view, with the options of this lock
     * @throws UnsupportedOperationException if the options say {@link LockOptions.OnLoss#INTERRUPT}: there is no thread
     *     to interrupt
     */
    FencedLock ownedBy(LockOwner owner);

    /**
     * Returns the owner of this view. No round trip.
     *
     * @return the owner that was given to {@link #ownedBy}; empty if each thread and each lease owns what it acquires
     */
    Optional<LockOwner> owner();

    /**
     * Returns a view of this thread's hold. The view gives the token and the validity of the hold. It does not confer
     * the right to release: releasing the view does nothing. No round trip.
     *
     * @return the hold, also a lost one until the thread has unwound it; or empty
     */
    Optional<Lease> currentLease();

    /**
     * Returns whether this thread holds the lock. No round trip.
     *
     * @return {@code true} if it does; {@code false} also if the hold has been lost
     */
    boolean isHeldByCurrentThread();

    /**
     * Returns how many times this thread holds the lock: its {@code lock}s and its open leases together. No round trip.
     *
     * @return the count; 0 if this thread does not hold the lock or has lost it
     */
    int holdCount();

    /**
     * Returns whether the lock is taken: held by any client, or kept closed after a release or a lease that ended
     * ({@link LockOptions#withMinHold}, {@link LockOptions#withTakeoverDelay}). Asks the backend and blocks for one
     * round trip; the answer may be outdated when it arrives.
     *
     * @return whether the lock is taken
     * @throws BackendException if the backend does not answer within its command timeout
     * @throws ClientClosedException if the client is closed
     */
    boolean isLocked();
}
