// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.history.History;
import io.boltwork.testkit.history.HistoryChecker;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
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
 * Three JVMs load two locks while faults come at random from a printed seed, for ten seconds, or ten minutes with
 * the profile soak. {@code -Dboltwork.seed} repeats the faults, but not the schedule of the threads.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("alone")
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SoakTest extends Promises {
    private static final Duration DURATION = Duration.ofSeconds(Long.getLong("boltwork.soak", 10));
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The time without faults at the end, so that everything settles. */
    private static final Duration CALM = Duration.ofSeconds(4);

    private static final int JVMS = 3;
    private static final int THREADS = 4;

    private final List<Loader> loaders = new ArrayList<>();
    private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
    private final List<Fault> remaining = new ArrayList<>();
    private Random random;
    private int started;
    private Path directory;

    private enum Fault {
        JVM_KILLED,
        JVM_FROZEN,
        JVM_FROZEN_PAST_ITS_LEASES,
        REDIS_FROZEN,
        CONNECTIONS_KILLED,
        SUBSCRIPTIONS_KILLED,
        SCRIPTS_FORGOTTEN
    }

    /** A JVM and its report after warming up. */
    private record Loader(ChildJvm jvm, String name, long since, long[] first) {
        /** A report: bytes of heap, threads, turns, errors. */
        long[] report() throws InterruptedException {
            jvm.send("report");
            String line = Objects.requireNonNull(jvm.nextLine(PATIENCE), "a report of a JVM");
            String[] words = line.split(" ");
            return new long[] {
                Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3])
            };
        }
    }

    @AfterEach
    void endJvms() {
        loaders.forEach(loader -> loader.jvm().close());
    }

    @Test
    void exclusionSurvivesRandomFaultsUnderLoadAndNothingIsLeft(@TempDir Path temporary) throws Exception {
        directory = temporary;
        long seed = Long.getLong("boltwork.seed", System.nanoTime());
        System.out.println("soak: " + DURATION.toSeconds() + " s, -Dboltwork.seed=" + seed);
        random = new Random(seed);
        for (int i = 0; i < JVMS; i++) {
            loaders.add(start(i));
        }
        long begin = System.nanoTime();
        while (since(begin).compareTo(DURATION.minus(CALM)) < 0) {
            pause(300 + random.nextInt(1_500));
            fault();
            warm();
        }
        pause(CALM.toMillis());
        end(faults.getOrDefault(Fault.JVM_KILLED, 0));
    }

    private Loader start(int number) throws InterruptedException {
        String name = "loader-" + ++started;
        ChildJvm jvm = ChildJvm.start(
                SoakJvm.class,
                List.of("-Xmx64m"),
                List.of(
                        server.uri(),
                        directory.toString(),
                        "" + number,
                        "" + THREADS,
                        "" + random.nextLong(),
                        histories.toString(),
                        name));
        assertThat(jvm.nextLine(PATIENCE)).isEqualTo("ready");
        return new Loader(jvm, name, System.nanoTime(), new long[4]);
    }

    /** Injects a fault and heals it. */
    private void fault() throws InterruptedException {
        int number = random.nextInt(JVMS);
        ChildJvm jvm = loaders.get(number).jvm();
        assertThat(jvm.isAlive()).as("JVM " + number + " has ended by itself").isTrue();
        Fault fault = next();
        faults.merge(fault, 1, Integer::sum);
        switch (fault) {
            case JVM_KILLED -> {
                jvm.close();
                history.killed(loaders.get(number).name());
                pause(random.nextInt(500));
                loaders.set(number, start(number));
            }
            case JVM_FROZEN -> {
                jvm.freeze();
                pause(random.nextInt(1_000)); // well below the margin, see SoakJvm
                jvm.thaw();
            }
            case JVM_FROZEN_PAST_ITS_LEASES -> {
                jvm.send("quiet"); // no lock protects a thread that is stopped between the check of its lease and a
                // write
                assertThat(jvm.nextLine(PATIENCE)).isEqualTo("quiet");
                jvm.freeze();
                pause(SoakJvm.LEASE.toMillis() + 500 + random.nextInt(1_500));
                jvm.thaw();
                jvm.send("work");
            }
            case REDIS_FROZEN -> {
                server.freeze();
                pause(random.nextInt(3_000));
                server.thaw();
            }
            case CONNECTIONS_KILLED -> server.command("CLIENT", "KILL", "TYPE", "normal");
            case SUBSCRIPTIONS_KILLED -> server.command("CLIENT", "KILL", "TYPE", "pubsub");
            case SCRIPTS_FORGOTTEN -> server.command("SCRIPT", "FLUSH");
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

    /** Records each JVM once when it has run for a while. */
    private void warm() throws InterruptedException {
        for (Loader loader : loaders) {
            if (loader.first()[0] == 0 && since(loader.since()).compareTo(Duration.ofSeconds(5)) > 0) {
                System.arraycopy(loader.report(), 0, loader.first(), 0, 4);
            }
        }
    }

    private void end(int kills) throws IOException, InterruptedException {
        long least = 2L * JVMS + 1;
        long most = least + (long) RedisOptions.defaults().directConnections() * JVMS;
        Await.until(
                "two connections for each client, and those of callers",
                () -> connections() >= least && connections() <= most);
        long turns = 0;
        long errors = 0;
        List<String> growth = new ArrayList<>();
        for (Loader loader : loaders) {
            long[] last = loader.report();
            turns += last[2];
            errors += last[3];
            long[] first = loader.first();
            if (first[0] > 0) {
                growth.add(
                        String.format("%d → %d kB, %d → %d threads", first[0] >> 10, last[0] >> 10, first[1], last[1]));
                assertThat(last[0]).as("heap, at first %d", first[0]).isLessThan(first[0] + (4 << 20));
                assertThat(last[1]).as("threads, at first %d", first[1]).isLessThanOrEqualTo(first[1] + 3);
            }
        }
        assertThat(keys()).as("keys of locks").isEqualTo(SoakJvm.LOCKS.size());
        for (Loader loader : loaders) {
            loader.jvm().send("stop");
        }
        for (Loader loader : loaders) {
            assertThat(loader.jvm().nextLine(PATIENCE)).startsWith("stopped ");
            assertThat(loader.jvm().awaitExit(PATIENCE)).isZero();
        }
        for (int i = 0; i < SoakJvm.LOCKS.size(); i++) {
            SharedCounter counter = SharedCounter.open(SoakJvm.counter(directory, i));
            long own = counter.of(0) + counter.of(1) + counter.of(2);
            System.out.println("soak: " + SoakJvm.lock(i) + " " + counter.value() + " holds");
            // a JVM killed between the sum and its own count has increased the sum only
            assertThat(counter.value()).as(SoakJvm.lock(i)).isBetween(own, own + kills);
            assertThat(counter.tokens()).isSorted().doesNotHaveDuplicates();
            String lock = SoakJvm.lock(i);
            Await.until("no client holds or wants " + lock, () -> isFree(lock));
        }
        System.out.println(
                "soak: " + HistoryChecker.checkEnded(History.read(histories)).orThrow());
        System.out.println(
                "soak: faults " + faults + "; the last JVMs: " + turns + " turns, " + errors + " errors, " + growth);
    }

    private long keys() {
        return ((List<?>) Objects.requireNonNull(server.command("KEYS", "boltwork:{soak:*"))).size();
    }

    private static void pause(long millis) throws InterruptedException {
        Thread.sleep(millis); // the duration of load or fault is part of the test
    }
}
