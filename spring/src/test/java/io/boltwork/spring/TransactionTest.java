package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** With a real database: who gets the lock next sees what was committed before. */
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

    @Test
    void lockBeforeTransactionalAndAfterIt() throws Exception {
        assertThat(sold(warehouse::lockFirst)).isEqualTo(10);
        assertThat(sold(warehouse::transactionalFirst)).isEqualTo(10);
        assertThat(warehouse.heldAfterCommit()).hasSize(2 * BUYERS).containsOnly(true);
    }

    @Test
    void theCallersTransactionKeepsTheLockUntilItHasCompleted() throws Exception {
        assertThat(sold(() -> transactions.execute(status -> {
                    boolean bought = warehouse.inner();
                    assertThat(locks.lock("stock").isHeldByCurrentThread()).isTrue();
                    return bought;
                })))
                .isEqualTo(10);
        assertThat(locks.lock("stock").isLocked()).isFalse();
    }

    @Test
    void aLeaseThatIsLostBeforeTheCommitRollsBack() {
        fill();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> transactions.executeWithoutResult(status -> {
                    warehouse.innerThatLoses();
                }));
        assertThat(stock()).isEqualTo(10);
        assertThat(locks.lock("lost").isLocked()).isFalse();
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

        @DistributedLock("lost")
        public void innerThatLoses() {
            decrease();
            locks.inspector().forceRelease("lost");
            io.boltwork.testkit.Await.until("told", () -> !locks.lock("lost").isHeldByCurrentThread() || extended());
        }

        /** Asks the backend, which says that the lease was taken away. */
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

        /** Reads and writes apart: without the lock, two would sell the same one. */
        private boolean decrease() {
            int left = database.queryForObject("select left_over from stock", Integer.class);
            if (left > 0) {
                database.update("update stock set left_over = ?", left - 1);
            }
            return left > 0;
        }
    }
}
