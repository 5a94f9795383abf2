// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static io.boltwork.examples.Database.query;
import static io.boltwork.examples.Database.transact;
import static io.boltwork.examples.Database.update;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.fence.JdbcFence;
import io.boltwork.fence.StaleTokenException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Guards on real databases, at each isolation level, with concurrent writers. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class DatabaseGuardTest {
    private static final int WRITERS = 4;
    private static final int WRITES = 40;

    private final JdbcFence fence = JdbcFence.defaults();
    private final JdbcFence column = JdbcFence.column("counter", "id", "token");
    private final String resource = "r" + UUID.randomUUID();

    /** The isolation levels. */
    enum Isolation {
        READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
        REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
        SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

        final int level;

        Isolation(int level) {
            this.level = level;
        }
    }

    static Stream<Arguments> levels() {
        return Stream.of(Database.Kind.values())
                .flatMap(kind -> Stream.of(Isolation.values()).map(isolation -> Arguments.of(kind, isolation)));
    }

    @AfterAll
    static void close() throws Exception {
        Database.closeAll();
    }

    @ParameterizedTest
    @MethodSource("levels")
    void aLateWriterIsRefusedWithBothTokens(Database.Kind kind, Isolation isolation) throws SQLException {
        Database database = Database.started(kind);
        try (Connection connection = database.open(isolation.level)) {
            transact(connection, each -> fence.check(each, resource, 41));
            transact(connection, each -> fence.check(each, resource, 41));
            transact(connection, each -> fence.check(each, resource, 43));
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> transact(connection, each -> fence.check(each, resource, 42)))
                    .matches(stale -> stale.resource().equals(resource))
                    .matches(stale -> stale.token() == 42 && stale.newerToken() == 43);
            transact(connection, each -> fence.check(each, resource, Long.MAX_VALUE));
            assertThat(remembered(connection)).isEqualTo(Long.MAX_VALUE);
            assertThat(connection.getAutoCommit()).isFalse();
        }
        assertThat(fence.accepted()).isEqualTo(4);
        assertThat(fence.refused()).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("levels")
    void aLateWriterThatWaitsForANewerOneIsRefused(Database.Kind kind, Isolation isolation) throws SQLException {
        Database database = Database.started(kind);
        for (boolean known : new boolean[] {false, true}) {
            String name = resource + known;
            try (Connection newer = database.open(isolation.level);
                    Connection late = database.open(isolation.level)) {
                if (known) {
                    transact(newer, each -> fence.check(each, name, 40));
                }
                fence.check(newer, name, 43);
                Task<Integer> waiting = blocked(database, late, name, 42);
                newer.commit();
                assertThat(waiting.failure()).isInstanceOf(StaleTokenException.class);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levels")
    void aNewerWriterWaitsForAnOlderTransaction(Database.Kind kind, Isolation isolation) throws SQLException {
        Database database = Database.started(kind);
        for (boolean known : new boolean[] {false, true}) {
            String name = resource + known;
            try (Connection older = database.open(isolation.level);
                    Connection newer = database.open(isolation.level)) {
                if (known) {
                    transact(older, each -> fence.check(each, name, 40));
                }
                fence.check(older, name, 42);
                Task<Integer> waiting = blocked(database, newer, name, 43);
                older.commit();
                assertThat(waiting.get())
                        .as("repetitions")
                        .isLessThanOrEqualTo(
                                isolation == Isolation.READ_COMMITTED || kind == Database.Kind.MARIADB ? 0 : 1);
                assertThatThrownBy(() -> transact(older, each -> fence.check(each, name, 42)))
                        .isInstanceOf(StaleTokenException.class);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levels")
    void aTransactionThatIsRolledBackRemembersNothing(Database.Kind kind, Isolation isolation) throws SQLException {
        Database database = Database.started(kind);
        try (Connection connection = database.open(isolation.level)) {
            fence.check(connection, resource, 43);
            connection.rollback();
            assertThat(remembered(connection)).isNull();
            transact(connection, each -> fence.check(each, resource, 41));
            fence.check(connection, resource, 43);
            connection.rollback();
            transact(connection, each -> fence.check(each, resource, 42));
            assertThat(remembered(connection)).isEqualTo(42);
        }
    }

    /** A transaction that has read before its check may have to be repeated, but decides by the newest token. */
    @ParameterizedTest
    @MethodSource("levels")
    void anOldSnapshotHidesNoNewerToken(Database.Kind kind, Isolation isolation) throws SQLException {
        Database database = Database.started(kind);
        for (boolean known : new boolean[] {false, true}) {
            String name = resource + known;
            try (Connection other = database.open(isolation.level);
                    Connection reading = database.open(isolation.level)) {
                if (known) {
                    transact(other, each -> fence.check(each, name, 40));
                }
                query(reading, "SELECT amount FROM counter WHERE id = 1");
                transact(other, each -> fence.check(each, name, 43));
                assertThatThrownBy(() -> transact(reading, each -> fence.check(each, name, 42)))
                        .isInstanceOf(StaleTokenException.class);
                query(reading, "SELECT amount FROM counter WHERE id = 1");
                transact(other, each -> fence.check(each, name, 44));
                assertThat(transact(reading, each -> fence.check(each, name, 45)))
                        .as("repetitions")
                        .isLessThanOrEqualTo(
                                isolation == Isolation.READ_COMMITTED || kind == Database.Kind.MARIADB ? 0 : 1);
            }
        }
    }

    /** First writers of new resources meet. None damages the transaction of another. */
    @ParameterizedTest
    @MethodSource("levels")
    void firstWritersOfAResourceRaceWithoutHarm(Database.Kind kind, Isolation isolation) throws Exception {
        Database database = Database.started(kind);
        List<Task<Integer>> writers = new ArrayList<>();
        CountDownLatch start = new CountDownLatch(1);
        for (int writer = 1; writer <= WRITERS; writer++) {
            int first = writer;
            writers.add(Task.start("writer-" + writer, () -> {
                int refused = 0;
                try (Connection connection = database.open(isolation.level)) {
                    start.await();
                    for (int i = 0; i < WRITES; i++) {
                        String each = resource + i;
                        try {
                            transact(connection, tx -> fence.check(tx, each, first));
                        } catch (StaleTokenException stale) {
                            refused++;
                        }
                    }
                }
                return refused;
            }));
        }
        start.countDown();
        int refused = 0;
        for (Task<Integer> writer : writers) {
            refused += writer.get();
        }
        assertThat(fence.refused()).isEqualTo(refused);
        try (Connection connection = database.open(isolation.level)) {
            for (int i = 0; i < WRITES; i++) {
                assertThat(query(connection, "SELECT token FROM boltwork_fence WHERE resource = ?", resource + i))
                        .isEqualTo(WRITERS);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levels")
    void concurrentLateWritersChangeNothing(Database.Kind kind, Isolation isolation) throws Exception {
        Database database = Database.started(kind);
        race(database, isolation, (connection, token) -> fence.check(connection, resource, token), fence);
    }

    @ParameterizedTest
    @MethodSource("levels")
    void concurrentLateWritersChangeNoRowWithAToken(Database.Kind kind, Isolation isolation) throws Exception {
        Database database = Database.started(kind);
        try (Connection connection = database.open(isolation.level)) {
            transact(connection, each -> update(each, "UPDATE counter SET token = NULL WHERE id = 1"));
        }
        race(database, isolation, (connection, token) -> column.check(connection, 1L, token), column);
        try (Connection connection = database.open(isolation.level)) {
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> column.check(connection, 1L, 1))
                    .matches(stale -> stale.resource().equals("counter[id=1]"));
            connection.rollback();
            assertThatExceptionOfType(NoSuchElementException.class)
                    .isThrownBy(() -> column.check(connection, 2L, 1))
                    .withMessage("There is no counter[id=2]. Insert it with its token");
        }
    }

    /** A check. */
    interface Check {
        void of(Connection connection, long token) throws SQLException;
    }

    /**
     * Lets writers add to a counter, half of them with a token of the past. The ledger shows that no write was lost or
     * double, and that tokens never went down.
     */
    private void race(Database database, Isolation isolation, Check check, JdbcFence guard) throws Exception {
        AtomicLong tokens = new AtomicLong(1_000);
        AtomicInteger repetitions = new AtomicInteger();
        List<Task<Integer>> writers = new ArrayList<>();
        try (Connection connection = database.open(isolation.level)) {
            transact(connection, each -> {
                update(each, "UPDATE counter SET amount = 0 WHERE id = 1");
                update(each, "DELETE FROM ledger");
            });
        }
        for (int i = 0; i < WRITERS; i++) {
            writers.add(Task.start("writer-" + i, () -> write(database, isolation, check, tokens, repetitions)));
        }
        int written = 0;
        for (Task<Integer> writer : writers) {
            written += writer.get();
        }
        assertThat(repetitions.get() == 0 || isolation != Isolation.READ_COMMITTED)
                .as("READ COMMITTED repeats nothing")
                .isTrue();
        assertThat(guard.refused()).isEqualTo(WRITERS * WRITES - written).isPositive();
        assertThat(guard.accepted()).isGreaterThanOrEqualTo(written);
        try (Connection connection = database.open(isolation.level)) {
            assertThat(query(connection, "SELECT amount FROM counter WHERE id = 1"))
                    .isEqualTo(written);
            assertThat(query(connection, "SELECT COUNT(DISTINCT amount) FROM ledger"))
                    .isEqualTo(written);
            assertThat(query(
                            connection,
                            "SELECT COUNT(*) FROM ledger a JOIN ledger b ON b.amount = a.amount + 1 AND"
                                    + " b.token < a.token"))
                    .isZero();
        }
    }

    private static int write(
            Database database, Isolation isolation, Check check, AtomicLong tokens, AtomicInteger repetitions)
            throws SQLException {
        int written = 0;
        try (Connection connection = database.open(isolation.level)) {
            for (int i = 0; i < WRITES; i++) {
                long newest = tokens.incrementAndGet();
                long token = i % 2 == 0
                        ? newest
                        : newest - ThreadLocalRandom.current().nextInt(8, 40);
                try {
                    repetitions.addAndGet(transact(connection, each -> {
                        check.of(each, token);
                        long amount = query(each, "SELECT amount FROM counter WHERE id = 1") + 1;
                        update(each, "UPDATE counter SET amount = ? WHERE id = 1", amount);
                        update(each, "INSERT INTO ledger (amount, token) VALUES (?, ?)", amount, token);
                    }));
                    written++;
                } catch (StaleTokenException stale) {
                    assertThat(stale.newerToken()).isGreaterThan(token);
                }
            }
        }
        return written;
    }

    @ParameterizedTest
    @EnumSource
    void oldTokensAreForgottenAndOthersStay(Database.Kind kind) throws SQLException {
        JdbcFence own = fence.withTable("own_fence");
        long day = Duration.ofDays(1).toSeconds() * 1_000_000;
        long now = 20_000 * day;
        try (Connection connection = Database.started(kind).open(Connection.TRANSACTION_READ_COMMITTED)) {
            update(connection, own.ddl(connection));
            connection.commit();
            for (int age = 0; age <= 10; age++) {
                own.check(connection, resource + age, now - age * day);
            }
            connection.commit();
            assertThat(own.forget(connection, now, Duration.ofDays(7))).isEqualTo(3);
            connection.commit();
            assertThat(query(connection, "SELECT COUNT(*) FROM own_fence")).isEqualTo(8);
            assertThat(query(connection, "SELECT MIN(token) FROM own_fence")).isEqualTo(now - 7 * day);
            assertThat(own.forget(connection, 1, Duration.ofDays(7))).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void namesAreKeptApart(Database.Kind kind) throws SQLException {
        try (Connection connection = Database.started(kind).open(Connection.TRANSACTION_READ_COMMITTED)) {
            List<String> names = List.of("a", "A", "ä", "Ä", " a", "a\t", "'; DROP TABLE x --", "😀".repeat(127), "%");
            for (int i = 0; i < names.size(); i++) {
                fence.check(connection, resource.substring(0, 1) + names.get(i), 100 - i);
            }
            connection.rollback();
        }
        assertThat(fence.refused()).isZero();
    }

    /** Some drivers count only rows that an UPDATE has changed, and a repeated token changes none. */
    @Test
    void aRepeatedTokenIsAcceptedThoughItChangesNoRow() throws SQLException {
        Database database = Database.started(Database.Kind.MARIADB);
        try (Connection connection = database.open(Connection.TRANSACTION_READ_COMMITTED, "&useAffectedRows=true")) {
            update(connection, "INSERT INTO counter (id, amount, token) VALUES (9, 0, 41)");
            for (int i = 0; i < 2; i++) {
                column.check(connection, 9L, 42);
                fence.check(connection, resource, 42);
            }
            assertThatThrownBy(() -> column.check(connection, 9L, 41)).isInstanceOf(StaleTokenException.class);
            assertThatThrownBy(() -> fence.check(connection, resource, 41)).isInstanceOf(StaleTokenException.class);
            connection.rollback();
        }
    }

    @Test
    void theExamplesOfThePageRefuseALateSale() throws SQLException {
        Database database = Database.started(Database.Kind.H2);
        GuardedStock stock = new GuardedStock();
        try (LockClient locks = LockClient.create(MemoryBackend.create());
                Connection connection = database.open(Connection.TRANSACTION_READ_COMMITTED)) {
            update(connection, "CREATE TABLE stock (id BIGINT PRIMARY KEY, items INT, token BIGINT)");
            update(connection, "INSERT INTO stock (id, items, token) VALUES (1001, 2, 0)");
            connection.commit();
            FencedLock lock = locks.lock("stock:1001");
            Lease late = lock.acquire();
            late.release();
            assertThat(stock.sell(connection, lock)).isTrue();
            assertThatThrownBy(() -> stock.inTransaction(connection, late)).isInstanceOf(StaleTokenException.class);
            connection.rollback();
            assertThat(query(connection, "SELECT items FROM stock")).isEqualTo(1);
            try (Lease lease = lock.acquire()) {
                stock.sellFromRow(connection, lease);
                assertThatThrownBy(() -> stock.sellFromRow(connection, late)).isInstanceOf(StaleTokenException.class);
                GuardedStock.write(connection, 5, lease.fencingToken());
                assertThatThrownBy(() -> GuardedStock.write(connection, 7, late.fencingToken()))
                        .hasMessageStartingWith("refused");
                assertThat(stock.forget(connection, lease)).isNotNegative();
                connection.commit();
            }
            assertThat(query(connection, "SELECT items FROM stock")).isEqualTo(5);
            assertThat(stock.fence().refused()).isEqualTo(1);
        }
    }

    private @Nullable Long remembered(Connection connection) throws SQLException {
        Long token = query(connection, "SELECT token FROM boltwork_fence WHERE resource = ?", resource);
        connection.commit();
        return token;
    }

    /** Starts a transaction with a check, and returns when the database lets it wait for another transaction. */
    private Task<Integer> blocked(Database database, Connection connection, String name, long token) {
        Task<Integer> waiting = Task.start("check", () -> transact(connection, each -> fence.check(each, name, token)));
        Await.until("a transaction waits for another", database::isAnyBlocked);
        assertThat(waiting.isDone()).isFalse();
        return waiting;
    }
}
