// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.spi.LockFreed;
import io.boltwork.spi.ServerTime;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FreedMessageTest {
    private static final String RUN = "0123456789abcdef0123456789abcdef01234567";

    private static byte[] bytes(String message) {
        return message.getBytes(StandardCharsets.UTF_8);
    }

    private static @Nullable LockFreed parsed(String message) {
        return FreedMessage.parse(bytes(message), RUN, new KeySpace("boltwork"));
    }

    @Test
    void aFreedMessageIsRead() {
        LockFreed freed = new LockFreed("a {vote}", new ServerTime(34, RUN));
        assertThat(parsed(GrantMessage.origin(RUN) + " 0 34 + boltwork:{a %7Bvote%7D}"))
                .isEqualTo(freed);
        assertThat(parsed(GrantMessage.origin(RUN) + ":tag 0 34 + boltwork:{a %7Bvote%7D}"))
                .as("with sharded channels")
                .isEqualTo(freed);
    }

    @Test
    void aFreedMessageOfAnotherServerIsIgnored() {
        assertThat(parsed("999999abcdef 0 34 + boltwork:{l}")).isNull();
    }

    @Test
    void itIsToldApartFromOtherMessages() {
        assertThat(FreedMessage.isOne(bytes("run 0 34 + boltwork:{l}"))).isTrue();
        assertThat(FreedMessage.isOne(bytes("run 12 34 - boltwork:latch:{l}"))).isFalse();
        assertThat(FreedMessage.isOne(bytes("run 12 34 a:7 boltwork:{l}"))).isFalse();
        assertThat(FreedMessage.isOne(bytes("0 34"))).isFalse();
        assertThat(FreedMessage.isOne(bytes("+ ".repeat(65_537)))).isFalse();
        assertThat(OpenedMessage.isOne(bytes("run 0 34 + boltwork:{l}"))).isFalse();
    }

    @Test
    void aMalformedFreedMessageIsRejected() {
        isNone("it has 2 words", "0 34");
        isNone("its time is -1", GrantMessage.origin(RUN) + " 0 -1 + boltwork:{l}");
        isNone("its time is no number", GrantMessage.origin(RUN) + " 0 x + boltwork:{l}");
        isNone("Not the key of a lock", GrantMessage.origin(RUN) + " 0 34 + another:{l}");
        isNone("Not the key of a plain lock", GrantMessage.origin(RUN) + " 0 34 + boltwork:semaphore:{l}");
    }

    private static void isNone(String why, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> parsed(message)).withMessageContaining(why);
    }
}
