// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two JVMs with Redisson and two with Boltwork take one lock of one Redis in turn, while JVMs of both sides are killed:
 * no two of them ever hold it, and neither side waits much longer than four JVMs with Redisson alone. With
 * {@code -Dboltwork.proof=true} the full 100,000 turns, the last Redisson before version 4, too, and the waits.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class MixedHistoriesTest {
    private static final boolean PROOF = Boolean.getBoolean("boltwork.proof");
    private static final int TURNS = PROOF ? 100_000 : 2_000;
    private static final int COMPARED_TURNS = 5_000;
    private static final int THREADS = 2;
    private static final String LOCK = "orders";

    @TempDir
    Path directory;

    /** A hold. A JVM that was killed while it held has no end of its own. */
    private record Hold(String jvm, long begun, long ended, long waited) {}

    /** A JVM and the file of its holds. */
    private record Contestant(String library, ChildJvm jvm, Path file, long[] killed) {}

    static List<String> versions() {
        return PROOF ? List.of("4.7.0", "3.52.0") : List.of("4.7.0");
    }

    @ParameterizedTest
    @MethodSource("versions")
    void noTwoHoldTheLockWhicheverLibraryTheyUse(String version) throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            List<Contestant> sites = new ArrayList<>();
            try {
                for (int i = 0; i < 2; i++) {
                    sites.add(start("redisson", version, redis, sites.size(), 0));
                    sites.add(start("boltwork", version, redis, sites.size(), 0));
                }
                sites.forEach(MixedHistoriesTest::begin);
                for (int i = 1; i <= 4; i++) {
                    int part = TURNS * i / 5;
                    awaitTurns(sites, part);
                    Contestant killed = sites.get(i - 1);
                    kill(killed);
                    Contestant next = start(killed.library, version, redis, sites.size(), 0);
                    sites.add(next);
                    begin(next);
                }
                awaitTurns(sites, TURNS);
                end(sites);
            } finally {
                sites.forEach(site -> site.jvm.close());
            }
            List<Hold> holds = holds(sites);
            assertThat(overlaps(holds)).isEmpty();
            Map<String, Long> turns = new HashMap<>();
            holds.forEach(hold -> turns.merge(hold.jvm.replaceAll("-.*", ""), 1L, Long::sum));
            System.out.println("bridge, Redisson " + version + ": " + holds.size()
                    + " turns, 4 JVMs killed, no overlap: " + turns);
            assertThat(turns.get("redisson")).isGreaterThan(TURNS / 20L);
            assertThat(turns.get("boltwork")).isGreaterThan(TURNS / 20L);
        }
    }

    /** Shows that the histories tell when two hold the lock. */
    @Test
    void withoutTheBridgeHoldsOverlap() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            List<Contestant> sites = new ArrayList<>();
            try {
                sites.add(start("redisson", "4.7.0", redis, 0, 1_000));
                sites.add(start("unbridged", "4.7.0", redis, 1, 1_000));
                sites.forEach(MixedHistoriesTest::begin);
                awaitTurns(sites, 200);
                end(sites);
            } finally {
                sites.forEach(site -> site.jvm.close());
            }
            assertThat(overlaps(holds(sites))).isNotEmpty();
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "for mvn verify -Pproof")
    void neitherSideWaitsMuchLongerThanRedissonAlone() throws Exception {
        Map<String, Long> alone = waits(List.of("redisson", "redisson", "redisson", "redisson"));
        Map<String, Long> mixed = waits(List.of("redisson", "boltwork", "redisson", "boltwork"));
        System.out.printf(
                Locale.ROOT,
                "bridge: p99 of a wait, ms: %d with Redisson alone; mixed: %d with Redisson, %d with Boltwork%n",
                alone.get("redisson") / 1_000_000,
                mixed.get("redisson") / 1_000_000,
                mixed.get("boltwork") / 1_000_000);
        double bound = 3 * Slack.factor() * alone.get("redisson");
        assertThat((double) mixed.get("redisson")).isLessThan(bound);
        assertThat((double) mixed.get("boltwork")).isLessThan(bound);
    }

    /** Returns the p99 of the waits by library, in nanoseconds. */
    private Map<String, Long> waits(List<String> libraries) throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            List<Contestant> sites = new ArrayList<>();
            try {
                for (String library : libraries) {
                    sites.add(start(library, "4.7.0", redis, sites.size(), 1_000));
                }
                sites.forEach(MixedHistoriesTest::begin);
                awaitTurns(sites, COMPARED_TURNS);
                end(sites);
            } finally {
                sites.forEach(site -> site.jvm.close());
            }
            List<Hold> holds = holds(sites);
            assertThat(overlaps(holds)).isEmpty();
            Map<String, List<Long>> waits = new HashMap<>();
            holds.forEach(hold -> waits.computeIfAbsent(hold.jvm.replaceAll("-.*", ""), key -> new ArrayList<>())
                    .add(hold.waited));
            Map<String, Long> p99 = new HashMap<>();
            waits.forEach((library, list) ->
                    p99.put(library, list.stream().sorted().toList().get(list.size() * 99 / 100)));
            return p99;
        }
    }

    // ---------------------------------------------------------------- JVMs

    private Contestant start(String library, String version, RedisServer redis, int number, int turnMicros) {
        Path file = directory.resolve(library + "-" + version + "-" + number + "-" + System.nanoTime());
        List<String> jvm = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m"));
        if (!version.equals("4.7.0")) {
            jvm.addAll(List.of("-cp", classPath(version)));
        }
        ChildJvm child = ChildJvm.start(
                BridgeJvm.class,
                jvm,
                List.of(
                        library,
                        redis.uri(),
                        LOCK,
                        Integer.toString(THREADS),
                        file.toString(),
                        Integer.toString(turnMicros)));
        Contestant site = new Contestant(library, child, file, new long[1]);
        await(site, "ready");
        return site;
    }

    /** Returns the class path of this JVM, with another version of Redisson and its dependencies in front. */
    private static String classPath(String version) {
        Path copied = Path.of("target", "redisson").toAbsolutePath();
        assertThat(copied.resolve("redisson-" + version + ".jar"))
                .as("copied by the build")
                .exists();
        return copied + File.separator + "*" + File.pathSeparator + System.getProperty("java.class.path");
    }

    private static void await(Contestant site, String line) {
        try {
            String said = site.jvm.nextLine(Slack.seconds(60));
            while (said != null && !said.equals(line)) { // the log of Redisson
                said = site.jvm.nextLine(Slack.seconds(60));
            }
            assertThat(said).isEqualTo(line);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void begin(Contestant site) {
        site.jvm.send("begin");
    }

    private static void kill(Contestant site) {
        site.jvm.kill();
        site.killed[0] = System.nanoTime();
    }

    private static void end(List<Contestant> sites) {
        for (Contestant site : sites) {
            if (site.killed[0] == 0) {
                site.jvm.send("end");
            }
        }
        for (Contestant site : sites) {
            if (site.killed[0] == 0) {
                await(site, "done");
            }
        }
    }

    private static void awaitTurns(List<Contestant> sites, int turns) {
        long[] before = {-1, System.nanoTime()};
        Await.within(Duration.ofMinutes(20), turns + " turns", () -> {
            long now = sites.stream().mapToLong(MixedHistoriesTest::turns).sum();
            if (now > before[0]) {
                before[0] = now;
                before[1] = System.nanoTime();
            }
            assertThat(Duration.ofNanos(System.nanoTime() - before[1]))
                    .as("no turn")
                    .isLessThan(Slack.seconds(40));
            return now >= turns;
        });
    }

    private static long turns(Contestant site) {
        try {
            return Files.exists(site.file) ? Files.size(site.file) / BridgeJvm.EVENT / 2 : 0;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    // ---------------------------------------------------------------- histories

    private static List<Hold> holds(List<Contestant> sites) throws IOException {
        List<Hold> holds = new ArrayList<>();
        for (Contestant site : sites) {
            ByteBuffer events = ByteBuffer.wrap(Files.readAllBytes(site.file));
            String jvm = site.file.getFileName().toString();
            Map<Long, long[]> open = new HashMap<>();
            while (events.remaining() >= BridgeJvm.EVENT) {
                long thread = events.getLong();
                boolean begins = events.get() == 1;
                long when = events.getLong();
                long waited = events.getLong();
                if (begins) {
                    open.put(thread, new long[] {when, waited});
                } else {
                    long[] begun = open.remove(thread);
                    holds.add(new Hold(jvm, begun[0], when, begun[1]));
                }
            }
            open.values().forEach(begun -> holds.add(new Hold(jvm, begun[0], site.killed[0], begun[1])));
        }
        holds.sort(Comparator.comparingLong(Hold::begun));
        return holds;
    }

    /** Returns all pairs of holds that overlap. */
    private static List<String> overlaps(List<Hold> holds) {
        List<String> found = new ArrayList<>();
        Hold last = holds.get(0);
        for (Hold hold : holds.subList(1, holds.size())) {
            if (hold.begun < last.ended) {
                found.add(last + " and " + hold);
            }
            if (hold.ended > last.ended) {
                last = hold;
            }
        }
        return found;
    }
}
