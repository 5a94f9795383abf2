// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.wait.Await;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests that a lock in use does not become slower while a transaction stays open, such as that of a backup. PostgreSQL
 * can then remove no old version of the lock's row.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class PostgresOpenTransactionTest {
    private static final PostgresSite SITE = PostgresSite.get();
    private static final int VERSIONS = 6_000;
    private static final int MEASURED = 100;
    /** A pair alone reads about 13 blocks, and 150 if all versions are read; one that is handed over 55. */
    private static final double MOST_BLOCKS = 60;

    private final JdbcOptions options =
            JdbcSite.OPTIONS.withTablePrefix("p" + UUID.randomUUID().toString().replace("-", "") + "_");

    private interface Pair {
        void run(LockClient one, LockClient two) throws Exception;
    }

    @Test
    void oldVersionsOfARowAreNotReadAgain() throws Exception {
        blocksOfAPair(PostgresOpenTransactionTest::alone); // makes the row
        try (Connection open = SITE.source().getConnection();
                Statement backup = open.createStatement()) {
            open.setAutoCommit(false);
            open.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            backup.execute("SELECT pg_current_xact_id()");
            SITE.execute("DO 'BEGIN FOR i IN 1.." + VERSIONS + " LOOP UPDATE " + options.tablePrefix()
                    + "lock SET version = version + 1 WHERE kind = 0; END LOOP; END'");
            assertThat(blocksOfAPair(PostgresOpenTransactionTest::alone)).isLessThan(MOST_BLOCKS);
            assertThat(blocksOfAPair(PostgresOpenTransactionTest::handOver)).isLessThan(2 * MOST_BLOCKS);
        }
    }

    @Test
    void aPlaceThatIsGoneIsNoMoreThanAHint() {
        try (LockClient client = LockClient.create(JdbcBackend.on(SITE.source(), options))) {
            for (int i = 0; i < 100; i++) {
                client.lock("lock " + i).acquire().release();
            }
            for (String change : List.of("VACUUM FULL %s", "TRUNCATE %s", "DELETE FROM %s", "VACUUM %s")) {
                SITE.execute(change.formatted(options.tablePrefix() + "lock"));
                for (int i = 0; i < 100; i += 33) {
                    Lease held = client.lock("lock " + i).acquire();
                    assertThat(client.inspector().describe("lock " + i).holders())
                            .hasSize(1);
                    held.release();
                }
            }
            assertThat(client.health().warnings()).isEmpty();
        }
    }

    private static void alone(LockClient one, LockClient two) {
        one.lock("hot").acquire().release();
    }

    private static void handOver(LockClient one, LockClient two) throws Exception {
        Lease held = one.lock("hot").acquire();
        CompletableFuture<Lease> next = two.lock("hot").acquireAsync().toCompletableFuture();
        Await.until("it waits", () -> !one.inspector().describe("hot").queue().isEmpty());
        held.release();
        next.get(20, TimeUnit.SECONDS).release();
    }

    private double blocksOfAPair(Pair pair) throws Exception {
        long before = blocks();
        try (LockClient one = LockClient.create(JdbcBackend.on(SITE.source(), options));
                LockClient two = LockClient.create(JdbcBackend.on(SITE.source(), options))) {
            for (int i = 0; i < MEASURED; i++) {
                pair.run(one, two);
            }
        }
        return (blocks() - before) / (double) MEASURED;
    }

    /** Returns how many blocks of the table were read. A session reports its statistics when it ends, at the latest. */
    private long blocks() {
        Await.until(
                "the sessions have ended",
                () -> SITE.query(
                                "SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                                        + " AND state = 'idle'",
                                row -> row.getInt(1))
                        .equals(List.of(0)));
        return SITE.query(
                        "SELECT COALESCE(SUM(heap_blks_read + heap_blks_hit), 0) FROM pg_statio_user_tables"
                                + " WHERE relname = '" + options.tablePrefix() + "lock'",
                        row -> row.getLong(1))
                .get(0);
    }
}
