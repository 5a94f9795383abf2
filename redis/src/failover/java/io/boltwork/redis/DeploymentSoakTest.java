// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.history.History;
import io.boltwork.testkit.history.HistoryChecker;
import io.boltwork.testkit.history.HistoryChecker.Rule;
import io.boltwork.testkit.history.HistoryChecker.Verdict;
import io.boltwork.testkit.history.HistoryWriter;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisErrorException;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three JVMs take turns with all kinds of locks of a deployment while faults come at random from a printed seed, for
 * ten minutes with the profile soak. {@link SoakTest} is the same with one server. {@code -Dboltwork.seed} repeats the
 * faults, but not the schedule of the threads.
 */
@Tag("alone")
@EnabledIfSystemProperty(
        named = "boltwork.soak",
        matches = "\\d{2,}",
        disabledReason = "a deployment needs longer than some seconds: -Dboltwork.soak=60, or the profile soak")
@Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeploymentSoakTest {
    private static final Duration DURATION = Duration.ofSeconds(Long.getLong("boltwork.soak", 60));
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int JVMS = 3;

    /** The growth of a JVM's heap after its first seconds that counts as a leak. Buffers of a connection need some. */
    private static final long MOST_BYTES = 8 << 20;

    @TempDir
    Path directory;

    private final List<Loader> loaders = new ArrayList<>();
    private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
    private final List<Fault> remaining = new ArrayList<>();
    private final long seed = Long.getLong("boltwork.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private int started;

    private enum Fault {
        FAILOVER,
        JVM_KILLED,
        JVM_FROZEN,
        JVM_FROZEN_PAST_ITS_LEASES,
        CONNECTIONS_KILLED,
        SUBSCRIPTIONS_KILLED,
        SCRIPTS_FORGOTTEN
    }

    /** A JVM, and its heap and threads when it had run for a while. */
    private record Loader(ChildJvm jvm, String name, long since, long[] first) {

        /** Returns what it answers: some numbers. */
        long[] ask(String what) {
            jvm.send(what);
            try {
                String[] words = Objects.requireNonNull(jvm.nextLine(PATIENCE), "an answer of a JVM")
                        .split(" ");
                long[] answer = new long[words.length];
                for (int i = 0; i < words.length; i++) {
                    answer[i] = Long.parseLong(words[i]);
                }
                return answer;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @AfterEach
    void end() {
        loaders.forEach(loader -> loader.jvm().close());
    }

    @Test
    void sentinels() throws Exception {
        soak("sentinels", SoakDeployment.sentinel());
    }

    @Test
    void aMasterThatAnOperatorReplaces() throws Exception {
        soak("replicated", SoakDeployment.replicated());
    }

    @Test
    void aCluster() throws Exception {
        soak("cluster", SoakDeployment.cluster());
    }

    @Test
    void aQuorumOfFive() throws Exception {
        soak("quorum", SoakDeployment.quorum());
    }

    private void soak(String name, SoakDeployment deployment) throws Exception {
        System.out.println("soak: " + name + ", " + DURATION.toSeconds() + " s, -Dboltwork.seed=" + seed);
        try (deployment;
                HistoryWriter history = HistoryWriter.open(directory, "test")) {
            for (int i = 0; i < JVMS; i++) {
                loaders.add(start(deployment));
            }
            long begin = System.nanoTime();
            while (Duration.ofNanos(System.nanoTime() - begin).compareTo(DURATION) < 0) {
                pause(500 + random.nextInt(2_000));
                inject(deployment, history);
                awaitTurns();
            }
            check(name, deployment);
        }
    }

    private Loader start(SoakDeployment deployment) throws InterruptedException {
        String name = "loader-" + ++started;
        ChildJvm jvm = ChildJvm.start(
                FailoverJvm.class,
                List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"), // for a faster start
                List.of(deployment.uri(), directory.toString(), name, "1", "0", String.join(" ", deployment.locks())));
        assertThat(jvm.nextLine(PATIENCE)).isEqualTo("ready");
        return new Loader(jvm, name, System.nanoTime(), new long[2]);
    }

    /** Injects a fault and heals it. */
    private void inject(SoakDeployment deployment, HistoryWriter history) throws InterruptedException {
        int number = random.nextInt(JVMS);
        Loader loader = loaders.get(number);
        assertThat(loader.jvm().isAlive())
                .as("%s has ended by itself", loader.name())
                .isTrue();
        Fault fault = next();
        faults.merge(fault, 1, Integer::sum);
        switch (fault) {
            case FAILOVER -> deployment.failover(random);
            case JVM_KILLED -> {
                loader.jvm().close();
                history.killed(loader.name());
                loaders.set(number, start(deployment));
            }
            case JVM_FROZEN -> freeze(loader, random.nextInt(1_000));
            case JVM_FROZEN_PAST_ITS_LEASES -> freeze(loader, FailoverJvm.LEASE.toMillis() + 500);
            case CONNECTIONS_KILLED -> all(deployment, "CLIENT", "KILL", "TYPE", "normal");
            case SUBSCRIPTIONS_KILLED -> all(deployment, "CLIENT", "KILL", "TYPE", "pubsub");
            case SCRIPTS_FORGOTTEN -> all(deployment, "SCRIPT", "FLUSH");
        }
    }

    private static void freeze(Loader loader, long millis) throws InterruptedException {
        loader.jvm().freeze();
        pause(millis);
        loader.jvm().thaw();
    }

    private static void all(SoakDeployment deployment, String... command) {
        for (RedisServer server : deployment.servers()) {
            try {
                server.command(command);
            } catch (RedisErrorException e) {
                throw new AssertionError(server + " refuses " + String.join(" ", command), e);
            }
        }
    }

    /** Returns the faults in random order, each one once before any comes again. */
    private Fault next() {
        if (remaining.isEmpty()) {
            remaining.addAll(List.of(Fault.values()));
            Collections.shuffle(remaining, random);
        }
        return remaining.remove(remaining.size() - 1);
    }

    /**
     * Waits until each JVM has had turns with each lock again. Records the size of each JVM once when it has run for a
     * while.
     */
    private void awaitTurns() {
        for (Loader loader : loaders) {
            long before = loader.ask("turns")[0];
            Await.within(
                    PATIENCE, "the turns of " + loader.name() + " go on", () -> loader.ask("turns")[0] >= before + 3);
            if (loader.first()[0] == 0 && System.nanoTime() - loader.since() > TimeUnit.SECONDS.toNanos(10)) {
                System.arraycopy(loader.ask("size"), 0, loader.first(), 0, 2);
            }
        }
    }

    private void check(String name, SoakDeployment deployment) throws InterruptedException {
        List<String> growth = new ArrayList<>();
        for (Loader loader : loaders) {
            long[] first = loader.first();
            long[] last = loader.ask("size");
            if (first[0] > 0) {
                growth.add(String.format(
                        Locale.ROOT, "%d → %d kB, %d → %d threads", first[0] >> 10, last[0] >> 10, first[1], last[1]));
                assertThat(last[0]).as("heap, at first %d", first[0]).isLessThan(first[0] + MOST_BYTES);
                assertThat(last[1]).as("threads, at first %d", first[1]).isLessThanOrEqualTo(first[1] + 3);
            }
        }
        long lost = 0;
        long errors = 0;
        for (Loader loader : loaders) {
            long[] sums = loader.ask("stop");
            lost += sums[1];
            errors += sums[2];
            assertThat(loader.jvm().awaitExit(PATIENCE)).isZero();
        }
        Verdict verdict = HistoryChecker.checkEnded(History.read(directory));
        System.out.println("soak: " + name + ": " + verdict + "; faults " + faults + "; the last JVMs: " + lost
                + " losses, " + errors + " errors, " + growth);
        assertThat(verdict.violations()).allMatch(violation -> violation.rule() == Rule.EXCLUSION);
        assertThat(verdict.violations())
                .hasSizeLessThanOrEqualTo(deployment.mostOverlaps() * faults.getOrDefault(Fault.FAILOVER, 0));
    }

    private static void pause(long millis) throws InterruptedException {
        Thread.sleep(millis); // the duration of load or fault is part of the test
    }
}
