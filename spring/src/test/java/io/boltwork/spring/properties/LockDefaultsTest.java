// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.elsewhere;
import static io.boltwork.spring.TestApplication.memory;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.LockRelease;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import io.boltwork.annotation.operation.LockDefaults;
import io.boltwork.annotation.operation.LockOperation;
import io.boltwork.spring.BoltworkLockRegistry;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.operation.LockOperationSource;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The properties {@code boltwork.lock.*} that apply if neither annotation nor code sets an option. */
class LockDefaultsTest {
    private static final String ALL = "boltwork.lock.";
    private static final String GROUP = "boltwork.lock.names.plain.";

    /** A method that sets no option, and a method that sets all options. */
    public static class Tuned {
        @DistributedLock("plain:1")
        public String plain() {
            return "done";
        }

        @DistributedLock(
                name = "own:1",
                group = "own",
                mode = LockMode.LOCK,
                type = LockType.REENTRANT,
                waitFor = "7s",
                renewedLease = "7s",
                minHold = "7ms",
                maxHold = "7m",
                takeoverDelay = "7ms",
                release = LockRelease.AWAITED,
                replication = "none",
                onRefused = OnRefused.THROW,
                onUnavailable = OnUnavailable.THROW,
                onLost = OnLost.THROW)
        public String own() {
            return "done";
        }
    }

    private static ApplicationContextRunner tuned(String... properties) {
        return memory().withBean(Tuned.class).withPropertyValues(properties);
    }

    private interface Check {
        void check(LockOperation operation) throws Exception;
    }

    /** Checks that a property applies to the method without options, and that the group's property overrides it. */
    private static void applies(String property, String value, String groups, Check check, Check groupsCheck) {
        LockOperation[] own = new LockOperation[1];
        tuned().run(context -> own[0] = operation(context.getBean(LockOperationSource.class), "own"));
        tuned(ALL + property + "=" + value).run(context -> {
            LockOperationSource source = context.getBean(LockOperationSource.class);
            check.check(operation(source, "plain"));
            assertThat(operation(source, "own"))
                    .as("the annotation overrides " + property)
                    .isEqualTo(own[0]);
        });
        tuned(ALL + property + "=" + value, GROUP + property + "=" + groups)
                .run(context -> groupsCheck.check(operation(context.getBean(LockOperationSource.class), "plain")));
    }

    private static void option(String property, String value, String text, String groups, String groupsText) {
        applies(
                property,
                value,
                groups,
                operation -> assertThat(operation.options().toString()).contains(text),
                operation -> assertThat(operation.options().toString()).contains(groupsText));
    }

    private static LockOperation operation(LockOperationSource source, String method) throws NoSuchMethodException {
        return source.find(Tuned.class.getMethod(method), Tuned.class)
                .operations()
                .get(0);
    }

    @Test
    void durations() {
        option("lease", "9s", "fixed lease of 9 s", "8s", "fixed lease of 8 s");
        option("renewed-lease", "9s", "renewed lease of 9 s", "8s", "renewed lease of 8 s");
        option("min-hold", "9s", "taken at least 9 s", "8s", "taken at least 8 s");
        option("max-hold", "9s", "held at most 9 s", "8s", "held at most 8 s");
        option("takeover-delay", "9s", "takeover after 9 s", "8s", "takeover after 8 s");
        applies(
                "wait-for",
                "9s",
                "8s",
                operation -> assertThat(operation.waitFor()).isEqualTo(Duration.ofSeconds(9)),
                operation -> assertThat(operation.waitFor()).isEqualTo(Duration.ofSeconds(8)));
    }

    @Test
    void leaseOfAGroupOverridesTheOtherKindOfLease() {
        tuned(ALL + "lease=9s", GROUP + "renewed-lease=8s")
                .run(context -> assertThat(operation(context.getBean(LockOperationSource.class), "plain")
                                .options()
                                .toString())
                        .contains("renewed lease of 8 s"));
        tuned(ALL + "renewed-lease=9s", GROUP + "lease=8s")
                .run(context -> assertThat(operation(context.getBean(LockOperationSource.class), "plain")
                                .options()
                                .toString())
                        .contains("fixed lease of 8 s"));
    }

    @Test
    void choices() {
        option("type", "fair", "FIFO", "reentrant", "renewed lease of 30 s, on loss NOTIFY");
        option("release", "sent", "release not awaited", "awaited", "renewed lease of 30 s, on loss NOTIFY");
        option("on-lost", "interrupt", "on loss INTERRUPT", "throw", "on loss NOTIFY");
        applies(
                "mode",
                "try",
                "lock",
                operation -> {
                    assertThat(operation.mode()).isEqualTo(LockMode.TRY);
                    assertThat(operation.waitFor()).isEqualTo(Duration.ZERO);
                },
                operation -> assertThat(operation.mode()).isEqualTo(LockMode.LOCK));
        applies(
                "on-refused",
                "return-null",
                "throw",
                operation -> assertThat(operation.onRefused()).isEqualTo(OnRefused.RETURN_NULL),
                operation -> assertThat(operation.onRefused()).isEqualTo(OnRefused.THROW));
        applies(
                "on-unavailable",
                "return-null",
                "throw",
                operation -> assertThat(operation.onUnavailable()).isEqualTo(OnUnavailable.RETURN_NULL),
                operation -> assertThat(operation.onUnavailable()).isEqualTo(OnUnavailable.THROW));
    }

    @Test
    void replicationAndReplicationWithin() {
        String within = ALL + "replication-within=200ms";
        tuned(ALL + "replication=2", within)
                .run(context -> assertThat(replication(context.getBean(LockOperationSource.class)))
                        .isEqualTo(Replication.atLeast(2, Duration.ofMillis(200))));
        tuned(ALL + "replication=disk", within)
                .run(context -> assertThat(replication(context.getBean(LockOperationSource.class)))
                        .isEqualTo(Replication.onDisk(Duration.ofMillis(200))));
        tuned(ALL + "replication=disk", within, GROUP + "replication=none")
                .run(context -> assertThat(replication(context.getBean(LockOperationSource.class)))
                        .isNull());
        tuned(GROUP + "replication=1", GROUP + "replication-within=100ms")
                .run(context -> assertThat(replication(context.getBean(LockOperationSource.class)))
                        .isEqualTo(Replication.atLeast(1, Duration.ofMillis(100))));
    }

    private static Replication replication(LockOperationSource source) throws NoSuchMethodException {
        return operation(source, "plain").options().replication().orElse(null);
    }

    @Test
    void everyDefaultHasItsProperty() {
        tuned(
                        "boltwork.lock.group=all",
                        "boltwork.lock.mode=skip",
                        "boltwork.lock.type=fair",
                        "boltwork.lock.wait-for=1s",
                        "boltwork.lock.renewed-lease=2s",
                        "boltwork.lock.min-hold=3s",
                        "boltwork.lock.max-hold=4s",
                        "boltwork.lock.takeover-delay=5s",
                        "boltwork.lock.release=sent",
                        "boltwork.lock.replication=6",
                        "boltwork.lock.replication-within=7ms",
                        "boltwork.lock.on-refused=return-null",
                        "boltwork.lock.on-unavailable=return-null",
                        "boltwork.lock.on-lost=ignore")
                .run(context -> assertThat(
                                context.getBean(BoltworkProperties.class).lock().defaults())
                        .isEqualTo(new LockDefaults(
                                "all",
                                LockMode.SKIP,
                                LockType.FAIR,
                                Duration.ofSeconds(1),
                                null,
                                Duration.ofSeconds(2),
                                Duration.ofSeconds(3),
                                Duration.ofSeconds(4),
                                Duration.ofSeconds(5),
                                LockRelease.SENT,
                                Replication.atLeast(6, Duration.ofMillis(7)),
                                OnRefused.RETURN_NULL,
                                OnUnavailable.RETURN_NULL,
                                OnLost.IGNORE)));
        tuned("boltwork.lock.lease=8s")
                .run(context -> assertThat(context.getBean(BoltworkProperties.class)
                                .lock()
                                .defaults()
                                .lease())
                        .isEqualTo(Duration.ofSeconds(8)));
    }

    @Test
    void group() {
        tuned(ALL + "group=all").run(context -> {
            LockOperationSource source = context.getBean(LockOperationSource.class);
            assertThat(operation(source, "plain").group()).isEqualTo("all");
            assertThat(operation(source, "own").group()).isEqualTo("own");
        });
    }

    @Test
    void refusalFollowsTheDefaults() {
        tuned(ALL + "mode=try", ALL + "on-refused=return-null").run(context -> {
            try (Lease lease = elsewhere(context.getBean(LockClient.class), "plain:1")) {
                assertThat(lease.isValid()).isTrue();
                assertThat(context.getBean(Tuned.class).plain()).isNull();
            }
        });
    }

    @Test
    void templateAndRegistryHaveTheSameDefaults() {
        tuned(ALL + "renewed-lease=9s", ALL + "wait-for=30ms", ALL + "on-lost=interrupt")
                .run(context -> {
                    LockClient locks = context.getBean(LockClient.class);
                    LockTemplate template = context.getBean(LockTemplate.class);
                    assertThat(template.<Duration, RuntimeException>execute("code", lease -> lease.remaining()))
                            .isLessThanOrEqualTo(Duration.ofSeconds(9));
                    assertThat(template.<Boolean>executeAsync(
                                            "code", lease -> CompletableFuture.completedFuture(lease.isValid()))
                                    .join())
                            .as("onLost applies only to methods")
                            .isTrue();
                    BoltworkLockRegistry registry = context.getBean(BoltworkLockRegistry.class);
                    registry.obtain("registry").lock();
                    assertThat(locks.lock("registry")
                                    .currentLease()
                                    .orElseThrow()
                                    .remaining())
                            .isLessThanOrEqualTo(Duration.ofSeconds(9));
                    registry.obtain("registry").unlock();
                    try (Lease lease = elsewhere(locks, "taken")) {
                        long begun = System.nanoTime();
                        assertThatExceptionOfType(LockRefusedException.class)
                                .isThrownBy(() -> template.execute("taken", () -> "done"))
                                .withMessageContaining("30 ms");
                        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Slack.seconds(10));
                        assertThat(lease.isValid()).isTrue();
                    }
                });
    }

    @Test
    void templateAndRegistryHaveTheFixedLeaseOfTheProperty() {
        tuned(ALL + "lease=9s").run(context -> {
            assertThat(context.getBean(LockTemplate.class)
                            .<Duration, RuntimeException>execute("code", lease -> lease.remaining()))
                    .as("30 s by default")
                    .isLessThanOrEqualTo(Duration.ofSeconds(9));
            BoltworkLockRegistry registry = context.getBean(BoltworkLockRegistry.class);
            registry.obtain("registry").lock();
            assertThat(context.getBean(LockClient.class)
                            .lock("registry")
                            .currentLease()
                            .orElseThrow()
                            .remaining())
                    .isLessThanOrEqualTo(Duration.ofSeconds(9));
            registry.obtain("registry").unlock();
        });
    }

    /** A server without replicas grants no lock that requires one. */
    @Test
    void templateWaitsForTheReplicas() {
        try (RedisServer server = RedisServer.start()) {
            redis().withPropertyValues(
                            "boltwork.redis.uri=" + server.uri(),
                            ALL + "replication=1",
                            ALL + "replication-within=50ms")
                    .run(context -> assertThatExceptionOfType(BackendException.class)
                            .isThrownBy(
                                    () -> context.getBean(LockTemplate.class).execute("code", () -> "done"))
                            .withMessageContaining("replica"));
        }
    }

    @Test
    void defaultsWithoutPropertiesAreThoseOfCore() {
        tuned().run(context -> assertThat(
                        context.getBean(BoltworkProperties.class).lock().defaults())
                .isEqualTo(LockDefaults.standard())
                .extracting(LockDefaults::options)
                .isEqualTo(LockOptions.defaults()));
    }

    @ParameterizedTest
    @ValueSource(strings = {ALL, GROUP})
    void wrongValueIsAnErrorThatNamesTheProperty(String prefix) {
        assertWrong(tuned(), prefix + "lease=1ms", "lease must be");
        assertWrong(tuned(), prefix + "renewed-lease=1ms", "lease must be");
        assertWrong(tuned(prefix + "lease=9s"), prefix + "renewed-lease=9s", "must not be set together with");
        assertWrong(tuned(), prefix + "min-hold=-1s", "minHold must be");
        assertWrong(tuned(prefix + "max-hold=1s"), prefix + "min-hold=2s", "minHold must not be longer");
        assertWrong(tuned(), prefix + "max-hold=0s", "maxHold must be");
        assertWrong(tuned(), prefix + "takeover-delay=-1s", "takeoverDelay must be");
        assertWrong(tuned(), prefix + "wait-for=-1s", "at least 0 ms");
        assertWrong(tuned(), prefix + "replication=2", "needs " + prefix + "replication-within");
        assertWrong(tuned(), prefix + "replication-within=2s", "needs " + prefix + "replication.");
        ApplicationContextRunner within = tuned(prefix + "replication-within=200ms");
        assertWrong(within, prefix + "replication=many", "a number of replicas");
        assertWrong(within, prefix + "replication=0", "replicas must be 1 to 100");
        assertWrong(tuned(prefix + "replication=disk"), prefix + "replication-within=2m", "within must be");
        for (String choice : new String[] {"mode", "type", "release", "on-refused", "on-unavailable", "on-lost"}) {
            assertWrong(tuned(), prefix + choice + "=perhaps", "perhaps");
        }
    }
}
