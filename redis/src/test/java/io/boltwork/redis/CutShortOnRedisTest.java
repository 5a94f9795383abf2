// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests stack overflows anywhere inside the client, Lettuce and Netty included. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class CutShortOnRedisTest {

    private static final int DEPTHS = Boolean.getBoolean("boltwork.proof") ? 1_000 : 12;
    private static final long STACK = 256 * 1024;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void locksWorkAfterStackOverflowsAnywhere(boolean byThread) throws InterruptedException {
        try (RedisServer server = RedisServer.start();
                LockClient client = LockClient.create(RedisBackend.connect(server.uri()));
                LockClient other = LockClient.create(RedisBackend.connect(server.uri()))) {
            FencedLock bystander = client.lock("bystander");
            for (int depth = 0; depth < DEPTHS; depth++) {
                FencedLock lock = client.lock("lock-" + depth);
                assertThat(endOfWalk(lock, byThread, depth)).isInstanceOf(StackOverflowError.class);
            }
            assertThat(works(bystander)).as("another lock").isTrue();
            List<String> stuck = new ArrayList<>();
            for (int i = 0; i < DEPTHS && stuck.size() < 3; i++) {
                if (!works(client.lock("lock-" + i))) {
                    stuck.add("lock-" + i + " here");
                }
                if (!works(other.lock("lock-" + i))) {
                    stuck.add("lock-" + i + " elsewhere");
                }
            }
            assertThat(stuck).isEmpty();
        }
    }

    private static boolean works(FencedLock lock) throws InterruptedException {
        Optional<Lease> lease = lock.tryAcquire(Slack.of(Duration.ofSeconds(5)));
        lease.ifPresent(Lease::close);
        return lease.isPresent();
    }

    private static Throwable endOfWalk(FencedLock lock, boolean byThread, int padding) throws InterruptedException {
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread thread = new Thread(
                null,
                () -> {
                    try {
                        pad(padding, () -> walk(lock, byThread));
                    } catch (Throwable cut) {
                        end.set(cut);
                    }
                },
                "small",
                STACK);
        thread.setDaemon(true);
        thread.start();
        thread.join(Slack.of(Duration.ofSeconds(30)).toMillis());
        assertThat(thread.isAlive()).as("it has ended").isFalse();
        return end.get();
    }

    private static void walk(FencedLock lock, boolean byThread) {
        if (byThread) {
            lock.lock();
            lock.unlock();
        } else {
            lock.acquire().close();
        }
        pad(25, () -> walk(lock, byThread));
    }

    private static void pad(int depth, Runnable body) {
        if (depth == 0) {
            body.run();
        } else {
            pad(depth - 1, body);
        }
    }
}
