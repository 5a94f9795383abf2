// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CloseTest {
    private static final Query.Inspect INSPECT = new Query.Inspect("l");
    private static final Command.Acquire ACQUIRE = new Command.Acquire("l", "a:1", true, Client.LEASE, 0, Client.NEVER);

    private static Set<Thread> lettuceThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lettuce"))
                .collect(Collectors.toSet());
    }

    @Test
    void closeLeavesNoConnectionAndNoThread() {
        Set<Thread> before = lettuceThreads();
        try (RedisServer redis = RedisServer.start()) {
            Client client = Client.open("a", redis.uri());
            client.acquire("l", "a:1");
            client.close();
            client.close();
            assertThat(String.valueOf(redis.command("CLIENT", "LIST")).lines()).hasSize(1);
            assertThat(client.events).as("a close is not reported as an outage").isEmpty();

            Failed failed = (Failed) Client.await(client.send(ACQUIRE));
            assertThat(failed.executed()).isFalse();
            assertThat(failed.cause()).hasMessageContaining("closed");
            assertThat(Client.await(client.send(INSPECT))).isInstanceOf(Failed.class);
        }
        long end = System.nanoTime() + Slack.seconds(15).toNanos();
        while (lettuceThreads().stream().anyMatch(thread -> !before.contains(thread) && thread.isAlive())) {
            assertThat(System.nanoTime()).as("threads that are left").isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Test
    void aFailedConnectLeavesNoThread() {
        Set<Thread> before = lettuceThreads();
        RedisServer redis = RedisServer.start();
        redis.close();
        try {
            RedisBackend.connect(redis.uri()).close();
        } catch (io.boltwork.BackendException e) {
            // as expected
        }
        long end = System.nanoTime() + Slack.seconds(15).toNanos();
        while (lettuceThreads().stream().anyMatch(thread -> !before.contains(thread) && thread.isAlive())) {
            assertThat(System.nanoTime()).as("threads that are left").isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Test
    void closeEndsInTimeAndFailsPendingCommandsOfASilentServer() {
        try (RedisServer redis = RedisServer.start();
                Client client = Client.open("a", redis.uri())) {
            redis.freeze();
            CompletableFuture<Reply> acquired = client.send(ACQUIRE);
            CompletableFuture<Reply> inspected = client.send(INSPECT);
            long begin = System.nanoTime();
            client.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Slack.seconds(4));
            assertThat(((Failed) Client.await(acquired)).executed()).isTrue();
            assertThat(Client.await(inspected)).isInstanceOf(Failed.class);
            redis.thaw();
        }
    }

    @Test
    void closeMayBeCalledByAHandler() {
        try (RedisServer redis = RedisServer.start()) {
            Client client = Client.open("a", redis.uri());
            CompletableFuture<Reply> reply = new CompletableFuture<>();
            client.backend.send(ACQUIRE, answer -> {
                client.close();
                reply.complete(answer);
            });
            assertThat(Client.await(reply)).isInstanceOf(Reply.Acquired.class);
        }
    }

    @Test
    void closeWorksWhileTheServerIsDown() {
        RedisServer redis = RedisServer.start();
        try (Client client = Client.open("a", redis.uri())) {
            redis.close();
            assertThat(client.nextEvent()).isInstanceOf(Throwable.class);
        }
    }
}
