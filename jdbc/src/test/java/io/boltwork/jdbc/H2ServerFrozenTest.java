// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** H2 as a server in another JVM, which is frozen for longer than the command timeout. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "-Dboltwork.proof=true")
class H2ServerFrozenTest {
    private static final Duration TIMEOUT = JdbcSite.OPTIONS.commandTimeout();

    @TempDir
    Path directory;

    private ChildJvm server;
    private JdbcDataSource source;

    @BeforeEach
    void start() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        server = ChildJvm.start(
                Server.class,
                "-tcp",
                "-tcpPort",
                Integer.toString(port),
                "-ifNotExists",
                "-baseDir",
                directory.toString());
        source = new JdbcDataSource();
        source.setURL("jdbc:h2:tcp://127.0.0.1:" + port + "/./locks");
        source.setUser("sa");
        Await.within(Duration.ofSeconds(60), "the server has its database", this::answers);
    }

    private boolean answers() {
        try (Connection connection = source.getConnection()) {
            return connection.isValid(1);
        } catch (SQLException notYet) {
            return false;
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private LockClient client() {
        return JdbcSite.connected(source);
    }

    /** Waits for so many command timeouts. */
    private static void stayFor(int timeouts) {
        long since = System.nanoTime();
        long patience = TIMEOUT.multipliedBy(timeouts).toNanos();
        Await.until(timeouts + " command timeouts have passed", () -> System.nanoTime() - since > patience);
    }

    private static <T> T again(Supplier<T> call) {
        Object[] result = {null};
        Await.until("the client is connected again", () -> {
            try {
                result[0] = call.get();
                return true;
            } catch (BackendException later) {
                assertThat(later.isRetryable()).isTrue();
                return false;
            }
        });
        @SuppressWarnings("unchecked")
        T value = (T) result[0];
        return value;
    }

    @Test
    void callsFailWithinTheirTimeAndGoOnAfterwards() {
        LockOptions options = LockOptions.renewedLease(Slack.of(Duration.ofSeconds(30)));
        try (LockClient holder = client();
                LockClient other = client()) {
            Lease lease = holder.lock("frozen", options).acquire();
            Task<Long> waiter = Task.start("waiter", () -> {
                try (Lease next = other.lock("frozen", options).acquire()) {
                    return next.fencingToken();
                }
            });
            Await.until(
                    "it waits",
                    () -> !holder.inspector().describe("frozen").queue().isEmpty());
            server.freeze();
            long begun = System.nanoTime();
            assertThatThrownBy(() -> holder.lock("another").tryLock())
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            e -> assertThat(e.isRetryable()).isTrue());
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(TIMEOUT.multipliedBy(3));
            assertThat(lease.verify()).as("no answer").isFalse();
            stayFor(3);
            assertThat(lease.isValid()).as("it lasts until its deadline").isTrue();
            server.thaw();
            Await.until("the lease is verified", lease::verify);
            assertThat(again(() -> holder.lock("another").tryLock())).isTrue();
            lease.release();
            assertThat(waiter.get()).isGreaterThan(lease.fencingToken());
        }
    }

    @Test
    void leaseThatEndsMeanwhileIsLost() {
        LockOptions options = LockOptions.renewedLease(TIMEOUT.multipliedBy(2));
        try (LockClient holder = client();
                LockClient other = client()) {
            Lease lease = holder.lock("frozen", options).acquire();
            server.freeze();
            assertThat(lease.whenLost().toCompletableFuture()).succeedsWithin(TIMEOUT.multipliedBy(6));
            assertThat(lease.isValid()).isFalse();
            assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
            server.thaw();
            Lease next = again(() -> other.lock("frozen", options).acquire());
            assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
            Await.until("the next lease is verified", next::verify);
        }
    }

    @Test
    void clientsCloseWhileTheServerIsFrozen() {
        List<LockClient> clients = List.of(client(), client());
        clients.get(0).lock("frozen").lock();
        server.freeze();
        for (LockClient each : clients) {
            long begun = System.nanoTime();
            each.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Slack.of(Duration.ofSeconds(10)));
        }
        server.thaw();
        try (LockClient next = client()) {
            assertThat(next.lock("another").tryLock()).isTrue();
        }
    }
}
