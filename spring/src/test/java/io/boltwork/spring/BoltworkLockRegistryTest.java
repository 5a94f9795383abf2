// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/** Tests the behaviour that Spring Integration documents for its lock registries. */
class BoltworkLockRegistryTest {
    private final LockClient locks = LockClient.create(MemoryBackend.create());
    private final BoltworkLockRegistry registry = new BoltworkLockRegistry(locks, "int:");
    private final DistributedLock lock = registry.obtain("orders");

    @AfterEach
    void close() {
        locks.close();
    }

    @Test
    void eachKeyHasOneReentrantLock() {
        assertThat(registry.obtain("orders")).isEqualTo(lock).isNotEqualTo(registry.obtain("invoices"));
        lock.lock();
        registry.obtain("orders").lock();
        assertThat(locks.lock("int:orders").holdCount()).isEqualTo(2);
        lock.unlock();
        lock.unlock();
        assertThat(locks.lock("int:orders").isLocked()).isFalse();
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> registry.obtain(5));
    }

    @Test
    void otherThreadsWaitOrAreRefused() throws Exception {
        lock.lock();
        assertThat(elsewhere(() -> lock.tryLock())).isFalse();
        assertThat(elsewhere(() -> lock.tryLock(10, TimeUnit.MILLISECONDS))).isFalse();
        assertThat(elsewhere(() -> lock.tryLock(Duration.ofMillis(10), Duration.ofSeconds(9))))
                .isFalse();
        assertThat(elsewhere(() -> {
                    try {
                        registry.executeLocked("orders", Duration.ofMillis(10), () -> "done");
                        return false;
                    } catch (TimeoutException refused) {
                        return true;
                    }
                }))
                .isTrue();
        lock.unlock();
        assertThat(registry.executeLocked("orders", () -> "done")).isEqualTo("done");
        assertThat(elsewhere(() -> {
                    boolean taken = lock.tryLock();
                    lock.unlock();
                    return taken;
                }))
                .isTrue();
    }

    @Test
    void leaseOfARegistryLockMayBeSet() throws Exception {
        lock.lock(Duration.ofSeconds(9));
        assertThat(locks.lock("int:orders").currentLease().orElseThrow().remaining())
                .isLessThan(Duration.ofSeconds(9))
                .isGreaterThan(Duration.ofSeconds(1));
        lock.unlock();
    }

    @Test
    void tryLockWaitsAndSetsTheLease() throws Exception {
        Lease other = CompletableFuture.supplyAsync(
                        () -> locks.lock("int:orders").acquire())
                .join();
        CompletableFuture<Void> released = CompletableFuture.runAsync(() -> {
            Await.until("this thread waits", () -> locks.waiting() == 1);
            other.release();
        });
        assertThat(lock.tryLock(Slack.seconds(30), Duration.ofSeconds(9))).isTrue();
        assertThat(remaining()).as("30 s by default").isLessThanOrEqualTo(Duration.ofSeconds(9));
        lock.unlock();
        released.join();
    }

    @Test
    void renewingExtendsAFixedLease() {
        RenewableLockRegistry<DistributedLock> renewable = registry;
        lock.lock(Duration.ofMillis(400));
        renewable.renewLock("orders", Duration.ofSeconds(50));
        assertThat(remaining()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(51));
        renewable.renewLock("orders", Duration.ofSeconds(1));
        assertThat(remaining()).as("the lease is not shortened").isGreaterThan(Duration.ofSeconds(10));
        lock.unlock();
        lock.lock(Duration.ofSeconds(9));
        renewable.renewLock("orders");
        assertThat(remaining()).as("the registry's lease: 30 s").isGreaterThan(Duration.ofSeconds(10));
        lock.unlock();
    }

    private Duration remaining() {
        return locks.lock("int:orders").currentLease().orElseThrow().remaining();
    }

    @Test
    void onlyTheHoldingThreadMayRenew() throws Exception {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> registry.renewLock("orders"))
                .withMessageContaining("int:orders");
        lock.lock();
        assertThat(elsewhere(() -> {
                    try {
                        registry.renewLock("orders", Duration.ofSeconds(9));
                        return false;
                    } catch (IllegalStateException notHeld) {
                        return true;
                    }
                }))
                .isTrue();
        locks.inspector().forceRelease("int:orders");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> registry.renewLock("orders"))
                .withCauseInstanceOf(LeaseLostException.class);
        assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
        assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> registry.renewLock(5));
    }

    @Test
    void unlockWithoutOrAfterALostHoldFails() {
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lock::unlock);
        lock.lock();
        locks.inspector().forceRelease("int:orders");
        assertThatExceptionOfType(ConcurrentModificationException.class)
                .isThrownBy(lock::unlock)
                .withCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    @SuppressWarnings("WaitNotInLoop") // one wait is enough
    void locksHaveConditions() throws InterruptedException {
        lock.lock();
        assertThat(lock.newCondition().await(10, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(locks.lock("int:orders").isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }

    private interface Body {
        boolean run() throws Exception;
    }

    private static boolean elsewhere(Body body) throws Exception {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                answer.complete(body.run());
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
        });
        thread.start();
        thread.join(10_000);
        return answer.get(1, TimeUnit.SECONDS);
    }
}
