// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.server.PgBouncer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.postgresql.ds.PGSimpleDataSource;

/** Clients behind a real PgBouncer. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "-Dboltwork.proof=true")
class PgBouncerTest {
    private final PostgresSite site = PostgresSite.get();
    private final String name = "bounced " + UUID.randomUUID();
    private final List<String> log = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger("io.boltwork");
    private final Handler noting = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            log.add(new SimpleFormatter().formatMessage(entry));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void readLog() {
        assumeTrue(PgBouncer.isInstalled(), "PgBouncer is not installed (package pgbouncer)");
        logger.addHandler(noting);
    }

    @AfterEach
    void leaveLog() {
        logger.removeHandler(noting);
    }

    private static DataSource source(PgBouncer pooler, String parameters) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(pooler.uri() + parameters);
        return source;
    }

    private LockClient client(DataSource source) {
        return JdbcSite.connected(source);
    }

    private List<String> warnings() {
        return log.stream()
                .filter(line -> line.contains("notifications do not arrive"))
                .toList();
    }

    private void handOver(LockClient from, LockClient to) {
        Lease lease = from.lock(name).acquire();
        Task<Long> waiter = Task.start("waiter", () -> {
            try (Lease next = to.lock(name).acquire()) {
                return next.fencingToken();
            }
        });
        Await.until("it waits", () -> !from.inspector().describe(name).queue().isEmpty());
        assertThat(lease.verify()).isTrue();
        lease.release();
        assertThat(waiter.get()).isGreaterThan(lease.fencingToken());
    }

    @Test
    void clientsInTransactionModeAskForMessagesAndSaySoInOneLine() {
        try (PgBouncer pooler = PgBouncer.start(site.server, "transaction");
                LockClient bounced = client(source(pooler, "&prepareThreshold=0"));
                LockClient direct = client(site.source())) {
            assertThat(warnings()).as("one line for the client").hasSize(1);
            assertThat(bounced.health().toString()).contains("notifications do not arrive");
            handOver(bounced, direct);
            handOver(direct, bounced);
            try (LockClient other = client(source(pooler, "&prepareThreshold=0"))) {
                handOver(bounced, other);
                handOver(other, bounced);
            }
            Duration length = Slack.of(Duration.ofSeconds(3));
            Lease lease = bounced.lock(name, LockOptions.renewedLease(length)).acquire();
            long since = System.nanoTime();
            Await.until("the lease would have ended", () -> System.nanoTime() - since > length.toNanos());
            assertThat(lease.verify()).as("it was renewed").isTrue();
            lease.release();
            assertThat(warnings()).as("one line for each client").hasSize(2);
        }
    }

    @Test
    void clientsInStatementModeAskForMessages() {
        try (PgBouncer pooler = PgBouncer.start(site.server, "statement");
                LockClient bounced = client(source(pooler, "&prepareThreshold=0"));
                LockClient direct = client(site.source())) {
            assertThat(warnings()).hasSize(1);
            handOver(bounced, direct);
            handOver(direct, bounced);
        }
    }

    @Test
    void clientsInSessionModeGetNotifications() {
        try (PgBouncer pooler = PgBouncer.start(site.server, "session");
                LockClient bounced = client(source(pooler, ""));
                LockClient direct = client(site.source())) {
            assertThat(warnings()).isEmpty();
            for (int i = 0; i < 10; i++) { // the driver prepares a statement at its fifth execution
                handOver(bounced, direct);
                handOver(direct, bounced);
            }
            try (LockClient other = client(source(pooler, ""))) {
                handOver(bounced, other);
            }
        }
    }
}
