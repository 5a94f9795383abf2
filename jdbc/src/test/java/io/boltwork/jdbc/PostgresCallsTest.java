// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Counts statements and connections on PostgreSQL. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class PostgresCallsTest {
    private final String name = "calls " + UUID.randomUUID();

    @Test
    void aFreeLockCostsOneStatementEachWay() {
        CountedSource counted = new CountedSource(PostgresSite.get().source(), 3, true);
        try (LockClient client = counted.newClient()) {
            FencedLock lock = client.lock(name, LockOptions.fixedLease(Duration.ofMinutes(1)));
            for (int i = 0; i < 5; i++) { // the first time, there is no row yet
                counted.takeLockStatements();
                Lease lease = lock.acquire();
                List<String> acquiring = counted.takeLockStatements();
                assertThat(acquiring).hasSize(1);
                lease.release();
                Await.until("it is released", () -> !counted.executed.isEmpty());
                assertThat(counted.takeLockStatements()).hasSize(1);
            }
            assertThat(counted.opened).hasValue(3);
        }
    }

    @Test
    void aRefusalCostsOneStatement() {
        CountedSource counted = new CountedSource(PostgresSite.get().source(), 3, true);
        try (LockClient holder = LockClient.create(PostgresSite.get().newBackend());
                LockClient client = counted.newClient()) {
            try (Lease lease = holder.lock(name).acquire()) {
                counted.takeLockStatements();
                assertThat(client.lock(name).tryLock()).isFalse();
                assertThat(counted.takeLockStatements()).hasSize(1);
            }
        }
    }

    @Test
    void tenTransactionsInAPoolOfTenGetOneLockInTurn() throws Exception {
        CountedSource pool = new CountedSource(PostgresSite.get().source(), 10, true);
        try (LockClient client = LockClient.create(JdbcBackend.on(pool.source(), JdbcSite.OPTIONS))) {
            FencedLock lock = client.lock(name);
            AtomicInteger inside = new AtomicInteger();
            CountDownLatch begun = new CountDownLatch(7); // three connections are the backend's
            List<Task<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                tasks.add(Task.start("transaction-" + i, () -> {
                    try (Connection connection = pool.source().getConnection()) {
                        connection.setAutoCommit(false);
                        begun.countDown();
                        begun.await();
                        try (Lease lease = lock.acquire()) {
                            assertThat(inside.incrementAndGet()).isEqualTo(1);
                            connection.createStatement().execute("SELECT 1");
                            connection.commit();
                            inside.decrementAndGet();
                            return lease.isValid();
                        }
                    }
                }));
            }
            for (Task<Boolean> task : tasks) {
                assertThat(task.get(Duration.ofSeconds(20))).isTrue();
            }
        }
    }

    @Test
    void aKilledWaiterDelaysNoOther() {
        try (LockClient holder = LockClient.create(PostgresSite.get().newBackend());
                LockClient next = LockClient.create(PostgresSite.get().newBackend());
                ChildJvm killed = ChildJvm.start(
                        WaitingClient.class, PostgresSite.get().server.uri(), name)) {
            Lease lease = holder.lock(name).acquire();
            Await.until(
                    "it waits", () -> holder.inspector().describe(name).queue().size() == 1);
            Task<Long> waiter = Task.start("next", () -> {
                try (Lease second = next.lock(name).acquire()) {
                    return System.nanoTime();
                }
            });
            Await.until(
                    "another waits behind it",
                    () -> holder.inspector().describe(name).queue().size() == 2);
            killed.kill();
            Await.until(
                    "the server knows that it is gone", () -> PostgresSite.get().listeners() == 2);
            long begun = System.nanoTime();
            lease.release();
            Duration took = Duration.ofNanos(waiter.get(Duration.ofSeconds(20)) - begun);
            assertThat(took).as("less than a claim of 3 s").isLessThan(Slack.of(Duration.ofSeconds(1)));
        }
    }

    @Test
    void clientsThatCannotListenAskForTheirMessages() {
        CountedSource deaf = new CountedSource(PostgresSite.get().source(), 3, false);
        try (OpenStore opened = new OpenStore(deaf.source())) {
            assertThat(opened.events.get(0)).isEqualTo("warned");
        }
        try (LockClient polling = LockClient.create(JdbcBackend.on(
                        new CountedSource(PostgresSite.get().source(), 3, false).source(), JdbcSite.OPTIONS));
                LockClient pushed = LockClient.create(PostgresSite.get().newBackend())) {
            for (int i = 0; i < 3; i++) {
                handOver(pushed, polling);
                handOver(polling, pushed);
            }
        }
    }

    private void handOver(LockClient from, LockClient to) {
        Lease lease = from.lock(name).acquire();
        Task<Long> waiter = Task.start("waiter", () -> {
            try (Lease next = to.lock(name).acquire()) {
                return System.nanoTime();
            }
        });
        Await.until("it waits", () -> waiting() == 1);
        long begun = System.nanoTime();
        lease.release();
        assertThat(Duration.ofNanos(waiter.get(Duration.ofSeconds(10)) - begun)).isLessThan(Duration.ofSeconds(2));
    }

    private int waiting() {
        return PostgresSite.get()
                .query(
                        "SELECT COUNT(*) FROM boltwork_lock WHERE kind = 0 AND rest LIKE '%waiting%'"
                                + " AND convert_from(name, 'UTF8') = '" + name + "'",
                        row -> row.getInt(1))
                .get(0);
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "-Dboltwork.proof=true")
    void tenThousandLeasesAreRenewedByOneStatementABatch() throws Exception {
        int leases = 10_000;
        CountedSource counted = new CountedSource(PostgresSite.get().source(), 3, true);
        try (LockClient client = LockClient.create(JdbcBackend.on(counted.source(), JdbcOptions.defaults()))) {
            long begun = System.nanoTime();
            List<Lease> held = new ArrayList<>();
            for (int i = 0; i < leases; i++) {
                held.add(client.lock(name + i, LockOptions.renewedLease(Duration.ofSeconds(10)))
                        .acquire());
            }
            System.out.printf("acquired in %d ms%n", (System.nanoTime() - begun) / 1_000_000);
            counted.takeLockStatements();
            List<String> renewing = new ArrayList<>();
            int batches = leases / 128 + 1;
            Await.within(Duration.ofSeconds(30), "statements for four rounds of renewals", () -> {
                renewing.addAll(counted.takeLockStatements());
                return renewing.size() >= 4 * batches;
            });
            System.out.printf("%d statements renew %d leases of 10 s in four rounds%n", renewing.size(), leases);
            assertThat(held).allMatch(Lease::isValid);
        }
    }
}
