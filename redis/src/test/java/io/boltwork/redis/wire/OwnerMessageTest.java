// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.LockKind;
import io.boltwork.redis.Client;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LockWanted;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Shrunk;
import io.boltwork.testkit.server.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class OwnerMessageTest {
    private static final String RUN = "0123456789abcdef0123456789abcdef01234567";

    private static @Nullable HolderMessage parsed(String message) {
        return OwnerMessage.parse(message.getBytes(StandardCharsets.UTF_8), RUN, new KeySpace("boltwork"));
    }

    @Test
    void aTakenMessageIsRead() {
        HoldTaken taken = new HoldTaken("a lock", "a:7", 12, new ServerTime(34, RUN));
        assertThat(parsed(GrantMessage.origin(RUN) + " 12 34 a:7 boltwork:{a lock}"))
                .isEqualTo(taken);
        assertThat(parsed(GrantMessage.origin(RUN) + ":tag 12 34 a:7 boltwork:{a lock}"))
                .as("with sharded channels")
                .isEqualTo(taken);
    }

    @Test
    void aPartOfASharedLockIsTakenFromItsHolder() {
        ServerTime server = new ServerTime(34, RUN);
        assertThat(parsed(GrantMessage.origin(RUN) + " 12 34 a:7 boltwork:semaphore:{a lock}"))
                .isEqualTo(new HoldTaken("a lock", "a:7", 12, server, LockKind.SEMAPHORE));
        assertThat(parsed(GrantMessage.origin(RUN) + " 12 34 a:7 boltwork:readwrite:{a lock}"))
                .isEqualTo(new HoldTaken("a lock", "a:7", 12, server, LockKind.READ_WRITE));
    }

    @Test
    void aMessageThatALockIsWantedIsRead() {
        assertThat(parsed(GrantMessage.origin(RUN) + " ?12 34 a:-7 boltwork:{a lock}"))
                .isEqualTo(new LockWanted("a lock", "a:-7", 12, new ServerTime(34, RUN)));
        isNone("its token is no number", GrantMessage.origin(RUN) + " ? 34 a:-7 boltwork:{a lock}");
    }

    @Test
    void aMessageThatACapacityHasBecomeSmallerIsRead() {
        assertThat(parsed(GrantMessage.origin(RUN) + " <3 34 a:7 boltwork:semaphore:{a lock}"))
                .isEqualTo(new Shrunk("a lock", "a:7", 3, new ServerTime(34, RUN), LockKind.SEMAPHORE));
        isNone("its capacity is 0", GrantMessage.origin(RUN) + " <0 34 a:7 boltwork:semaphore:{a lock}");
        isNone("its capacity is no number", GrantMessage.origin(RUN) + " < 34 a:7 boltwork:semaphore:{a lock}");
    }

    /** Redis replicates messages, so a replica relays those of its new master. */
    @Test
    void aTakenMessageOfAnotherServerIsIgnored() {
        assertThat(parsed("999999abcdef 12 34 a:7 boltwork:{a lock}")).isNull();
        assertThat(parsed(GrantMessage.origin(RUN) + "9 12 34 a:7 boltwork:{a lock}"))
                .isNull();
    }

    @Test
    void aMalformedTakenMessageIsRejected() {
        isNone("it has 2 words", "12 34");
        isNone("its token is no number", GrantMessage.origin(RUN) + " x 34 a:7 boltwork:{a lock}");
        isNone("its token is 0", GrantMessage.origin(RUN) + " 0 34 a:7 boltwork:{a lock}");
        isNone("its time is -1", GrantMessage.origin(RUN) + " 12 -1 a:7 boltwork:{a lock}");
        isNone("Not the key of a lock", GrantMessage.origin(RUN) + " 12 34 a:7 other:{a lock}");
        isNone("Not the key of a lock", GrantMessage.origin(RUN) + " 12 34 a:7 boltwork:latch:{a lock}");
        isNone("its token is no number", GrantMessage.origin(RUN) + " 12-13 34 a:7 boltwork:semaphore:{a lock}");
        isNone("it has 65537 bytes", "x".repeat(65_537));
    }

    private static void isNone(String why, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> parsed(message)).withMessageContaining(why);
    }

    @Test
    void aClientIgnoresTakenMessagesOfOtherServers() throws Exception {
        try (RedisServer server = RedisServer.start();
                Client client = Client.open("a", server.uri())) {
            String run = client.acquire("l", "a:1").server().run();
            server.command("PUBLISH", "boltwork:told:a", "nonsense");
            server.command("PUBLISH", "boltwork:told:a", "999999abcdef 1 2 a:1 boltwork:{l}");
            server.command("PUBLISH", "boltwork:told:a", GrantMessage.origin(run) + " 2 3 a:1 boltwork:{l}");
            HoldTaken received = client.takings.poll(Duration.ofSeconds(15).toMillis(), TimeUnit.MILLISECONDS);
            assertThat(received)
                    .isNotNull()
                    .extracting(HoldTaken::token)
                    .as("the first message read")
                    .isEqualTo(2L);
            assertThat(client.backend.malformedMessages()).isEqualTo(1);
        }
    }
}
