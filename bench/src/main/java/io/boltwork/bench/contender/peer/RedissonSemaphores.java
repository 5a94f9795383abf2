// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.peer;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.JavaLock;
import io.boltwork.bench.contender.Setting;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/**
 * Redisson's semaphores, configured as {@link RedissonLocks}. Permits of {@code getSemaphore} have no lease. Those of
 * {@code getPermitExpirableSemaphore} get the lease of the setting, which Redisson does not renew. A semaphore's key
 * stays, so it has a name that no lock has.
 */
public final class RedissonSemaphores implements Contender {
    private final RedissonClient client;
    private final long leaseMillis;
    private final boolean expire;
    private final ConcurrentMap<String, RSemaphore> lasting = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, RPermitExpirableSemaphore> expiring = new ConcurrentHashMap<>();

    private RedissonSemaphores(Setting setting, boolean expire) {
        this.client = RedissonLocks.connect(setting);
        this.leaseMillis = setting.lease().toMillis();
        this.expire = expire;
    }

    public static Contender lasting(Setting setting) {
        return new RedissonSemaphores(setting, false);
    }

    public static Contender expiring(Setting setting) {
        return new RedissonSemaphores(setting, true);
    }

    @Override
    public BenchLock lock(String name) {
        return new JavaLock(client.getLock(name));
    }

    @Override
    public BenchLock permit(String name, int permits) {
        return expire
                ? new Expiring(expiring.computeIfAbsent(name, unknown -> {
                    RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore("expiring:" + unknown);
                    semaphore.trySetPermits(permits);
                    return semaphore;
                }))
                : new Lasting(lasting.computeIfAbsent(name, unknown -> {
                    RSemaphore semaphore = client.getSemaphore("lasting:" + unknown);
                    semaphore.trySetPermits(permits);
                    return semaphore;
                }));
    }

    @Override
    public void close() {
        client.shutdown();
    }

    private static IllegalStateException interrupted(InterruptedException cause) {
        return new IllegalStateException("No thread of the bench is interrupted", cause);
    }

    private record Lasting(RSemaphore semaphore) implements BenchLock {
        @Override
        public void lock() {
            try {
                semaphore.acquire();
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }

        @Override
        public boolean tryLock(Duration wait) throws InterruptedException {
            return semaphore.tryAcquire(wait);
        }

        @Override
        public void unlock() {
            semaphore.release();
        }
    }

    private final class Expiring implements BenchLock {
        private final RPermitExpirableSemaphore semaphore;
        private @Nullable String permit;

        Expiring(RPermitExpirableSemaphore semaphore) {
            this.semaphore = semaphore;
        }

        @Override
        public void lock() {
            try {
                permit = semaphore.acquire(leaseMillis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }

        @Override
        public boolean tryLock(Duration wait) throws InterruptedException {
            permit = semaphore.tryAcquire(wait.toMillis(), leaseMillis, TimeUnit.MILLISECONDS);
            return permit != null;
        }

        @Override
        public void unlock() {
            semaphore.release(Objects.requireNonNull(permit));
        }
    }
}
