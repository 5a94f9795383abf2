// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.kotlin

import io.boltwork.FencedLock
import io.boltwork.Lease
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext

// @start region="with-lease"
/** Runs [body] under this lock. A cancellation withdraws the request, or ends the body and releases the lock. */
suspend fun <T> FencedLock.withLease(body: suspend (Lease) -> T): T {
    val request = acquireAsync().toCompletableFuture()
    val lease = try {
        request.await()
    } catch (e: CancellationException) {
        request.thenAccept { it.releaseAsync() } // a lease that came at the last moment
        throw e
    }
    try {
        return body(lease)
    } finally {
        withContext(NonCancellable) { lease.releaseAsync().await() }
    }
}
// @end
