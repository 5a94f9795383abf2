// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.testkit.wait.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Uses a real database: the next holder of the lock sees all earlier commits. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {"boltwork.backend=memory", "spring.datasource.url=jdbc:h2:mem:stock"})
class TransactionTest {
    private static final int BUYERS = 40;

    @Autowired
    Warehouse warehouse;

    @Autowired
    JdbcTemplate database;

    @Autowired
    TransactionTemplate transactions;

    @Autowired
    LockClient locks;

    @Autowired
    MemoryBackend memory;

    private LockClient other;

    @BeforeEach
    void openAnother() {
        other = LockClient.create(MemoryBackend.on(memory.server()));
    }

    @AfterEach
    void closeAnother() {
        other.close();
    }

    @Test
    void lockCoversTheCommitInEitherAnnotationOrder() throws Exception {
        assertThat(sold(warehouse::lockFirst)).isEqualTo(10);
        assertThat(sold(warehouse::transactionalFirst)).isEqualTo(10);
        assertThat(warehouse.heldAfterCommit()).hasSize(2 * BUYERS).containsOnly(true);
    }

    @Test
    void callersTransactionKeepsTheLockUntilItCompletes() throws Exception {
        assertThat(sold(() -> transactions.execute(status -> {
                    boolean bought = warehouse.inner();
                    assertThat(locks.lock("stock").isHeldByCurrentThread()).isTrue();
                    return bought;
                })))
                .isEqualTo(10);
        assertThat(locks.lock("stock").isLocked()).isFalse();
    }

    @Test
    void lossBeforeTheCommitRollsBack() {
        fill();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> transactions.executeWithoutResult(status -> {
                    warehouse.innerThatLoses();
                }));
        assertThat(stock()).isEqualTo(10);
        assertThat(locks.lock("lost").isLocked()).isFalse();
    }

    @Test
    void forcedReleaseIsDetectedBeforeTheCommit() {
        fill();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> transactions.executeWithoutResult(status -> {
                    warehouse.inner();
                    assertThat(other.inspector().forceRelease("stock")).isTrue();
                }));
        assertThat(stock()).isEqualTo(10);
        assertThat(locks.lock("stock").isLocked()).isFalse();
    }

    @Test
    void commitsDuringAnOutageWhileTheLeaseIsValid() {
        fill();
        try {
            transactions.executeWithoutResult(status -> {
                warehouse.inner();
                memory.server().freeze();
            });
        } finally {
            memory.server().thaw();
        }
        assertThat(stock()).isEqualTo(9);
        Await.until("the lock is free", () -> !locks.lock("stock").isLocked());
    }

    @Test
    void newTransactionReleasesTheLockAfterTheMethod() {
        fill();
        transactions.executeWithoutResult(status -> {
            for (Runnable apart : List.<Runnable>of(warehouse::requiresNew, warehouse::notSupported)) {
                apart.run();
                assertThat(locks.lock("apart").isLocked()).isFalse();
                assertThat(locks.lock("apart").isHeldByCurrentThread()).isFalse();
            }
        });
        warehouse.never();
        assertThat(locks.lock("apart").isLocked()).isFalse();
    }

    @Test
    void batchesOfOwnTransactionsDoNotWaitForEachOther() throws Exception {
        fill();
        CyclicBarrier firstDone = new CyclicBarrier(2);
        ExecutorService batches = Executors.newFixedThreadPool(2);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (List<String> batch : List.of(List.of("a", "b"), List.of("b", "a"))) {
                all.add(batches.submit(() -> transactions.executeWithoutResult(status -> {
                    warehouse.each(batch.get(0));
                    meet(firstDone);
                    warehouse.each(batch.get(1));
                })));
            }
            for (Future<?> batch : all) {
                batch.get(20, TimeUnit.SECONDS);
            }
        } finally {
            batches.shutdownNow();
        }
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anyResultInTheCallersTransactionKeepsTheLock() {
        CompletableFuture<String> work = new CompletableFuture<>();
        transactions.executeWithoutResult(status -> {
            assertThat(warehouse.any("done")).isEqualTo("done");
            assertThat(locks.lock("any").isHeldByCurrentThread()).isTrue();
            warehouse.any(work);
        });
        assertThat(locks.lock("any").isLocked()).isTrue();
        work.complete("done");
        Await.until("the lock is free", () -> !locks.lock("any").isLocked());
    }

    @Test
    void transactionKeepsNoPermits() {
        transactions.executeWithoutResult(status -> {
            assertThat(warehouse.limited() + warehouse.limited()).isZero();
            assertThat(locks.semaphore("limited", 1).availablePermits()).isEqualTo(1);
        });
    }

    private int sold(Callable<Boolean> purchase) throws Exception {
        fill();
        ExecutorService buyers = Executors.newFixedThreadPool(8);
        try {
            List<Future<Boolean>> all = buyers.invokeAll(
                    IntStream.range(0, BUYERS).mapToObj(i -> purchase).toList());
            int sold = 0;
            for (Future<Boolean> each : all) {
                sold += each.get() ? 1 : 0;
            }
            assertThat(stock()).isZero();
            return sold;
        } finally {
            buyers.shutdownNow();
        }
    }

    private void fill() {
        database.execute("create table if not exists stock (left_over int)");
        database.execute("delete from stock");
        database.execute("insert into stock values (10)");
    }

    private int stock() {
        return database.queryForObject("select left_over from stock", Integer.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Warehouse.class)
    static class App {}

    static class Warehouse {
        private final List<Boolean> heldAfterCommit = new CopyOnWriteArrayList<>();

        @Autowired
        JdbcTemplate database;

        @Autowired
        LockClient locks;

        public List<Boolean> heldAfterCommit() {
            return heldAfterCommit;
        }

        @DistributedLock("stock")
        @Transactional
        public boolean lockFirst() {
            return buy();
        }

        @Transactional
        @DistributedLock("stock")
        public boolean transactionalFirst() {
            return buy();
        }

        @DistributedLock("stock")
        public boolean inner() {
            return decrease();
        }

        @DistributedLock("apart")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void requiresNew() {
            assertThat(locks.lock("apart").isHeldByCurrentThread()).isTrue();
        }

        @DistributedLock("apart")
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public void notSupported() {
            assertThat(locks.lock("apart").isHeldByCurrentThread()).isTrue();
        }

        @DistributedLock("apart")
        @Transactional(propagation = Propagation.NEVER)
        public void never() {
            assertThat(locks.lock("apart").isHeldByCurrentThread()).isTrue();
        }

        @DistributedLock("each:#{#item}")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void each(String item) {}

        @DistributedLock(name = "limited", permits = 1)
        public int limited() {
            return locks.semaphore("limited", 1).availablePermits();
        }

        @DistributedLock("any")
        public Object any(Object result) {
            return result;
        }

        @DistributedLock("lost")
        public void innerThatLoses() {
            decrease();
            locks.inspector().forceRelease("lost");
            io.boltwork.testkit.wait.Await.until(
                    "the loss is known", () -> !locks.lock("lost").isHeldByCurrentThread() || extended());
        }

        /** Extends the lease at the backend, which reports the forced release. Returns whether the lease is lost. */
        private boolean extended() {
            try {
                locks.lock("lost").currentLease().orElseThrow().extend(java.time.Duration.ofSeconds(60));
                return false;
            } catch (LeaseLostException lost) {
                return true;
            }
        }

        private boolean buy() {
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    heldAfterCommit.add(locks.lock("stock").isHeldByCurrentThread());
                }
            });
            return decrease();
        }

        /** Reads and writes separately: without the lock, two callers would sell the same item. */
        private boolean decrease() {
            int left = database.queryForObject("select left_over from stock", Integer.class);
            if (left > 0) {
                database.update("update stock set left_over = ?", left - 1);
            }
            return left > 0;
        }
    }
}
