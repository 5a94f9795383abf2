// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.Faults;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** JVMs that get no processor while they connect. Redis is well. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("alone")
class FrozenStartTest {

    /** Lettuce's own limit, twice this one, counts the time of the freeze, too. */
    private static final Duration LIMIT = Duration.ofSeconds(3);

    @Test
    void aJvmThatIsFrozenForLongerThanItsLimitConnects() throws Exception {
        try (RedisServer redis = RedisServer.start();
                FaultyLink link = FaultyLink.to(redis)) {
            redis.freeze(); // so that the JVM is frozen in the middle of an attempt
            try (ChildJvm jvm = start(link.uri(), LIMIT)) {
                Await.within(
                        Duration.ofMinutes(1),
                        "it has begun to connect",
                        () -> link.connections(FaultyLink.Kind.ALL) > 0);
                Fault freeze = Faults.freeze(jvm);
                freeze.inject();
                TimeUnit.MILLISECONDS.sleep(LIMIT.toMillis() * 6 / 5); // time passes for the frozen JVM
                redis.thaw();
                freeze.heal();
                assertThat(jvm.nextLine(Duration.ofMinutes(1))).isEqualTo("granted");
            }
        }
    }

    @Test
    void aJvmOnABusyMachineConnectsAndLocks() throws Exception {
        List<Thread> busy = IntStream.range(0, 40)
                .mapToObj(i -> new Thread(FrozenStartTest::spin, "busy-" + i))
                .toList();
        try (RedisServer redis = RedisServer.start()) {
            busy.forEach(Thread::start);
            try (ChildJvm jvm = start(redis.uri(), Duration.ofSeconds(10))) {
                assertThat(jvm.nextLine(Duration.ofMinutes(3))).isEqualTo("granted");
            }
        } finally {
            busy.forEach(Thread::interrupt);
        }
    }

    private static void spin() {
        while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }

    private static ChildJvm start(String uri, Duration connectTimeout) {
        return ChildJvm.start(Starting.class, uri, connectTimeout.toString());
    }

    /** Connects, and takes and releases a lock. */
    static final class Starting {
        private Starting() {}

        public static void main(String[] args) {
            RedisOptions options = RedisOptions.defaults().withConnectTimeout(Duration.parse(args[1]));
            try (LockClient client = LockClient.create(RedisBackend.connect(args[0], options))) {
                client.lock("lock").acquire().release();
                System.out.println("granted");
            } catch (BackendException failed) {
                System.out.println(failed);
            }
        }
    }
}
