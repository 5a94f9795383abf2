// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests {@link LockTemplate} and the lock registry in transactions of a real database. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {"boltwork.backend=memory", "spring.datasource.url=jdbc:h2:mem:template"})
class TemplateTransactionTest {
    private static final int BUYERS = 40;

    @Autowired
    JdbcTemplate database;

    @Autowired
    TransactionTemplate transactions;

    @Autowired
    PlatformTransactionManager manager;

    @Autowired
    LockTemplate template;

    @Autowired
    BoltworkLockRegistry registry;

    @Autowired
    LockClient locks;

    @BeforeEach
    void fill() {
        database.execute("create table if not exists stock (left_over int)");
        database.execute("delete from stock");
        database.execute("insert into stock values (10)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lease", "supplier", "write", "nested", "registry", "registry executes"})
    void callersTransactionKeepsTheLockUntilItCompletes(String form) throws Exception {
        Map<String, BooleanSupplier> forms = Map.of(
                "lease", () -> template.execute("stock", (Lease lease) -> decrease()),
                "supplier", () -> template.execute("stock", this::decrease),
                "write", () -> template.withWriteLock().execute("stock", this::decrease),
                "nested", () -> template.execute("stock", () -> template.execute("stock", (Lease lease) -> decrease())),
                "registry", () -> decreaseUnder(registry.obtain("stock")),
                "registry executes", () -> executeLocked(this::decrease));
        BooleanSupplier purchase = forms.get(form);
        ExecutorService buyers = Executors.newFixedThreadPool(8);
        try {
            List<Future<Boolean>> all = buyers.invokeAll(IntStream.range(0, BUYERS)
                    .mapToObj(i -> inTransaction(purchase))
                    .toList());
            int sold = 0;
            for (Future<Boolean> each : all) {
                sold += each.get(20, TimeUnit.SECONDS) ? 1 : 0;
            }
            assertThat(sold).isEqualTo(10);
        } finally {
            buyers.shutdownNow();
        }
        assertThat(stock()).isZero();
        assertFree("stock");
    }

    private Callable<Boolean> inTransaction(BooleanSupplier purchase) {
        return () -> transactions.execute(status -> {
            boolean bought = purchase.getAsBoolean();
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isTrue();
            return bought;
        });
    }

    private boolean decreaseUnder(DistributedLock lock) {
        lock.lock();
        try {
            return decrease();
        } finally {
            lock.unlock();
        }
    }

    private boolean executeLocked(BooleanSupplier purchase) {
        try {
            return registry.executeLocked("stock", purchase::getAsBoolean);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads and writes separately: without the lock, two callers would sell the same item. */
    private boolean decrease() {
        int left = stock();
        if (left > 0) {
            database.update("update stock set left_over = ?", left - 1);
        }
        return left > 0;
    }

    private int stock() {
        return database.queryForObject("select left_over from stock", Integer.class);
    }

    private void assertFree(String name) {
        assertThat(locks.lock(name).isLocked()).isFalse();
        assertThat(locks.lock(name).isHeldByCurrentThread()).isFalse();
    }

    private void assertHeld(String name) {
        assertThat(locks.lock(name).isHeldByCurrentThread()).as("held: " + name).isTrue();
    }

    @Test
    void failedActionLeavesTheLockToTheTransaction() {
        transactions.executeWithoutResult(status -> {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> template.execute("stock", () -> {
                        decrease();
                        throw new IllegalStateException("own");
                    }))
                    .withMessage("own");
            assertHeld("stock");
        });
        assertThat(stock()).isEqualTo(9);
        assertFree("stock");
    }

    @Test
    void rollbackReleasesTheLock() {
        transactions.executeWithoutResult(status -> {
            template.execute("stock", this::decrease);
            status.setRollbackOnly();
        });
        assertThat(stock()).isEqualTo(10);
        assertFree("stock");
    }

    @Test
    void lossAfterTheActionRollsBack() {
        for (Runnable purchase : List.<Runnable>of(
                () -> template.execute("stock", this::decrease), () -> decreaseUnder(registry.obtain("stock")))) {
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(() -> transactions.executeWithoutResult(status -> {
                        purchase.run();
                        assertThat(locks.inspector().forceRelease("stock")).isTrue();
                    }));
            assertThat(stock()).isEqualTo(10);
            assertFree("stock");
        }
    }

    @Test
    void lockIsHeldWhenOtherCodeLearnsOfTheCommit() {
        transactions.executeWithoutResult(status -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    assertHeld("stock");
                    assertHeld("orders");
                    template.execute("stock", () -> true); // reentrant
                    template.execute("late", () -> true);
                    assertHeld("late");
                }

                @Override
                public void afterCompletion(int how) {
                    template.execute("after", () -> true);
                    assertFree("after");
                }
            });
            template.execute("stock", this::decrease);
            decreaseUnder(registry.obtain("orders"));
        });
        List.of("stock", "orders", "late").forEach(this::assertFree);
    }

    @Test
    void transactionOfTheActionIsNotTheCallers() {
        boolean bought = template.execute("stock", () -> transactions.execute(status -> decrease()));
        assertThat(bought).isTrue();
        assertFree("stock");
    }

    @Test
    void innerTransactionKeepsOnlyItsOwnLocks() {
        TransactionTemplate requiresNew = new TransactionTemplate(manager);
        requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        TransactionTemplate notSupported = new TransactionTemplate(manager);
        notSupported.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
        transactions.executeWithoutResult(outer -> {
            template.execute("outer", () -> true);
            requiresNew.executeWithoutResult(inner -> {
                template.execute("inner", () -> true);
                template.execute("outer", () -> true);
                assertHeld("inner");
            });
            assertFree("inner");
            notSupported.executeWithoutResult(none -> {
                template.execute("none", () -> true);
                assertFree("none");
            });
            assertHeld("outer");
        });
        assertFree("outer");
    }

    @Test
    void savepointIsNoEnd() {
        TransactionTemplate nested = new TransactionTemplate(manager);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        transactions.executeWithoutResult(outer -> {
            nested.executeWithoutResult(inner -> template.execute("nested", () -> true));
            assertHeld("nested");
            nested.executeWithoutResult(inner -> {
                template.execute("rolled back", () -> true);
                inner.setRollbackOnly();
            });
            assertHeld("rolled back");
        });
        List.of("nested", "rolled back").forEach(this::assertFree);
    }

    @Test
    void manyCallsWithOneLockAreKeptOnce() {
        transactions.executeWithoutResult(status -> {
            for (int i = 0; i < 100; i++) {
                template.execute("stock", () -> true);
                decreaseUnder(registry.obtain("stock"));
                assertThat(locks.lock("stock").holdCount()).isEqualTo(1);
            }
            assertThat(TransactionSynchronizationManager.getSynchronizations()).hasSizeLessThan(5);
        });
        assertFree("stock");
    }

    @Test
    void asynchronousActionIsRefusedInATransaction() {
        boolean[] ran = new boolean[1];
        transactions.executeWithoutResult(status -> {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> template.executeAsync("stock", lease -> {
                        ran[0] = true;
                        return CompletableFuture.completedFuture(true);
                    }))
                    .withMessageContainingAll("'stock'", "transaction", "withReleaseBeforeCommit()");
            assertThat(template.withReleaseBeforeCommit()
                            .executeAsync("stock", lease -> CompletableFuture.completedFuture("done"))
                            .orTimeout(20, TimeUnit.SECONDS)
                            .join())
                    .isEqualTo("done");
        });
        assertThat(ran[0]).isFalse();
    }

    @Test
    void lockIsReleasedBeforeTheCommitOnRequest() {
        transactions.executeWithoutResult(status -> {
            template.withReleaseBeforeCommit().execute("stock", () -> true);
            template.withReleaseBeforeCommit().withWriteLock().execute("stock", (Lease lease) -> true);
            decreaseUnder(registry.withReleaseBeforeCommit().obtain("stock"));
            assertFree("stock");
            assertThat(locks.readWriteLock("stock").writeLock().isLocked()).isFalse();
        });
    }

    @Test
    void transactionKeepsNoPermits() {
        transactions.executeWithoutResult(status -> {
            for (int i = 0; i < 2; i++) {
                template.withPermits(1).execute("limited", () -> true);
            }
            assertThat(locks.semaphore("limited", 1).availablePermits()).isEqualTo(1);
        });
    }

    @Test
    void unlockedRegistryLockCanBeLockedAgainInItsTransaction() throws Exception {
        DistributedLock lock = registry.obtain("stock");
        FencedLock fenced = locks.lock("stock");
        transactions.executeWithoutResult(status -> {
            lock.lock();
            long token = fenced.currentLease().orElseThrow().fencingToken();
            lock.unlock();
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(lock::unlock);
            assertThat(fenced.holdCount()).isEqualTo(1);
            assertThat(CompletableFuture.supplyAsync(lock::tryLock).join()).isFalse();
            assertThat(lock.tryLock()).isTrue();
            assertThat(fenced.currentLease().orElseThrow().fencingToken()).isEqualTo(token);
            lock.unlock();
        });
        assertFree("stock");
    }

    @Test
    void registryLockThatIsLockedOutsideIsReleasedOutside() {
        DistributedLock lock = registry.obtain("stock");
        lock.lock();
        transactions.executeWithoutResult(status -> {
            lock.lock();
            lock.unlock();
        });
        assertHeld("stock");
        lock.unlock();
        assertFree("stock");
    }

    @Test
    void unlockReportsAKnownLossInATransaction() {
        DistributedLock lock = registry.obtain("stock");
        transactions.executeWithoutResult(status -> {
            lock.lock();
            locks.inspector().forceRelease("stock");
            Lease lease = locks.lock("stock").currentLease().orElseThrow();
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::verify);
            assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(lock::unlock);
        });
        assertFree("stock");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}
}
