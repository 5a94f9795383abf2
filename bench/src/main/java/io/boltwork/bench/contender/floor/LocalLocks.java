// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.floor;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.JavaLock;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The JDK's fair lock of this JVM, not a distributed lock. It shows how long threads of this machine take to hand over
 * a lock.
 */
public final class LocalLocks implements Contender {
    private final ConcurrentMap<String, BenchLock> locks = new ConcurrentHashMap<>();

    @Override
    public BenchLock lock(String name) {
        return locks.computeIfAbsent(name, n -> new JavaLock(new ReentrantLock(true)));
    }

    @Override
    public void close() {}
}
