// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.LockKind;
import io.boltwork.redis.Client;
import io.boltwork.spi.Grant;
import io.boltwork.spi.ServerTime;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class GrantMessageTest {
    private static final String RUN = "0123456789abcdef0123456789abcdef01234567";

    private static @Nullable Grant parsed(String message) {
        return GrantMessage.parse(message.getBytes(StandardCharsets.UTF_8), RUN, new KeySpace("boltwork"));
    }

    @Test
    void aGrantIsRead() {
        assertThat(parsed(GrantMessage.origin(RUN) + " 12 34 56 a:7 boltwork:{a lock}"))
                .isEqualTo(new Grant("a lock", "a:7", 12, 56, new ServerTime(34, RUN)));
    }

    @Test
    void aGrantOfASharedLockHasABlockOfTokens() {
        ServerTime server = new ServerTime(34, RUN);
        assertThat(parsed(GrantMessage.origin(RUN) + " 12-1011 34 56 a:7 boltwork:semaphore:{a lock}"))
                .isEqualTo(new Grant("a lock", "a:7", 12, 56, server, LockKind.SEMAPHORE, 1_011));
        assertThat(parsed(GrantMessage.origin(RUN) + ":tag 12-12 34 56 a:7 boltwork:readwrite:{a lock}"))
                .as("a block of one token, with sharded channels")
                .isEqualTo(new Grant("a lock", "a:7", 12, 56, server, LockKind.READ_WRITE, 12));
    }

    @Test
    void aGrantWithAnotherBlockIsRejected() {
        isNoGrant("its last token is no number", GrantMessage.origin(RUN) + " 12- 34 56 a:7 boltwork:semaphore:{l}");
        isNoGrant("its last token is no number", GrantMessage.origin(RUN) + " 12-1-2 34 56 a:7 boltwork:semaphore:{l}");
        isNoGrant("its last token is 11", GrantMessage.origin(RUN) + " 12-11 34 56 a:7 boltwork:semaphore:{l}");
        isNoGrant("its token is -12", GrantMessage.origin(RUN) + " -12 34 56 a:7 boltwork:semaphore:{l}");
        isNoGrant("it has no last token", GrantMessage.origin(RUN) + " 12 34 56 a:7 boltwork:semaphore:{l}");
        isNoGrant("it has a last token", GrantMessage.origin(RUN) + " 12-1011 34 56 a:7 boltwork:{l}");
    }

    @Test
    void aMessageOfAnotherServerIsNoGrant() {
        assertThat(parsed("999999abcdef 12 34 56 a:7 boltwork:{a lock}")).isNull();
    }

    @Test
    void aMalformedMessageIsRejected() {
        isNoGrant("it has 2 words", "12 34");
        isNoGrant("its token is no number", GrantMessage.origin(RUN) + " x 34 56 a:7 boltwork:{a lock}");
        isNoGrant("its lease is no number", GrantMessage.origin(RUN) + " 12 34  a:7 boltwork:{a lock}");
        isNoGrant("Not the key of a lock", GrantMessage.origin(RUN) + " 12 34 56 a:7 other:{a lock}");
        isNoGrant("Not the key of a lock", GrantMessage.origin(RUN) + " 12-13 34 56 a:7 boltwork:latch:{a lock}");
        isNoGrant("it has 65537 bytes", "x".repeat(65_537));
    }

    @Test
    void aGrantWithoutATokenOrWithALongLeaseIsRejected() {
        isNoGrant("its token is 0", GrantMessage.origin(RUN) + " 0 34 56 a:7 boltwork:{a lock}");
        isNoGrant("its token is -5", GrantMessage.origin(RUN) + " -5 34 56 a:7 boltwork:{a lock}");
        isNoGrant("its lease is 0", GrantMessage.origin(RUN) + " 12 34 0 a:7 boltwork:{a lock}");
        isNoGrant("its lease is 3001", GrantMessage.origin(RUN) + " 12 34 3001 a:7 boltwork:{a lock}");
        isNoGrant("its time is -1", GrantMessage.origin(RUN) + " 12 -1 56 a:7 boltwork:{a lock}");
    }

    private static void isNoGrant(String why, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> parsed(message)).withMessageContaining(why);
    }

    @Test
    void malformedMessagesAreCountedAndReportedOnce() throws Exception {
        try (RedisServer server = RedisServer.start();
                Client client = Client.open("a", server.uri())) {
            for (int i = 0; i < 100; i++) {
                server.command("PUBLISH", "boltwork:grants:a", "nonsense");
            }
            server.command(
                    "PUBLISH",
                    "boltwork:grants:a",
                    GrantMessage.origin(ServerInfo.field(info(server), "run_id")) + " 1 2 3 a:2 boltwork:{l}");
            assertThat(soon(client.grants).request())
                    .as("later messages are read")
                    .isEqualTo("a:2");
            assertThat(client.backend.malformedMessages()).isEqualTo(100);
            assertThat(client.warnings)
                    .filteredOn(warning -> warning.contains("not a grant"))
                    .hasSize(1);
        }
    }

    /**
     * Tests a message that the old master relays. Redis replicates messages, so a client that still listens at the old
     * master receives those of the new one.
     */
    @Test
    void aGrantRelayedByTheOldMasterIsNoGrant() throws Exception {
        RedisClient plain = RedisClient.create();
        try (ReplicaGroup group = ReplicaGroup.start(1)) {
            RedisServer old = group.servers().get(0);
            RedisServer next = group.servers().get(1);
            BlockingQueue<String> relayed = new LinkedBlockingQueue<>();
            try (Client late = Client.open("late", old.uri());
                    StatefulRedisPubSubConnection<String, String> subscription =
                            plain.connectPubSub(RedisURI.create(old.uri()))) {
                subscription.addListener(new RedisPubSubAdapter<>() {
                    @Override
                    public void message(String channel, String message) {
                        relayed.add(message);
                    }
                });
                subscription.sync().subscribe("boltwork:grants:late");
                late.acquire("l", "gone:1");
                late.acquire("l", "late:1");
                late.acquire("l", "prompt:1");
                Await.until(
                        "the replica knows the queue",
                        () -> Objects.equals(
                                next.command("HLEN", "boltwork:{l}"), old.command("HLEN", "boltwork:{l}")));
                group.replace(old, next);
                group.follow(old, next);
                try (Client prompt = Client.open("prompt", next.uri())) {
                    prompt.withdraw("l", "gone:1", 0);
                    assertThat(soon(prompt.grants).request()).isEqualTo("prompt:1");
                    assertThat(soon(relayed)).contains("late:1");
                    String own =
                            GrantMessage.origin(ServerInfo.field(info(old), "run_id")) + " 1 2 3 late:2 boltwork:{l}";
                    old.command("PUBLISH", "boltwork:grants:late", own);
                    assertThat(soon(late.grants).request())
                            .as("the grant after the relayed one")
                            .isEqualTo("late:2");
                }
            }
        } finally {
            plain.shutdown();
        }
    }

    private static String info(RedisServer server) {
        return String.valueOf(server.command("INFO", "server"));
    }

    private static <T> T soon(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
        return Objects.requireNonNull(next, "nothing has come");
    }
}
