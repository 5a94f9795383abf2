// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.Lease;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.engine.locks.EngineReadWriteLock;
import java.util.concurrent.CompletableFuture;

/** A {@link SharedScene} with a read-write lock. */
abstract class ReadWriteScene extends SharedScene {

    final EngineReadWriteLock lock = new EngineReadWriteLock(client.engine, NAME, TEN);

    ReadWriteScene() {
        super(LockKind.READ_WRITE);
    }

    CompletableFuture<Lease> reads() {
        return reads(TEN);
    }

    CompletableFuture<Lease> reads(LockOptions options) {
        return lock.withOptions(options).readLock().acquireAsync().toCompletableFuture();
    }

    CompletableFuture<Lease> writes() {
        return writes(TEN);
    }

    CompletableFuture<Lease> writes(LockOptions options) {
        return lock.withOptions(options).writeLock().acquireAsync().toCompletableFuture();
    }
}
