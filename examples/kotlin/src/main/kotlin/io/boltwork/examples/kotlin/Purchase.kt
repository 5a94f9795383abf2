// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.kotlin

import io.boltwork.LockClient
import io.boltwork.kotlin.leadership
import io.boltwork.kotlin.signal
import io.boltwork.kotlin.withLock
import io.boltwork.kotlin.withLockOrNull
import io.boltwork.kotlin.withLockWhen
import io.boltwork.kotlin.withPermit
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.flow.collectLatest

/** A storage that refuses tokens smaller than the last one. */
interface Storage {
    suspend fun write(row: String, token: Long)
}

/** Writes under a lock, after waiting for at most two seconds. */
suspend fun purchase(locks: LockClient, storage: Storage) {
    // @start region="with-lock"
    locks.lock("stock:1001").withLock(2.seconds) { lease ->
        storage.write("stock:1001", lease.fencingToken())
    }
    // @end
}

/** Moves an amount if no other transfer uses the accounts; returns `null` if one does. */
suspend fun transfer(locks: LockClient, storage: Storage): Unit? {
    // @start region="or-null"
    val from = locks.lock("account:1")
    val to = locks.lock("account:2")
    val done = locks.multiLock(from, to).withLockOrNull { both ->
        storage.write("account:1", both.of(from).fencingToken())
        storage.write("account:2", both.of(to).fencingToken())
    }
    // @end
    return done
}

/** Uploads with one of three permits. */
suspend fun upload(locks: LockClient, send: suspend () -> Unit) {
    // @start region="with-permit"
    locks.semaphore("uploads", 3).withPermit { send() }
    // @end
}

/** Takes from a buffer that other instances fill. */
suspend fun take(locks: LockClient, buffer: MutableList<String>): String {
    // @start region="condition"
    val lock = locks.lock("buffer")
    return lock.withLockWhen("notEmpty", { buffer.isNotEmpty() }) {
        lock.signal("notFull") // sent with the release
        buffer.removeFirst()
    }
    // @end
}

/** Writes reports while this instance leads. */
suspend fun reports(locks: LockClient, report: suspend (Long) -> Unit) {
    // @start region="leader"
    locks.lock("reports").leadership().collectLatest { lease ->
        if (lease != null) report(lease.fencingToken()) // cancelled when this instance no longer leads
    }
    // @end
}
