// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests a key of another type where a lock should be. */
class KeyOfAnotherTypeTest {

    private final RedisServer server = RedisServer.start();
    private final LockClient client = LockClient.create(RedisBackend.connect(server.uri()));

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    @Test
    void everyMethodFailsAtOnceAndNamesTheKey() {
        server.command("SET", "boltwork:{cart}", "not a lock");
        FencedLock lock = client.lock("cart");
        long start = System.nanoTime();
        for (ThrowingCallable form : List.<ThrowingCallable>of(
                lock::lock,
                lock::lockInterruptibly,
                lock::tryLock,
                () -> lock.tryLock(20, TimeUnit.SECONDS),
                lock::acquire,
                lock::isLocked,
                () -> lock.acquireAsync().toCompletableFuture().join())) {
            assertThatThrownBy(form)
                    .satisfies(thrown -> assertThat(thrown instanceof BackendException ? thrown : thrown.getCause())
                            .isInstanceOfSatisfying(
                                    BackendException.class,
                                    failure -> assertThat(failure.isRetryable()).isFalse())
                            .hasMessageContaining("boltwork:{cart}"));
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Slack.seconds(5));
        assertThat(server.command("GET", "boltwork:{cart}")).isEqualTo("not a lock");
    }

    @Test
    void aHoldWithAnOverwrittenKeyIsLostWithoutHarmToOthers() {
        LockOptions shortLease = LockOptions.renewedLease(Duration.ofSeconds(1));
        Lease spoilt = client.lock("spoilt", shortLease).acquire();
        Lease sound = client.lock("sound", shortLease).acquire();
        server.command("SET", "boltwork:{spoilt}", "not a lock");
        assertThat(spoilt.whenLost().toCompletableFuture())
                .succeedsWithin(Slack.seconds(3))
                .extracting(LeaseLoss::reason)
                .isEqualTo(LeaseLoss.Reason.EXPIRED);
        assertThat(sound.isValid()).isTrue();
        sound.release();
    }
}
