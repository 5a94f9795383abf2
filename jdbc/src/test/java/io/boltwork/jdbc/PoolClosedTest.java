// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.boltwork.BackendException;
import io.boltwork.DistributedLatch;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests clients whose pool the application closes before them. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class PoolClosedTest {
    private static final int SIZE = 8;
    private static final Duration SOON = Slack.seconds(1);

    @BeforeAll
    static void silence() {
        PoolsTest.silence();
    }

    @AfterAll
    static void speak() {
        PoolsTest.speak();
    }

    @ParameterizedTest
    @EnumSource(names = {"HIKARI", "AGROAL"})
    void aPoolThatBreaksItsConnectionsEndsTheClient(ApplicationPool kind) throws Exception {
        PostgresSite site = PostgresSite.get();
        endsTheClient(site, kind.create(site.server.uri(), SIZE));
    }

    @Test
    void hikariOfMariaDbEndsTheClient() throws Exception {
        endsTheClient(MariaDbSite.get(), hikari(MariaDbSite.get()));
    }

    private static DataSource hikari(JdbcSite site) {
        HikariDataSource pool = new HikariDataSource();
        pool.setDataSource(site.source());
        return pool;
    }

    private static void endsTheClient(JdbcSite site, DataSource pool) throws Exception {
        List<Throwable> down = new CopyOnWriteArrayList<>();
        LockClient other = LockClient.create(JdbcBackend.on(site.source(), JdbcSite.OPTIONS));
        LockClient client = LockClient.create(JdbcBackend.on(pool, JdbcSite.OPTIONS));
        try {
            client.addListener(new LockListener() {
                @Override
                public void backendDown(BackendDown event) {
                    down.add(event.cause());
                }
            });
            String name = "closed " + UUID.randomUUID(); // the lock stays held until its lease ends
            Lease held = client.lock("held of " + name).acquire();
            Lease theirs = other.lock(name).acquire();
            DistributedLatch latch = other.latch(name);
            latch.trySetCount(1);
            CompletableFuture<Lease> waiting = client.lock(name).acquireAsync().toCompletableFuture();
            Await.until(
                    "it waits", () -> !other.inspector().describe(name).queue().isEmpty());

            ApplicationPool.close(pool);
            Await.within(Slack.seconds(2), "it is noticed", () -> !client.isConnected());
            Await.within(SOON, "the waiting call fails", waiting::isCompletedExceptionally);
            assertThatThrownBy(waiting::join)
                    .hasRootCauseInstanceOf(Exception.class)
                    .hasMessageContaining("was closed");
            assertThatThrownBy(() -> client.lock("new").acquire())
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            e -> assertThat(e.isRetryable()).isFalse())
                    .hasMessageContaining("was closed by the application before the LockClient");
            assertThat(held.isValid()).isTrue(); // until its deadline
            Await.until("the listener is told", () -> !down.isEmpty());

            long begun = System.nanoTime();
            client.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);
            assertThat(down.get(down.size() - 1)) // Agroal's is told as lost first
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            e -> assertThat(e.isRetryable()).isFalse());
            theirs.release();
        } finally {
            client.close();
            other.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"TOMCAT", "DBCP"})
    void aPoolThatLeavesItsConnectionsAloneIsUsedUntilOneBreaks(ApplicationPool kind) throws Exception {
        PostgresSite site = PostgresSite.get();
        DataSource pool = kind.create(site.server.uri(), SIZE);
        LockClient other = LockClient.create(JdbcBackend.on(site.source(), JdbcSite.OPTIONS));
        LockClient client = LockClient.create(JdbcBackend.on(pool, JdbcSite.OPTIONS));
        try {
            Lease held = client.lock("left of " + kind).acquire();
            ApplicationPool.close(pool);
            client.lock("other of " + kind).acquire().release();
            assertThat(client.isConnected()).isTrue();
            held.release();
            other.lock("left of " + kind).acquire().release();

            site.disconnectAll();
            Await.until("the client has ended", () -> isOver(client) && !client.isConnected());
            long begun = System.nanoTime();
            client.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);
        } finally {
            client.close();
            other.close();
        }
    }

    @Test
    void hikariOfH2LeavesItsConnectionsAlone() throws Exception {
        H2Site site = new H2Site();
        DataSource pool = hikari(site);
        try (LockClient client = LockClient.create(JdbcBackend.on(pool, JdbcSite.OPTIONS))) {
            ApplicationPool.close(pool);
            client.lock("left").acquire().release();
        }
    }

    private static boolean isOver(LockClient client) {
        try {
            client.lock("x").tryLock();
            return false;
        } catch (BackendException outage) {
            return !outage.isRetryable()
                    && String.valueOf(outage.getMessage()).contains("was closed by the application");
        }
    }

    @Test
    void aPoolThatWasClosedBeforeTheClientIsCreatedIsRefused() throws Exception {
        PostgresSite site = PostgresSite.get();
        DataSource pool = ApplicationPool.HIKARI.create(site.server.uri(), SIZE);
        pool.getConnection().close();
        ApplicationPool.close(pool);
        assertThatThrownBy(() -> LockClient.create(JdbcBackend.on(pool, JdbcSite.OPTIONS))
                        .close())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isFalse())
                .hasMessageContaining("was closed by the application");
    }

    @Test
    void aPoolThatIsClosedAfterTheClientHarmsNothing() throws Exception {
        PostgresSite site = PostgresSite.get();
        for (ApplicationPool kind : ApplicationPool.values()) {
            DataSource pool = kind.create(site.server.uri(), SIZE);
            LockClient client = LockClient.create(JdbcBackend.on(pool, JdbcSite.OPTIONS));
            client.lock("usual").acquire().release();
            assertThat(client.health().warnings()).isEmpty();
            client.close();
            ApplicationPool.close(pool);
        }
    }
}
