package io.boltwork.bench;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;

/** No distributed lock, but the JDK's fair one, of this JVM: what this machine's threads need to hand a lock to each other. */
final class LocalLocks implements Contender {
    private final ConcurrentMap<String, BenchLock> locks = new ConcurrentHashMap<>();

    @Override
    public BenchLock lock(String name) {
        return locks.computeIfAbsent(name, n -> new JavaLock(new ReentrantLock(true)));
    }

    @Override
    public void close() {}
}
