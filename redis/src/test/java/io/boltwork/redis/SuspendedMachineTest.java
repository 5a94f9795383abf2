// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.history.HistoryWriter;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a JVM that is frozen as if its machine was suspended: its wall clock and the server's clock advance by a
 * minute meanwhile, its monotonic clock does not.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SuspendedMachineTest {
    private static final long SECONDS = 60;

    @Test
    void aSuspendedHolderLearnsWithinASecondThatItsLeasesEnded(@TempDir Path histories)
            throws IOException, InterruptedException {
        Optional<Path> library = SteppedRedis.library();
        assumeTrue(library.isPresent(), "SKIPPED: needs libfaketime (Debian: faketime), which is not installed");
        try (SteppedRedis redis = SteppedRedis.start().orElseThrow()) {
            redis.runAhead(0);
            try (HistoryWriter history = HistoryWriter.open(histories, "test");
                    RemoteClient suspended = start(redis, library.orElseThrow(), histories, history);
                    LockClient others =
                            LockClient.create(RedisBackend.connect(redis.uri()), ClientOptions.defaults())) {
                suspend(redis, suspended, others);
            }
        }
    }

    private static RemoteClient start(SteppedRedis redis, Path library, Path histories, HistoryWriter history) {
        Map<String, String> environment = Map.of(
                "LD_PRELOAD", library.toString(),
                "FAKETIME_TIMESTAMP_FILE", redis.clock().toString(),
                "FAKETIME_CACHE_DURATION", "1", // s; reading the file each time would slow the JVM down
                "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                "FAKETIME_FORCE_MONOTONIC_FIX", "0"); // otherwise waits of the JVM end at once
        return RemoteClient.start(redis.uri(), histories, history, List.of("suspended"), environment)
                .get(0);
    }

    private static void suspend(SteppedRedis redis, RemoteClient suspended, LockClient others) throws IOException {
        suspended.tell("renewed", "life renewed renewed:30000");
        suspended.tell("fixed", "life fixed fixed:50000");
        assertThat(suspended.ask("spared", "lock spared renewed:30000")).startsWith("locked ");
        assertThat(suspended.ask("long", "lock long fixed:600000")).startsWith("locked ");
        for (String name : List.of("renewed", "fixed")) {
            Await.until(name + " is held", () -> others.lock(name).isLocked());
        }
        suspended.freeze();
        redis.runAhead(SECONDS);
        Lease renewed = others.lock("renewed").tryAcquire().orElseThrow();
        Lease fixed = others.lock("fixed").tryAcquire().orElseThrow();
        long goesOn = System.nanoTime();
        suspended.thaw();
        for (String thread : List.of("renewed", "fixed")) {
            Duration both = Duration.ofNanos(suspended.numbers(thread, "lost").get(2) - goesOn);
            System.out.printf("suspended: the %s lease was valid for %d ms afterwards%n", thread, both.toMillis());
            // libfaketime shows the new time within a second, and the client compares its clocks once a second
            assertThat(both).isLessThan(Duration.ofSeconds(2).plus(Slack.of(Duration.ofMillis(500))));
        }
        assertThat(renewed.isValid()).isTrue();
        assertThat(fixed.isValid()).isTrue();
        for (String name : List.of("spared", "long")) {
            Await.until(
                    name + " is valid",
                    () -> suspended.ask(name, "valid " + name).equals("true"));
            assertThat(suspended.ask(name, "unlock " + name)).isEqualTo("unlocked");
        }
        renewed.release();
        fixed.release();
    }
}
