// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.kotlin

import io.boltwork.LockClient
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.withTimeoutOrNull

/** A storage that refuses tokens smaller than the last one. */
interface Storage {
    suspend fun write(row: String, token: Long)
}

/** Writes under a lock, after waiting for at most two seconds; returns whether the row was written. */
suspend fun purchase(locks: LockClient, storage: Storage): Boolean {
    // @start region="coroutine"
    val written = withTimeoutOrNull(2.seconds) {
        locks.lock("stock:1001").withLease { lease -> storage.write("stock:1001", lease.fencingToken()) }
    }
    // @end
    return written != null
}
