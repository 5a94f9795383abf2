// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.LeavesNothingBehind;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Errors that a proxy answers in place of a server, which has executed the commands. One that no list knows may pass,
 * so callers wait; one that lasts is thrown at once.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class PassingErrorsTest {
    private static final String PASSING = "ERR upstream connect error or disconnect/reset before headers";
    private static final String LASTING = "ERR unknown command 'EVALSHA'";

    private static RedisServer redis;
    private static RespProxy proxy;

    @RegisterExtension
    final LeavesNothingBehind nothing = new LeavesNothingBehind(() -> redis);

    private final AtomicInteger errors = new AtomicInteger();
    private LockClient client;
    private LockClient other;

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
        proxy = new RespProxy(redis);
    }

    @AfterAll
    static void stop() {
        proxy.close();
        redis.close();
    }

    @BeforeEach
    void connect() {
        client = LockClient.create(RedisBackend.connect(proxy.uri()));
        other = LockClient.create(RedisBackend.connect(redis.uri()));
    }

    @AfterEach
    void close() {
        heal();
        client.close();
        other.close();
    }

    private void answer(String error) {
        errors.set(0);
        proxy.change(value -> {
            if (!value.isLockAnswer()) {
                return value;
            }
            errors.incrementAndGet();
            return RespProxy.Value.error(error);
        });
    }

    private static void heal() {
        proxy.change(value -> value);
    }

    private static BackendException failure(ThrowingCallable call) {
        return catchThrowableOfType(BackendException.class, call);
    }

    @Test
    void callersWaitUntilAnUnknownErrorHasPassed() {
        answer(PASSING);
        FencedLock lock = client.lock("waits");
        Task<Boolean> locks = Task.start("locks", () -> {
            lock.lock();
            lock.unlock();
            return true;
        });
        Task<Boolean> tries = Task.start("tries", () -> client.lock("tries").tryLock(30, TimeUnit.SECONDS));
        Task<Lease> permit =
                Task.start("permit", () -> client.semaphore("permit", 1).acquire());
        Task<Boolean> latch = Task.start("latch", () -> client.latch("latch").trySetCount(1));
        Await.until("all were refused several times", () -> errors.get() > 12);
        assertThat(locks.isDone() || tries.isDone() || permit.isDone() || latch.isDone())
                .isFalse();
        heal();
        assertThat(locks.get()).isTrue();
        assertThat(tries.get()).isTrue();
        assertThat(permit.get().isValid()).isTrue();
        assertThat(latch.get()).isTrue();
    }

    @Test
    void aTryFailsWithTheWordsOfTheServerAndMayBeRepeated() {
        answer(PASSING);
        for (ThrowingCallable call : new ThrowingCallable[] {
            () -> client.lock("tried").tryLock(),
            () -> client.lock("tried").tryLock(300, TimeUnit.MILLISECONDS),
            () -> client.inspector().forceRelease("tried")
        }) {
            assertThat(failure(call)).hasMessageContaining(PASSING).matches(BackendException::isRetryable);
        }
        heal();
        Await.until("nothing of the tries is left", () -> other.lock("tried").tryLock());
    }

    @Test
    void aHoldOutlivesAnUnknownErrorAndItsReleaseIsRepeated() {
        Duration length = Slack.seconds(3);
        FencedLock lock = client.lock("held", LockOptions.renewedLease(length));
        lock.lock();
        Lease lease = lock.currentLease().orElseThrow();
        answer(PASSING);
        Await.until("renewals were refused", () -> errors.get() > 1);
        heal();
        Await.until("it was renewed", () -> lease.remaining().compareTo(length.dividedBy(2)) > 0);
        answer(PASSING);
        lock.unlock();
        heal();
        Await.until("it is free", () -> other.lock("held").tryLock());
    }

    @Test
    void anErrorThatLastsIsThrownAtOnce() {
        answer(LASTING);
        long start = System.nanoTime();
        assertThat(failure(() -> client.lock("wrong").lock()))
                .hasMessageContaining("unknown command")
                .matches(failure -> !failure.isRetryable());
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .as("not after the outage patience")
                .isLessThan(Slack.seconds(5));
        heal();
        Await.until("nothing is left", () -> other.lock("wrong").tryLock());
    }

    @Test
    void aCommandThatTheServerDoesNotHaveIsNamedAtOnce() {
        try (RedisServer renamed = RedisServer.start("--rename-command", "HMGET", "");
                LockClient there = LockClient.create(RedisBackend.connect(renamed.uri()))) {
            long start = System.nanoTime();
            assertThat(failure(() -> there.lock("wrong").lock()))
                    .hasMessageContainingAll("Redis at 127.0.0.1:" + renamed.port(), "nknown", "ommand")
                    .matches(failure -> !failure.isRetryable());
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Slack.seconds(5));
        }
    }
}
