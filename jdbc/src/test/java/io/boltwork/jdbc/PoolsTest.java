// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that no pool of an application gets a dead connection back, however Boltwork loses its connections. */
class PoolsTest {
    private static final PostgresSite SITE = PostgresSite.get();
    private static final Logger TOMCAT = Logger.getLogger("org.apache.tomcat");
    private static final int SIZE = 8;
    private static final int THREADS = 6;

    @BeforeAll
    static void silence() {
        TOMCAT.setLevel(Level.OFF);
    }

    @AfterAll
    static void speak() {
        TOMCAT.setLevel(null);
    }

    @ParameterizedTest
    @EnumSource
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void noDeadConnectionGoesBackIntoThePool(ApplicationPool kind) throws Exception {
        DataSource pool = kind.create(SITE.server.uri(), SIZE);
        try {
            List<Thread> users = new ArrayList<>();
            try (LockClient client = LockClient.create(JdbcBackend.on(pool, JdbcSite.OPTIONS))) {
                for (int i = 0; i < THREADS; i++) {
                    users.add(start(client.lock(kind + " " + i)));
                }
                terminateAll();
                Await.until("the client works again", () -> worksAgain(client.lock(kind + " other")));
                checkAll(pool, 3);
            } // closed while all threads use it
            for (Thread user : users) {
                user.join(Slack.seconds(10).toMillis());
            }
            checkAll(pool, 0);
        } finally {
            ApplicationPool.close(pool);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBrokenSessionIsNotLentAgain(ApplicationPool kind) throws Exception {
        DataSource pool = kind.create(SITE.server.uri(), SIZE);
        try {
            StoreTables tables = new StoreTables(JdbcSite.OPTIONS);
            List<StoreSession> sessions = new ArrayList<>();
            for (int i = 0; i < SIZE; i++) {
                sessions.add(StoreSession.open(pool, tables, Duration.ofSeconds(10)));
            }
            sessions.get(0).abort(); // while a thread uses it, which closes it afterwards
            sessions.get(0).close();
            sessions.get(1).discard();
            terminateAll();
            for (int i = 2; i < SIZE; i++) {
                StoreSession session = sessions.get(i);
                assertThatThrownBy(session::ask).isInstanceOf(SQLException.class);
                session.discard();
            }
            checkAll(pool, 0);
        } finally {
            ApplicationPool.close(pool);
        }
    }

    private static Thread start(FencedLock lock) {
        Thread user = new Thread(() -> {
            while (true) {
                try {
                    lock.lock();
                    lock.unlock();
                } catch (BackendException | LeaseLostException outage) {
                    // goes on
                } catch (RuntimeException closed) {
                    return;
                }
            }
        });
        user.setDaemon(true);
        user.start();
        return user;
    }

    private static boolean worksAgain(FencedLock lock) {
        try {
            lock.lock();
            lock.unlock();
            return true;
        } catch (RuntimeException outage) {
            return false;
        }
    }

    /** Ends the sessions of Boltwork, which are those that have used its tables or listen. */
    private static void terminateAll() {
        SITE.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                        + " AND pid <> pg_backend_pid() AND (query ILIKE '%boltwork%' OR query ILIKE '%advisory%')",
                row -> row.getBoolean(1));
    }

    /** Borrows all connections that are left, and uses each. */
    private static void checkAll(DataSource pool, int inUse) throws SQLException {
        List<Connection> borrowed = new ArrayList<>();
        try {
            for (int i = 0; i < SIZE - inUse; i++) {
                Connection connection = pool.getConnection();
                borrowed.add(connection);
                try (Statement statement = connection.createStatement()) {
                    assertThat(statement.execute("SELECT 1")).isTrue();
                    assertThat(connection.getAutoCommit()).isTrue();
                    assertThat(connection.getNetworkTimeout()).isZero();
                }
            }
        } finally {
            for (Connection connection : borrowed) {
                connection.close();
            }
        }
    }
}
