// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.StoredText;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests failures of a real PostgreSQL. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class PostgresFailuresTest {
    private static final PostgresSite SITE = PostgresSite.get();

    private final RecordKey key = new RecordKey(RecordKey.Kind.LATCH, "failures " + UUID.randomUUID());

    private boolean write(OpenStore opened) {
        StoredText before = opened.store.read(key);
        return opened.store.write(key, before, new RecordChange("latch 1", Long.MAX_VALUE / 2, Long.MAX_VALUE));
    }

    private boolean tryToWrite(OpenStore opened) {
        try {
            return write(opened);
        } catch (BackendException e) {
            assertThat(e.isRetryable()).as(e.toString()).isTrue();
            return false;
        }
    }

    @Test
    void aServerThatWasKilledIsUsedAgainAndHasAnotherRun() {
        try (OpenStore opened = new OpenStore(SITE.source())) {
            assertThat(write(opened)).isTrue();
            String run = opened.store.read(key).clock().run();
            SITE.server.kill();
            Await.until("the outage is told", () -> opened.events.contains("disconnected"));
            assertThatThrownBy(() -> write(opened))
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            e -> assertThat(e.isRetryable()).isTrue());
            SITE.server.restart();
            Await.until("the store works again", () -> tryToWrite(opened));
            assertThat(opened.store.read(key).clock().run()).isNotEqualTo(run);
            Await.until("the end of the outage is told", () -> opened.events.size() == 3);
            assertThat(opened.events.get(2)).startsWith("connected");
            assertThat(opened.store.listens(opened.client)).isTrue();
        }
    }

    @Test
    void aReadOnlyDatabaseIsTriedAgainOverNewConnections() {
        try (OpenStore opened = new OpenStore(SITE.source())) {
            assertThat(write(opened)).isTrue();
            SITE.execute("ALTER SYSTEM SET default_transaction_read_only = on");
            SITE.query("SELECT pg_reload_conf()", row -> row.getBoolean(1));
            try {
                Await.until("writes fail", () -> !tryToWrite(opened));
            } finally {
                SITE.execute("ALTER SYSTEM RESET default_transaction_read_only");
                SITE.query("SELECT pg_reload_conf()", row -> row.getBoolean(1));
            }
            Await.until("writes succeed again", () -> tryToWrite(opened));
        }
    }

    @Test
    void aConnectionThatIsReturnedIsAsItWas() throws Exception {
        try (Connection connection = SITE.source().getConnection()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            DataSource pool = (DataSource) Proxy.newProxyInstance(
                    DataSource.class.getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (self, method, args) -> unclosed(connection));
            StoreSession session = StoreSession.open(pool, new StoreTables(JdbcSite.OPTIONS), Duration.ofSeconds(1));
            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
            assertThat(connection.getNetworkTimeout()).isEqualTo(1_000);
            session.close();
            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            assertThat(connection.getNetworkTimeout()).isZero();
        }
    }

    private static Connection unclosed(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, args) -> method.getName().equals("close") ? null : method.invoke(connection, args));
    }

    @Test
    void aFrozenServerFailsCallsWithinTheTimeoutAndCloseIsQuick() {
        long patience = Slack.seconds(3).toMillis();
        OpenStore opened = new OpenStore(SITE.source());
        try {
            SITE.freeze();
            long begun = System.nanoTime();
            assertThatThrownBy(() -> write(opened)).isInstanceOf(BackendException.class);
            assertThat((System.nanoTime() - begun) / 1_000_000).isLessThan(patience);
            begun = System.nanoTime();
            opened.close();
            opened.close();
            assertThat((System.nanoTime() - begun) / 1_000_000).isLessThan(patience);
        } finally {
            SITE.thaw();
            opened.close();
        }
    }

    @Test
    void aUserWithoutRightsIsToldWhichAreNeeded() {
        SITE.tryToExecute("DROP ROLE IF EXISTS weak");
        SITE.execute("CREATE ROLE weak LOGIN");
        try (OpenStore owner = new OpenStore(SITE.source())) {
            assertThatThrownBy(() -> new OpenStore(SITE.source("&user=weak")).close())
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            e -> assertThat(e.isRetryable()).isFalse())
                    .hasMessageContaining("SELECT, INSERT, UPDATE and DELETE");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT, INSERT, UPDATE ON boltwork_inbox | boltwork_inbox",
                "DELETE ON boltwork_lock | boltwork_lock",
                "INSERT ON boltwork_client | boltwork_client",
                "UPDATE ON boltwork_store | boltwork_store"
            })
    void aMissingRightIsToldWhenTheClientIsCreated(String right, String table) {
        try (OpenStore owner = new OpenStore(SITE.source())) {
            restrict();
            SITE.execute("REVOKE " + right + " FROM restricted");
            assertThatThrownBy(() -> new OpenStore(SITE.source("&user=restricted")).close())
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            e -> assertThat(e.isRetryable()).isFalse())
                    .hasMessageContaining(table)
                    .hasMessageContaining("SELECT, INSERT, UPDATE and DELETE");
        }
    }

    @Test
    void aRightThatIsTakenAwayLaterIsToldOnceUntilItIsBack() {
        try (OpenStore owner = new OpenStore(SITE.source())) {
            restrict();
            // without its own classes the driver has no notifications
            CountedSource counted = new CountedSource(SITE.source("&user=restricted"), 3, false);
            try (OpenStore opened = new OpenStore(counted.source())) {
                SITE.execute("REVOKE ALL ON boltwork_inbox FROM restricted");
                opened.store.await(true);
                Await.until("it is told", () -> opened.events.contains("warned"));
                int asked = asked(counted);
                long begun = System.nanoTime();
                Await.until("it is asked again", () -> asked(counted) >= asked + 5);
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(300));
                SITE.execute("GRANT ALL ON boltwork_inbox TO restricted");
                owner.store.sendMessage(opened.client, "at last");
                Await.until("the message arrives", () -> opened.messages.contains("at last"));
                assertThat(opened.events).filteredOn("warned"::equals).hasSize(2); // one is of the notifications
                assertThat(opened.events).doesNotContain("disconnected");
            }
        }
    }

    private static int asked(CountedSource counted) {
        return (int) counted.executed.stream()
                .filter(sql -> sql.contains("FROM boltwork_inbox"))
                .count();
    }

    private static void restrict() {
        SITE.execute("DROP OWNED BY " + role());
        SITE.execute(
                "GRANT SELECT, INSERT, UPDATE, DELETE ON boltwork_lock, boltwork_client, boltwork_inbox, boltwork_store"
                        + " TO restricted");
    }

    private static String role() {
        SITE.execute("DO 'BEGIN CREATE ROLE restricted LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END'");
        return "restricted";
    }

    @Test
    void aReadOnlySessionIsToldWhenTheClientIsCreated() {
        try (OpenStore owner = new OpenStore(SITE.source())) {
            assertThatThrownBy(
                            () -> new OpenStore(SITE.source("&options=-c%20default_transaction_read_only=on")).close())
                    .isInstanceOf(BackendException.class)
                    .hasMessageContaining("The database is read-only here");
        }
    }
}
