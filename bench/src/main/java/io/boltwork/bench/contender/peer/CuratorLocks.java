// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.peer;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.Setting;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Curator's {@link InterProcessMutex}, with the retry policy of its documentation. A lock lasts as long as its session.
 */
public final class CuratorLocks implements Contender {
    private static final int BASE_SLEEP_MILLIS = 1_000;
    private static final int RETRIES = 3;

    private final CuratorFramework client;

    public CuratorLocks(Setting setting) {
        client = CuratorFrameworkFactory.newClient(
                setting.uri(), new ExponentialBackoffRetry(BASE_SLEEP_MILLIS, RETRIES));
        client.start();
        try {
            client.blockUntilConnected();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", e);
        }
    }

    @Override
    public BenchLock lock(String name) {
        return new Mutex(new InterProcessMutex(client, "/locks/" + name));
    }

    private record Mutex(InterProcessMutex inner) implements BenchLock {
        @Override
        public void lock() {
            try {
                inner.acquire();
            } catch (Exception e) {
                throw new IllegalStateException("The lock was not acquired", e);
            }
        }

        @Override
        public boolean tryLock(Duration wait) throws InterruptedException {
            try {
                return inner.acquire(wait.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException("The lock was not acquired", e);
            }
        }

        @Override
        public void unlock() {
            try {
                inner.release();
            } catch (Exception e) {
                throw new IllegalStateException("The lock was not released", e);
            }
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
