// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Clients acquire a lock, lose their connections, and connect again, 86,400 times with the profile soak. Nothing grows:
 * neither heap, threads, and descriptors of their JVM, nor keys and connections of the server.
 */
@Tag("alone")
@EnabledIfSystemProperty(
        named = "boltwork.cycles",
        matches = "\\d{4,}",
        disabledReason = "needs at least 1,920 cycles: -Dboltwork.cycles=1920, or the profile soak")
@Timeout(value = 40, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeakTest {
    private static final int CYCLES = Integer.getInteger("boltwork.cycles", 1_920);
    private static final int SAMPLES = 40;

    /** The samples while caches fill: a client remembers its last 1,024 connections. */
    private static final int WARM_UP = 24;

    /** The growth of the smallest heap, from one half of the other samples to the next, that counts as a leak. */
    private static final long MOST_BYTES = 1 << 20;

    /** The number of threads or descriptors by which samples differ without a leak. */
    private static final int FEW = 3;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The sizes after some cycles, while all clients are connected and none holds a lock. */
    private record Sample(long cycles, long heap, long threads, long descriptors, long keys, long connections) {

        static Sample of(String line, RedisServer redis) {
            String[] words = line.split(" ");
            return new Sample(
                    Long.parseLong(words[1]),
                    Long.parseLong(words[2]),
                    Long.parseLong(words[3]),
                    Long.parseLong(words[4]),
                    (Long) Objects.requireNonNull(redis.command("DBSIZE")),
                    connectionsOf(redis));
        }

        private static long connectionsOf(RedisServer redis) {
            return Objects.toString(redis.command("CLIENT", "LIST")).lines().count();
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "leak check: %,7d cycles, %,6d kB of heap, %d threads, %d descriptors, %d keys, %d connections",
                    cycles,
                    heap >> 10,
                    threads,
                    descriptors,
                    keys,
                    connections);
        }
    }

    @Test
    void nothingGrowsWhenConnectionsAreCut() throws Exception {
        List<Sample> samples = new ArrayList<>();
        List<FaultyLink> links = new ArrayList<>();
        try (RedisServer redis = RedisServer.start()) {
            for (int i = 0; i < CutJvm.CLIENTS; i++) {
                links.add(FaultyLink.to(redis));
            }
            List<String> arguments = new ArrayList<>(List.of("" + CYCLES, "" + SAMPLES));
            links.forEach(link -> arguments.add(link.uri()));
            try (ChildJvm jvm = ChildJvm.start(CutJvm.class, List.of("-Xmx256m", "-XX:+UseSerialGC"), arguments)) {
                String line = jvm.nextLine(PATIENCE);
                for (; line != null && !line.equals("done"); line = jvm.nextLine(PATIENCE)) {
                    String[] words = line.split(" ");
                    if (words[0].equals("cut")) {
                        links.get(Integer.parseInt(words[1]))
                                .cut(FaultyLink.Kind.ALL)
                                .inject();
                    } else {
                        Await.until(
                                "the server has noticed that connections are cut",
                                () -> Sample.connectionsOf(redis) == 2 * CutJvm.CLIENTS + 1);
                        samples.add(Sample.of(line, redis));
                        System.out.println(samples.get(samples.size() - 1));
                        jvm.send("go");
                    }
                }
                assertThat(line).as("the last line of the clients").isEqualTo("done");
                assertThat(jvm.awaitExit(PATIENCE)).isZero();
            }
        } finally {
            links.forEach(FaultyLink::close);
        }
        check(samples);
    }

    private static void check(List<Sample> samples) {
        assertThat(samples).hasSize(SAMPLES);
        List<Sample> warm = samples.subList(WARM_UP, SAMPLES);
        int half = warm.size() / 2;
        long before = leastHeap(warm.subList(0, half));
        long after = leastHeap(warm.subList(half, warm.size()));
        System.out.printf(Locale.ROOT, "leak check: at least %,d kB of heap, then %,d kB%n", before >> 10, after >> 10);
        assertThat(after).as("bytes of heap").isLessThan(before + MOST_BYTES);
        Sample first = warm.get(0);
        Sample last = warm.get(warm.size() - 1);
        assertThat(mostThreads(warm.subList(half, warm.size())))
                .as("threads; some come and go with callbacks")
                .isLessThanOrEqualTo(mostThreads(warm.subList(0, half)) + FEW);
        assertThat(last.descriptors()).as("descriptors").isLessThanOrEqualTo(first.descriptors() + FEW);
        assertThat(last.keys())
                .as("keys of locks and clients")
                .isLessThanOrEqualTo(CutJvm.CLIENTS * (CutJvm.NAMES + 1));
        assertThat(last.connections()).as("connections").isEqualTo(first.connections());
    }

    /** Returns the smallest heap. Pools of buffers grow and shrink. */
    private static long mostThreads(List<Sample> samples) {
        return samples.stream().mapToLong(Sample::threads).max().orElseThrow();
    }

    private static long leastHeap(List<Sample> samples) {
        return samples.stream().mapToLong(Sample::heap).min().orElseThrow();
    }
}
