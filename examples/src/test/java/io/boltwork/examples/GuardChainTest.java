// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static io.boltwork.examples.Database.query;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The whole chain: a lock on a real Redis, holders in three JVMs that are frozen past their leases at random, and a
 * guard in a real PostgreSQL.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class GuardChainTest {
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** The reports of the JVMs and the content of the tables. */
    private record Result(
            long written, long refused, int freezes, long amount, long entries, long distinct, long backwards) {
        void assertExact() {
            assertThat(backwards).as("tokens that went down").isZero();
            assertThat(distinct).as("no double increment").isEqualTo(entries);
            assertThat(entries).as("no lost increment").isEqualTo(written).isEqualTo(amount);
            assertThat(refused).as("refused writes").isPositive();
        }
    }

    @Test
    void frozenHoldersLoseAndDoubleNothing() throws Exception {
        run(true, Duration.ofSeconds(4), 100).assertExact();
    }

    @Test
    @EnabledIfSystemProperty(
            named = "boltwork.proof",
            matches = "true",
            disabledReason = "minutes: -Dboltwork.proof=true")
    void aHundredThousandIncrementsSurviveFrozenHolders() throws Exception {
        Result result = run(true, Duration.ofSeconds(60), 100_000);
        result.assertExact();
        assertThat(result.written).isGreaterThanOrEqualTo(100_000);
    }

    /** Shows that the other tests would notice a guard that refuses nothing. */
    @Test
    @EnabledIfSystemProperty(
            named = "boltwork.proof",
            matches = "true",
            disabledReason = "minutes: -Dboltwork.proof=true")
    void withoutTheGuardFrozenHoldersDamageTheCounter() throws Exception {
        Result result = run(false, Duration.ofSeconds(20), 100);
        assertThat(result.distinct).isLessThan(result.entries);
        assertThat(result.amount).isLessThan(result.written);
    }

    private static Result run(boolean guarded, Duration atLeast, long increments) throws Exception {
        List<ChildJvm> holders = new ArrayList<>();
        try (Database database = Database.start(Database.Kind.POSTGRESQL);
                RedisServer redis = RedisServer.start()) {
            try {
                for (int i = 0; i < 3; i++) {
                    holders.add(ChildJvm.start(
                            GuardedCounter.class,
                            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
                            List.of(redis.uri(), database.uri(), Boolean.toString(guarded))));
                }
                long[][] reports = new long[holders.size()][2];
                for (int i = 0; i < holders.size(); i++) {
                    read(Objects.requireNonNull(holders.get(i).nextLine(Duration.ofSeconds(60))), reports[i]);
                }
                long began = System.nanoTime();
                int freezes = 0;
                while (System.nanoTime() - began < atLeast.toNanos()
                        || sum(reports, 0) < increments
                        || guarded && sum(reports, 1) == 0) {
                    assertThat(System.nanoTime() - began)
                            .as("only " + Arrays.deepToString(reports))
                            .isLessThan(Slack.of(PATIENCE).toNanos());
                    List<ChildJvm> some = new ArrayList<>(holders);
                    Collections.shuffle(some);
                    some.subList(0, ThreadLocalRandom.current().nextInt(1, holders.size()))
                            .clear();
                    freezePastTheLease(some);
                    freezes += some.size();
                    for (int i = 0; i < holders.size(); i++) {
                        follow(holders.get(i), reports[i]);
                    }
                }
                for (int i = 0; i < holders.size(); i++) {
                    end(holders.get(i), reports[i]);
                }
                long millis = (System.nanoTime() - began) / 1_000_000;
                Result result = result(database, reports, freezes);
                System.out.println((guarded ? "guarded: " : "without the guard: ") + result + " in " + millis + " ms");
                return result;
            } finally {
                holders.forEach(ChildJvm::close);
            }
        }
    }

    private static void freezePastTheLease(List<ChildJvm> some) throws InterruptedException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Thread.sleep(random.nextLong(50, 300));
        some.forEach(ChildJvm::freeze);
        try {
            Thread.sleep(GuardedCounter.LEASE.toMillis() + random.nextLong(50, 400));
        } finally {
            some.forEach(ChildJvm::thaw);
        }
    }

    private static void follow(ChildJvm holder, long[] report) {
        for (String line; (line = holder.lines().poll()) != null; ) {
            read(line, report);
        }
    }

    private static void end(ChildJvm holder, long[] report) throws InterruptedException {
        holder.send("end");
        String line = Objects.requireNonNull(holder.nextLine(Duration.ofSeconds(30)));
        while (!line.equals("end")) {
            read(line, report);
            line = Objects.requireNonNull(holder.nextLine(Duration.ofSeconds(30)));
        }
        assertThat(holder.awaitExit(Duration.ofSeconds(30))).isZero();
    }

    private static void read(String line, long[] report) {
        String[] words = line.split(" ");
        report[0] = Long.parseLong(words[0]);
        report[1] = Long.parseLong(words[1]);
    }

    private static long sum(long[][] reports, int column) {
        return Arrays.stream(reports).mapToLong(report -> report[column]).sum();
    }

    private static Result result(Database database, long[][] reports, int freezes) throws SQLException {
        try (Connection connection = database.open(Connection.TRANSACTION_READ_COMMITTED)) {
            return new Result(
                    sum(reports, 0),
                    sum(reports, 1),
                    freezes,
                    number(connection, "SELECT amount FROM counter WHERE id = 1"),
                    number(connection, "SELECT COUNT(*) FROM ledger"),
                    number(connection, "SELECT COUNT(DISTINCT amount) FROM ledger"),
                    number(
                            connection,
                            "SELECT COUNT(*) FROM (SELECT token < LAG(token) OVER (ORDER BY amount) AS back FROM"
                                    + " ledger) AS steps WHERE back"));
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        return Objects.requireNonNull(query(connection, sql));
    }
}
