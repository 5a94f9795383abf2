// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.redis.call.Script;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Measures pairs of {@code lock()} and {@code unlock()} beside the same two scripts sent with Lettuce alone, in one
 * run. By default it is short, to check that everything works and every thread gets a turn; {@code
 * -Dboltwork.measure=5} measures for 5 s each.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("alone")
class ThroughputTest {
    /** The idle life of a lock's key, in milliseconds. */
    private static final String LIFE = "600000";

    private static final double SECONDS = Double.parseDouble(System.getProperty("boltwork.measure", "0.3"));
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void aContendedLockServesAllAndIsNotBoundByTheNetwork() throws Exception {
        try (RedisServer server = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(server.uri()))) {
            for (int threads : List.of(1, 16, 64)) {
                raw(server, threads);
                own(client, threads);
            }
            assertThat(requestsForAPair(server, client, 2))
                    .isLessThan(2.1); // a thread that asks again too late asks Redis
            assertThat(requestsForAPair(server, client, 16)).isLessThan(0.5);
            assertThat(requestsForAPair(server, client, 100)).isLessThan(0.5);
            CommandStats.reset(server);
            assertThat(requestsForAPair(server, oneOfSeveralJvms(server, 4, 4))).isLessThan(0.5);
        }
    }

    /**
     * Returns the number of requests per pair at a contended lock; an uncontended pair takes two. Unlike the speed,
     * this number does not depend on other load of the machine.
     */
    private static double requestsForAPair(RedisServer server, LockClient client, int threads)
            throws InterruptedException {
        IntFunction<Runnable> actions = i -> pair(client.lock("one"));
        Load.of(threads, SECONDS / 2, actions);
        CommandStats.reset(server);
        Load load = report("Boltwork, " + threads + " threads, one lock", Load.of(threads, SECONDS, actions));
        return requestsForAPair(server, load);
    }

    private static double requestsForAPair(RedisServer server, Load load) {
        double requests = CommandStats.of(server).requests();
        return requests / LongStream.of(load.turns()).sum();
    }

    private static void raw(RedisServer server, int threads) throws InterruptedException {
        RedisClient lettuce = RedisClient.create(server.uri());
        try (StatefulRedisConnection<String, String> connection = lettuce.connect()) {
            RedisCommands<String, String> redis = connection.sync();
            String acquire = redis.scriptLoad(Script.ACQUIRE.text());
            String release = redis.scriptLoad(Script.RELEASE.text());
            measure("the two scripts with Lettuce, " + threads + " threads, own locks", threads, i -> {
                String[] key = {"boltwork:{raw:" + i + "}"};
                return () -> {
                    List<Object> granted = redis.evalsha(
                            acquire,
                            ScriptOutputType.MULTI,
                            key,
                            "c:" + 1,
                            "30000",
                            "0",
                            "1",
                            "9999999999999",
                            "",
                            LIFE);
                    String token = granted.get(3).toString();
                    redis.evalsha(
                            release,
                            ScriptOutputType.MULTI,
                            key,
                            "c:" + 1,
                            token,
                            token,
                            "0",
                            "",
                            "0",
                            "0",
                            "0",
                            "",
                            "",
                            LIFE);
                };
            });
        } finally {
            lettuce.shutdown();
        }
    }

    private static void own(LockClient client, int threads) throws InterruptedException {
        measure("Boltwork, " + threads + " threads, own locks", threads, i -> pair(client.lock("own:" + i)));
    }

    private static Runnable pair(FencedLock lock) {
        return () -> {
            lock.lock();
            lock.unlock();
        };
    }

    private static void measure(String what, int threads, IntFunction<Runnable> actions) throws InterruptedException {
        Load.of(threads, SECONDS / 2, actions);
        report(what, Load.of(threads, SECONDS, actions));
    }

    private static Load oneOfSeveralJvms(RedisServer server, int jvms, int threads) throws InterruptedException {
        List<ChildJvm> children = new ArrayList<>();
        try {
            for (int i = 0; i < jvms; i++) {
                children.add(ChildJvm.start(Load.class, server.uri(), "shared", "" + threads, "" + SECONDS));
            }
            for (ChildJvm child : children) {
                assertThat(child.nextLine(PATIENCE)).isEqualTo("ready");
            }
            children.forEach(child -> child.send("go"));
            List<Load> loads = new ArrayList<>();
            for (ChildJvm child : children) {
                loads.add(Load.parse(Objects.requireNonNull(child.nextLine(PATIENCE))));
            }
            return report("Boltwork, " + jvms + " JVMs × " + threads + " threads, one lock", Load.together(loads));
        } finally {
            children.forEach(ChildJvm::close);
        }
    }

    private static Load report(String what, Load load) {
        System.out.printf("%-58s %9.0f pairs/s, fairness %.3f%n", what, load.perSecond(), load.fairness());
        assertThat(load.turns()).as("turns, " + what).doesNotContain(0L);
        return load;
    }
}
