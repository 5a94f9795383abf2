// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests tables that an administrator has made in another way than the script does, or has dropped. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class HandmadeTablesTest {

    /** The databases. */
    enum Database {
        POSTGRESQL(PostgresSite::get),
        MARIADB(MariaDbSite::get),
        H2(H2Site::new);

        private final Supplier<JdbcSite> site;

        Database(Supplier<JdbcSite> site) {
            this.site = site;
        }
    }

    private final String prefix = "p" + UUID.randomUUID().toString().replace("-", "") + "_";
    /** Tables are made in each test, which takes long on a busy machine. */
    private static final JdbcOptions PATIENT = JdbcSite.OPTIONS.withCommandTimeout(Slack.of(Duration.ofSeconds(10)));

    private final JdbcOptions options = PATIENT.withTablePrefix(prefix);

    private void make(JdbcSite site, UnaryOperator<String> change) {
        String script = StoreTables.script(site.dialect());
        String changed = change.apply(script);
        assertThat(changed).isNotEqualTo(script);
        NamedSql.statements(changed.replace("boltwork_", prefix)).forEach(site::execute);
    }

    private void assertRefused(JdbcSite site, String... told) {
        assertThatThrownBy(() -> LockClient.create(JdbcBackend.on(site.source(), options))
                        .close())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isFalse())
                .hasMessageContainingAll(told)
                .hasMessageContainingAll("with the script", "another prefix");
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, lock, '(kind, name)'",
        "POSTGRESQL, client, (client)",
        "POSTGRESQL, inbox, '(client, id)'",
        "POSTGRESQL, store, (id)",
        "MARIADB, lock, '(kind, name)'",
        "MARIADB, client, (client)",
        "MARIADB, inbox, '(client, id)'",
        "MARIADB, store, (id)",
        "H2, lock, '(kind, name)'",
        "H2, client, (client)",
        "H2, inbox, '(client, id)'",
        "H2, store, (id)"
    })
    void aTableWithoutItsKeyIsRefused(Database site, String table, String key) {
        JdbcSite database = site.site.get();
        make(database, script -> {
            int begin = script.indexOf("boltwork_" + table + " (");
            int end = script.indexOf(";", begin);
            String without = script.substring(begin, end)
                    .replace(" PRIMARY KEY,", ",")
                    .replaceFirst(",\\s+PRIMARY KEY \\(.*\\)", "");
            return script.substring(0, begin) + without + script.substring(end);
        });
        assertRefused(database, "the table " + prefix + table + " has no primary key " + key);
    }

    @ParameterizedTest
    @EnumSource
    void aKeyOfOtherColumnsIsRefused(Database site) {
        JdbcSite database = site.site.get();
        make(database, script -> script.replace("PRIMARY KEY (kind, name)", "PRIMARY KEY (name)"));
        assertRefused(database, prefix + "lock has no primary key (kind, name)");
    }

    @ParameterizedTest
    @EnumSource
    void aUniqueIndexIsAsGoodAsAKey(Database site) {
        JdbcSite database = site.site.get();
        make(database, script -> script.replace("PRIMARY KEY (kind, name)", "UNIQUE (name, kind)"));
        try (LockClient client = LockClient.create(JdbcBackend.on(database.source(), options))) {
            client.lock("a").acquire().release();
            client.lock("a").acquire().release();
        }
    }

    @Test
    void aTableOfPostgresqlMayHavePartitions() {
        JdbcSite database = PostgresSite.get();
        make(database, script -> script.replaceFirst("(?s)\\) WITH \\(fillfactor = 50\\);", """
            ) PARTITION BY HASH (kind, name);
            CREATE TABLE boltwork_part_0 PARTITION OF boltwork_lock FOR VALUES WITH (MODULUS 2, REMAINDER 0);
            CREATE TABLE boltwork_part_1 PARTITION OF boltwork_lock FOR VALUES WITH (MODULUS 2, REMAINDER 1);
            """));
        try (LockClient one = LockClient.create(JdbcBackend.on(database.source(), options));
                LockClient two = LockClient.create(JdbcBackend.on(database.source(), options))) {
            for (int i = 0; i < 20; i++) {
                Lease held = one.lock("lock " + i).acquire();
                assertThat(two.lock("lock " + i).tryAcquire()).isEmpty();
                held.release();
                two.lock("lock " + i).acquire().release();
                one.lock("lock " + i).acquire().release();
            }
            assertThat(one.health().conflicts()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, name BYTEA, name VARCHAR(1024), name, BYTEA",
        "POSTGRESQL, fence BIGINT, fence INTEGER, fence, BIGINT",
        "POSTGRESQL, owner TEXT, owner VARCHAR(40), owner, TEXT",
        "POSTGRESQL, message TEXT, message VARCHAR(4000), message, TEXT",
        "POSTGRESQL, seen_at BIGINT, seen_at TIMESTAMP, seen_at, BIGINT",
        "POSTGRESQL, 'rest TEXT,', 'rest TEXT NOT NULL,', rest, be able to be NULL",
        "POSTGRESQL, 'rest TEXT,', 'rest TEXT, made_by TEXT NOT NULL,', made_by, must have a value",
        "POSTGRESQL, 'rest TEXT,', '', no column rest, script",
        "MARIADB, name VARBINARY(1024), name VARCHAR(512), name, VARBINARY(1024)",
        "MARIADB, name VARBINARY(1024), name BINARY(200), name, VARBINARY(1024)",
        "MARIADB, name VARBINARY(1024), name VARBINARY(100), name, VARBINARY(1024)",
        "MARIADB, version BIGINT, version INTEGER, version, BIGINT",
        "MARIADB, rest LONGTEXT, rest TEXT, rest, LONGTEXT",
        "MARIADB, owner VARCHAR(512), owner VARCHAR(20), owner, VARCHAR(512)",
        "MARIADB, 'rest LONGTEXT,', 'rest LONGTEXT, made_by VARCHAR(9) NOT NULL,', made_by, must have a value",
        "H2, name VARBINARY(1024), name VARCHAR(1024), name, VARBINARY(1024)",
        "H2, name VARBINARY(1024), name VARBINARY(100), name, VARBINARY(1024)",
        "H2, token BIGINT, token INTEGER, token, BIGINT",
        "H2, 'rest CHARACTER LARGE OBJECT', rest VARCHAR(255), rest, CHARACTER LARGE OBJECT",
        "H2, 'rest CHARACTER LARGE OBJECT,', '', no column rest, script"
    })
    void aColumnOfAnotherTypeIsRefused(Database site, String column, String other, String name, String told) {
        JdbcSite database = site.site.get();
        make(database, script -> script.replace(column, other));
        assertRefused(database, "the table " + prefix, name, told);
    }

    @ParameterizedTest
    @EnumSource
    void columnsThatHoldMoreAreUsed(Database site) {
        JdbcSite database = site.site.get();
        make(
                database,
                script -> script.replace("kind SMALLINT", "kind INTEGER")
                        .replaceFirst("rest (\\w[\\w ]+)", "rest $1, note VARCHAR(99)")
                        .replace("(36)", "(99)"));
        try (LockClient client = LockClient.create(JdbcBackend.on(database.source(), options))) {
            client.lock("a").acquire().release();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, lock",
        "POSTGRESQL, store",
        "MARIADB, lock",
        "MARIADB, inbox",
        "H2, lock",
        "H2, client",
    })
    void aViewIsRefused(Database site, String table) {
        JdbcSite database = site.site.get();
        make(database, script -> script.replaceAll("boltwork_" + table + "\\b", "boltwork_other_" + table));
        database.execute("CREATE VIEW " + prefix + table + " AS SELECT * FROM " + prefix + "other_" + table);
        assertRefused(database, "the table " + prefix + table + " is a view");
    }

    @ParameterizedTest
    @EnumSource
    void tablesThatWereDroppedAreMadeAgainWhenTheyAreUsed(Database site) {
        JdbcSite database = site.site.get();
        try (LockClient one = LockClient.create(JdbcBackend.on(database.source(), options));
                LockClient two = LockClient.create(JdbcBackend.on(database.source(), options))) {
            for (String table : new String[] {"lock", "client", "inbox", "store"}) {
                database.execute("DROP TABLE " + prefix + table);
                Await.until("locks are handed over after a drop of " + table, () -> handsOver(one, two, table));
            }
        }
    }

    private static boolean handsOver(LockClient one, LockClient two, String name) {
        try {
            Lease held = one.lock(name).acquire();
            CompletableFuture<Lease> next = two.lock(name).acquireAsync().toCompletableFuture();
            Await.until(
                    "it waits", () -> !two.inspector().describe(name).queue().isEmpty());
            held.release();
            next.get(20, TimeUnit.SECONDS).release();
            return true;
        } catch (BackendException again) {
            assertThat(again.isRetryable()).isTrue();
            return false;
        } catch (InterruptedException | ExecutionException | TimeoutException failed) {
            throw new AssertionError(failed);
        }
    }

    @Test
    void aSchemaThatWasDroppedIsNamed() {
        PostgresSite database = PostgresSite.get();
        String schema = "s" + prefix;
        database.execute("CREATE SCHEMA " + schema);
        JdbcOptions inSchema = PATIENT.withTablePrefix(schema.toUpperCase(Locale.ROOT) + ".x_");
        try (LockClient client = LockClient.create(JdbcBackend.on(database.source(), inSchema))) {
            client.lock("a").acquire().release();
            database.execute("DROP SCHEMA " + schema + " CASCADE");
            Await.until("it is told", () -> {
                try {
                    return client.lock("a").tryLock();
                } catch (BackendException told) {
                    return String.valueOf(told.getMessage()).contains("the schema " + schema + " does not exist")
                            && !told.isRetryable();
                }
            });
        }
    }

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, order.boltwork_", "POSTGRESQL, user.boltwork_", "MARIADB, un", "H2, order.boltwork_"})
    void aReservedWordIsNoPrefix(Database site, String reserved) {
        JdbcSite database = site.site.get();
        assertThatThrownBy(() -> LockClient.create(JdbcBackend.on(database.source(), PATIENT.withTablePrefix(reserved)))
                        .close())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isFalse())
                .hasMessageContainingAll("the prefix " + reserved + " cannot be used", "reserved word");
    }

    @ParameterizedTest
    @EnumSource
    void theLongestPrefixIsUsed(Database site) {
        JdbcSite database = site.site.get();
        String longest = (prefix + "x".repeat(41)).substring(0, 41);
        JdbcOptions upper = PATIENT.withTablePrefix(longest.toUpperCase(Locale.ROOT));
        try (LockClient one = LockClient.create(JdbcBackend.on(database.source(), upper));
                LockClient two =
                        LockClient.create(JdbcBackend.on(database.source(), PATIENT.withTablePrefix(longest)))) {
            Lease held = one.lock("a").acquire();
            assertThat(two.lock("a").tryAcquire()).isEmpty(); // the same lock
            held.release();
        }
    }
}
