// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.LockOptions;

/** A read-write lock whose sides record the calls of their threads. */
final class RecordedReadWriteLock implements FencedReadWriteLock {
    private final FencedReadWriteLock lock;
    private final HistoryWriter history;

    RecordedReadWriteLock(FencedReadWriteLock lock, HistoryWriter history) {
        this.lock = lock;
        this.history = history;
    }

    @Override
    public String name() {
        return lock.name();
    }

    @Override
    public FencedLock readLock() {
        return new RecordedLock(lock.readLock(), RecordedShare.READ, history);
    }

    @Override
    public FencedLock writeLock() {
        return new RecordedLock(lock.writeLock(), RecordedShare.WRITE, history);
    }

    @Override
    public FencedReadWriteLock withOptions(LockOptions options) {
        return new RecordedReadWriteLock(lock.withOptions(options), history);
    }

    @Override
    public String toString() {
        return lock.toString();
    }
}
