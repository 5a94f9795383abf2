// SPDX-License-Identifier: Apache-2.0
package io.boltwork.kotlin

import io.boltwork.DistributedLatch
import io.boltwork.FencedLock
import io.boltwork.Lease
import io.boltwork.LeaseLostException
import io.boltwork.LeasedSemaphore
import io.boltwork.LockOwner
import io.boltwork.LockTimeoutException
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.future.await

/**
 * Returns an element of a coroutine's context that makes this owner the one of what the coroutine acquires by
 * [withLock]. A lock that has an owner already keeps it.
 *
 * @return the element
 * @since 0.1.0
 */
public fun LockOwner.asContextElement(): CoroutineContext.Element = Owned(this)

/**
 * Executes a body under this lock: a plain lock, a side of a read-write lock, or a multi-lock. No thread waits.
 *
 * The body is executed in the caller's context, and may change threads, because the lease belongs to its handle. The
 * lock is released when the body and all coroutines that were launched in its scope have ended. The release is awaited,
 * also if the caller is cancelled. A cancellation during the wait withdraws the request.
 *
 * If the lease is lost, the body is cancelled; [LeaseLostException] is the cause. If the body fails itself, the loss is
 * suppressed in its failure.
 *
 * The lock is reentrant: the outermost body makes a [LockOwner], and whatever is acquired in the scope of the body
 * belongs to that owner. To share an owner between coroutines, give it to them by [asContextElement].
 *
 * Import this function, and not `kotlin.concurrent.withLock`, whose lock belongs to a thread.
 *
 * @param wait the longest time to wait for the lock; zero or less means not to wait. Default: as long as necessary
 * @param body the body, which receives the lease and must not release it
 * @return the result of the body
 * @throws LockTimeoutException if the lock was taken for all that time; the body was not executed
 * @throws LeaseLostException if the lease was lost before the body had ended
 * @throws io.boltwork.BackendException if the backend gave no answer, as for [FencedLock.acquireAsync]
 * @throws UnsupportedOperationException if the lock's options say [io.boltwork.LockOptions.OnLoss.INTERRUPT]
 * @since 0.1.0
 */
public suspend fun <T> FencedLock.withLock(
    wait: Duration = Duration.INFINITE,
    body: suspend CoroutineScope.(Lease) -> T,
): T = withLockOrElse(wait, body) { throw LockTimeoutException(name(), wait.toJavaDuration()) }

/**
 * Executes a body under this lock if the lock is free, or becomes free within a limited time. Otherwise like
 * [withLock].
 *
 * @param wait the longest time to wait for the lock; zero or less means not to wait. Default: zero
 * @param body the body, which receives the lease and must not release it
 * @return the result of the body; `null` if the lock was taken for all that time and the body was not executed
 * @since 0.1.0
 */
public suspend fun <T> FencedLock.withLockOrNull(
    wait: Duration = Duration.ZERO,
    body: suspend CoroutineScope.(Lease) -> T,
): T? = withLockOrElse<T?>(wait, body) { null }

/**
 * Executes a body with permits of this semaphore. Otherwise like [withLock].
 *
 * @param wait the longest time to wait for the permits; zero or less means not to wait. Default: as long as necessary
 * @param permits how many, 1 or more. Default: 1
 * @param body the body, which receives the lease of all permits and must not release it
 * @return the result of the body
 * @throws LockTimeoutException if the permits were not free in that time; the body was not executed
 * @throws io.boltwork.PermitsExceededException if the semaphore has fewer permits
 * @since 0.1.0
 */
public suspend fun <T> LeasedSemaphore.withPermit(
    wait: Duration = Duration.INFINITE,
    permits: Int = 1,
    body: suspend CoroutineScope.(Lease) -> T,
): T =
    underLease(
        take(permits, wait) ?: throw LockTimeoutException(name(), wait.toJavaDuration()),
        EmptyCoroutineContext,
        body,
    )

/**
 * Executes a body with permits of this semaphore if they are free, or become free within a limited time. Otherwise like
 * [withPermit].
 *
 * @param wait the longest time to wait for the permits; zero or less means not to wait. Default: zero
 * @param permits how many, 1 or more. Default: 1
 * @param body the body, which receives the lease of all permits and must not release it
 * @return the result of the body; `null` if the permits were not free in that time and the body was not executed
 * @since 0.1.0
 */
public suspend fun <T> LeasedSemaphore.withPermitOrNull(
    wait: Duration = Duration.ZERO,
    permits: Int = 1,
    body: suspend CoroutineScope.(Lease) -> T,
): T? = take(permits, wait)?.let { underLease(it, EmptyCoroutineContext, body) }

/**
 * Waits until the count of this latch is zero. No thread waits. A cancellation ends the wait.
 *
 * @param wait the longest time to wait; zero or less means to ask once. Default: as long as necessary
 * @return whether the count has become zero
 * @throws io.boltwork.BackendException if the backend gave no answer, or has forgotten the count, as for
 *   [DistributedLatch.awaitAsync]
 * @since 0.1.0
 */
public suspend fun DistributedLatch.awaitZero(wait: Duration = Duration.INFINITE): Boolean =
    if (wait == Duration.INFINITE) {
        awaitAsync().await()
        true
    } else {
        awaitAsync(wait.toJavaDuration()).await()
    }

private suspend fun <T> FencedLock.withLockOrElse(
    wait: Duration,
    body: suspend CoroutineScope.(Lease) -> T,
    refused: () -> T,
): T {
    val own = owned()
    val lease = own.take(wait) ?: return refused()
    return underLease(lease, own.owner().get().asContextElement(), body)
}

@JvmSynthetic
internal suspend fun FencedLock.take(wait: Duration): Lease? =
    if (wait == Duration.INFINITE) {
        request({ acquireAsync() }, { it })
    } else {
        request({ tryAcquireAsync(wait.toJavaDuration()) }, { it.orElse(null) })
    }

private suspend fun LeasedSemaphore.take(permits: Int, wait: Duration): Lease? =
    if (wait == Duration.INFINITE) {
        request({ acquireAsync(permits) }, { it })
    } else {
        request({ tryAcquireAsync(permits, wait.toJavaDuration()) }, { it.orElse(null) })
    }
