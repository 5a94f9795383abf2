// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.testkit.LeavesNothingBehind;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Credentials that a provider gives, and that change while locks are used. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChangingCredentialsTest {
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static RedisServer redis;

    @RegisterExtension
    final LeavesNothingBehind nothing = new LeavesNothingBehind(() -> redis);

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @BeforeEach
    void deleteUsers() {
        for (Object user : (List<?>) redis.command("ACL", "USERS")) {
            if (!user.equals("default")) {
                redis.command("ACL", "DELUSER", user.toString());
            }
        }
    }

    private static Vault vault(Duration life) {
        return new Vault(List.of(redis), life);
    }

    private LockClient client(RedisOptions options) {
        return nothing.closing(LockClient.create(
                RedisBackend.connect(redis.uri(), options),
                ClientOptions.defaults().withOutagePatience(Duration.ofSeconds(30))));
    }

    private static RedisOptions with(Supplier<CompletionStage<RedisCredentials>> provider) {
        return RedisOptions.defaults().withCredentials(provider).withConnectTimeout(SHORT);
    }

    @Test
    void announcedRotationsBreakNoConnectionAndFailNoCall() {
        Vault vault = vault(SHORT);
        try (RotationLoad load = new RotationLoad(client(with(vault::get)))) {
            Set<String> connections = vault.connections(vault.user());
            assertThat(connections).as("commands, messages, callers").hasSizeBetween(3, 4);
            for (int i = 0; i < 3; i++) {
                String before = vault.next();
                vault.awaitUnused(before);
                vault.delete(before);
                load.awaitMore(100);
            }
            assertThat(vault.connections(vault.user()))
                    .as("the connections that are not those of callers have logged in anew")
                    .filteredOn(connections::contains)
                    .hasSizeGreaterThanOrEqualTo(2);
            assertThat(load.outages).hasValue(0);
        }
    }

    @Test
    void rotationsWithoutNoticeFailNoCall() {
        Vault vault = vault(null);
        try (RotationLoad load = new RotationLoad(client(with(vault::get)))) {
            for (int i = 0; i < 3; i++) {
                vault.delete(vault.next());
                load.awaitMore(100);
            }
            assertThat(load.outages).hasPositiveValue();
        }
    }

    /** A connection that listens with RESP2 accepts no AUTH. */
    @Test
    void aConnectionThatCannotLogInAnewIsReplaced() {
        Vault vault = vault(SHORT);
        RedisClient lettuce = RedisClient.create();
        try {
            lettuce.setOptions(io.lettuce.core.ClientOptions.builder()
                    .protocolVersion(ProtocolVersion.RESP2)
                    .build());
            RedisURI uri = RedisURI.create(redis.uri());
            LockClient client = LockClient.create(RedisBackend.connect(lettuce, uri, with(vault::get)));
            try (client;
                    RotationLoad load = new RotationLoad(client)) {
                String before = vault.next();
                vault.awaitUnused(before);
                vault.delete(before);
                load.awaitMore(100);
            }
        } finally {
            lettuce.shutdown();
        }
    }

    @Test
    void aStreamTellsOfNewCredentials() {
        Vault vault = vault(null);
        Sinks.Many<RedisCredentials> stream = Sinks.many().replay().latest();
        RedisURI uri = RedisURI.create(redis.uri());
        uri.setCredentialsProvider(new RedisCredentialsProvider() {
            @Override
            public Mono<RedisCredentials> resolveCredentials() {
                return Mono.fromFuture(vault::get);
            }

            @Override
            public boolean supportsStreaming() {
                return true;
            }

            @Override
            public Flux<RedisCredentials> credentials() {
                return stream.asFlux();
            }
        });
        LockClient client = nothing.closing(LockClient.create(RedisBackend.connect(uri)));
        try (RotationLoad load = new RotationLoad(client)) {
            String before = vault.next();
            stream.tryEmitNext(vault.get().join());
            vault.awaitUnused(before);
            vault.delete(before);
            load.awaitMore(100);
            assertThat(load.outages).hasValue(0);
        }
        client.close();
        assertThat(stream.currentSubscriberCount()).isZero();
    }

    /** A user that was taken away may keep its connections, and lose its rights. */
    @Test
    void aUserThatHasLostItsRightsIsReplaced() {
        Vault vault = vault(null);
        try (RotationLoad load = new RotationLoad(client(with(vault::get)))) {
            String before = vault.next();
            Await.until("the answer of the provider is some seconds old", olderThan(Duration.ofMillis(5_100)));
            redis.command("ACL", "SETUSER", before, "-@all");
            vault.awaitUnused(before);
            load.awaitMore(100);
        }
    }

    private static BooleanSupplier olderThan(Duration age) {
        long since = System.nanoTime();
        return () -> System.nanoTime() - since > age.toNanos();
    }

    @Test
    void aMissingRightStaysAnErrorAtOnce() {
        Vault vault = vault(null);
        FencedLock lock = client(with(vault::get)).lock("right");
        redis.command("ACL", "SETUSER", vault.user(), "-evalsha");
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(lock::lock)
                .withMessageContaining("the user lacks a right: +evalsha")
                .satisfies(e -> assertThat(e.isRetryable()).isFalse());
    }

    @Test
    void aRefusedPasswordIsAnOutageUntilTheProviderGivesTheRightOne() {
        Vault vault = vault(null);
        LockClient client = nothing.closing(LockClient.create(
                RedisBackend.connect(redis.uri(), with(vault::get)),
                ClientOptions.defaults().withOutagePatience(Slack.of(Duration.ofSeconds(2)))));
        FencedLock lock = client.lock("patience");
        redis.command("ACL", "SETUSER", vault.user(), "resetpass", ">another");
        redis.command("CLIENT", "KILL", "USER", vault.user());
        long begin = System.nanoTime();
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(lock::lock)
                .withMessageContaining("the server refused the user or password of the credentials provider [WRONGPASS")
                .withMessageNotContaining("s3cr3t")
                .satisfies(e -> assertThat(e.isRetryable()).isTrue());
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofSeconds(1));
        Task<Boolean> waits = Task.start("waits", () -> {
            lock.lock();
            lock.unlock();
            return true;
        });
        vault.next();
        assertThat(waits.get()).isTrue();
    }

    @Test
    void aStartWithARefusedPasswordMayBeTriedAgain() {
        RedisOptions wrong = with(() -> CompletableFuture.completedFuture(RedisCredentials.just("nobody", "s3cr3t")));
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> RedisBackend.connect(redis.uri(), wrong))
                .withMessageContaining("refused the user or password of the credentials provider")
                .withMessageNotContaining("s3cr3t")
                .satisfies(e -> assertThat(e.isRetryable()).isTrue());
        LockClient client = client(wrong.withLazyConnect(true));
        assertThat(client.health().connected()).isFalse();
    }

    @Test
    void aProviderThatGivesNoneIsAnOutageWithItsReason() throws Exception {
        fails(
                () -> {
                    throw new IllegalStateException("the vault is closed");
                },
                "has failed: java.lang.IllegalStateException: the vault is closed");
        fails(() -> CompletableFuture.failedFuture(new IllegalStateException("sealed")), "sealed");
        fails(() -> null, "it must return a stage, and not null");
        fails(() -> CompletableFuture.completedFuture(null), "has returned no credentials");
        fails(CompletableFuture::new, "has not answered within 1 s");
        CountDownLatch never = new CountDownLatch(1);
        fails(
                () -> {
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return null;
                },
                "has not answered within 1 s");
    }

    private static void fails(Supplier<CompletionStage<RedisCredentials>> provider, String reason) {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> RedisBackend.connect(redis.uri(), with(provider)))
                .withMessageStartingWith(
                        "Cannot log in to Redis at 127.0.0.1:" + redis.port() + ": the credentials provider ")
                .withMessageContaining(reason)
                .satisfies(e -> assertThat(e.isRetryable()).isTrue());
    }

    @Test
    void aProviderThatFailsMeanwhileEndsNoConnection() {
        Vault vault = vault(SHORT);
        CompletableFuture<RedisCredentials> hangs = new CompletableFuture<>();
        CompletableFuture<Boolean> isDown = new CompletableFuture<>();
        try (RotationLoad load = new RotationLoad(client(with(() -> {
            if (isDown.isDone()) {
                vault.asked.incrementAndGet();
                return hangs;
            }
            return vault.get();
        })))) {
            isDown.complete(true);
            int before = vault.asked.get();
            Await.until("it was asked again and again", () -> vault.asked.get() > before + 1);
            load.awaitMore(100);
            assertThat(load.outages).hasValue(0);
            hangs.complete(vault.get().join());
        }
    }

    @Test
    void wrongArgumentsAreRefused() {
        RedisOptions options = with(vault(null)::get);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connect("redis://me:s3cr3t@h", options))
                .withMessage("uri must have no user and password, because RedisOptions.withCredentials gives them;"
                        + " omit one of the two");
        assertThatNullPointerException()
                .isThrownBy(() -> options.withCredentials((RedisCredentialsProvider) null))
                .withMessage("provider");
        assertThatNullPointerException()
                .isThrownBy(() -> options.withCredentials((Supplier<CompletionStage<RedisCredentials>>) null))
                .withMessage("provider");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExpiringCredentials.of("me", "", Instant.EPOCH))
                .withMessage("password must not be empty");
        assertThat(options).asString().contains("credentials given");
        assertThat(ExpiringCredentials.of("me", "s3cr3t", Instant.EPOCH))
                .hasToString("ExpiringCredentials[user=me, expiresAt=1970-01-01T00:00:00Z]");
        assertThat(RedisOptions.defaults().withSentinelCredentials(vault(null)::get))
                .hasToString("RedisOptions[keyPrefix=boltwork, sentinelCredentials given]");
    }
}
