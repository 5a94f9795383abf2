// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.kotlin

import io.boltwork.Lease
import io.boltwork.annotation.DistributedLock
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow

/** A service whose functions are executed under locks. */
open class Checkout(private val storage: Storage) {
    // @start region="suspend"
    @DistributedLock(name = "stock", keys = ["#item"], waitFor = "2s")
    open suspend fun buy(item: String, lease: Lease? = null) {
        storage.write(item, lease!!.fencingToken())
    }

    @DistributedLock("import")
    open fun rows(): Flow<String> = flow {
        for (row in 1..3) {
            emit("row $row")
        }
    }
    // @end
}
