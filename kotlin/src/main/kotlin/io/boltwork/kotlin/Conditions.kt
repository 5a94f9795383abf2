// SPDX-License-Identifier: Apache-2.0
package io.boltwork.kotlin

import io.boltwork.FencedLock
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.withContext

/**
 * Executes a body under this lock as soon as something is true that other owners of the lock bring about. While it is
 * not, releases the lock and waits for a signal of the condition, as [FencedLock.condition] does. Waits as long as
 * necessary; `withTimeout` sets a limit.
 *
 * A thread of [Dispatchers.IO] waits for the lock and for signals, and is interrupted by a cancellation. The lock is
 * released when the body and all coroutines that were launched in its scope have ended, also after a cancellation. A
 * loss of the lock is thrown at the next wait, or at the end.
 *
 * Not to be called under the same lock, which a wait would release under its other bodies. For the same reason,
 * coroutines that share an owner, such as those that one body has launched, must not call it for one lock at the same
 * time: an owner does not exclude its own calls. Give each of them an owner by [asContextElement].
 *
 * @param condition the name of the condition
 * @param isReady whether the body can begin; called under the lock, again after each signal
 * @param body the body
 * @return the result of the body
 * @throws IllegalStateException if the owner has the lock already; the body was not executed
 * @throws io.boltwork.LeaseLostException if the lock was lost
 * @throws io.boltwork.BackendException if the backend gave no answer, as for [FencedLock.lock]
 * @throws UnsupportedOperationException if this is a read lock, a write lock or a multi-lock
 * @since 0.1.0
 */
public suspend fun <T> FencedLock.withLockWhen(
    condition: String,
    isReady: suspend () -> Boolean,
    body: suspend CoroutineScope.() -> T,
): T {
    val own = owned()
    val signals = own.condition(condition)
    check(own.holdCount() == 0) {
        "The lock '${name()}' is held already by ${own.owner().get()}: take it by withLockWhen only, or give this" +
            " coroutine an owner of its own by asContextElement()"
    }
    var isHeld = false
    val outcome = runCatching {
        runInterruptible(Dispatchers.IO) {
            own.lockInterruptibly()
            isHeld = true
        }
        withContext(own.owner().get().asContextElement()) {
            while (!isReady()) {
                runInterruptible(Dispatchers.IO) { signals.await() }
            }
            coroutineScope(body)
        }
    }
    if (isHeld) {
        val release = runCatching { withContext(NonCancellable + Dispatchers.IO) { own.unlock() } }
        if (outcome.isSuccess) {
            release.getOrThrow()
        } else {
            release.exceptionOrNull()?.let { outcome.exceptionOrNull()!!.addSuppressed(it) }
        }
    }
    return outcome.getOrThrow()
}

/**
 * Wakes one that waits for a condition of this lock, in any JVM. To be called in the body of [withLock] or
 * [withLockWhen]. The signal is sent with the release of the lock.
 *
 * @param condition the name of the condition
 * @throws IllegalMonitorStateException if this coroutine does not have the lock
 * @throws io.boltwork.LeaseLostException if the lock was lost
 * @since 0.1.0
 */
public suspend fun FencedLock.signal(condition: String): Unit = owned().condition(condition).signal()

/**
 * Wakes all that wait for a condition of this lock. Otherwise like [signal].
 *
 * @param condition the name of the condition
 * @since 0.1.0
 */
public suspend fun FencedLock.signalAll(condition: String): Unit = owned().condition(condition).signalAll()
