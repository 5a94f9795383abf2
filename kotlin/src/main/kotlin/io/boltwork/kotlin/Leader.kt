// SPDX-License-Identifier: Apache-2.0
package io.boltwork.kotlin

import io.boltwork.BackendException
import io.boltwork.FencedLock
import io.boltwork.Lease
import kotlin.random.Random
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext

/** The longest first pause in milliseconds: an election is not urgent while the backend is down. */
private const val FIRST_PAUSE = 500L

/** The doublings of the pause, up to 32 s: longer pauses would delay an election after the outage. */
private const val DOUBLINGS = 6

/**
 * Stands for election while the flow is collected: of all candidates with this lock, in all JVMs, one leads at a time.
 * Emits the lease when this candidate is elected, and `null` when it no longer leads, because the lease was lost. Then
 * it stands again. The lease's fencing token tells old leaders from new ones.
 *
 * With `collectLatest`, `null` ends the work of the leader. The lock is released after the collector has received
 * `null` and the work has ended, or when the collection is cancelled. Each collector is a candidate of its own. The
 * flow never completes. If the backend gives no answer, it asks again after a pause that grows from half a second to
 * half a minute. It fails with an error that waiting cannot heal.
 *
 * [io.boltwork.Leadership] is the same for listeners, and can also yield.
 *
 * @return the flow, which is cold
 * @since 0.1.0
 */
public fun FencedLock.leadership(): Flow<Lease?> = flow {
    var failures = 0
    while (true) {
        val lease = try {
            take(Duration.INFINITE)
        } catch (outage: BackendException) {
            if (!outage.isRetryable) throw outage
            val longest = FIRST_PAUSE shl failures.coerceAtMost(DOUBLINGS)
            failures++
            delay((longest / 2 + Random.nextLong(longest / 2)).milliseconds)
            null
        } ?: continue
        failures = 0
        try {
            emit(lease)
            lease.whenLost().thenApply { it }.await() // a copy: the cancellation of a collector cancels what it awaits
            emit(null)
        } finally {
            withContext(NonCancellable) { runCatching { lease.releaseAsync().await() } }
        }
    }
}
