// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.ServerTime;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OpenedMessageTest {
    private static final String RUN = "0123456789abcdef0123456789abcdef01234567";

    private static byte[] bytes(String message) {
        return message.getBytes(StandardCharsets.UTF_8);
    }

    private static @Nullable LatchOpened parsed(String message) {
        return OpenedMessage.parse(bytes(message), RUN, new KeySpace("boltwork"));
    }

    @Test
    void anOpenedMessageIsRead() {
        LatchOpened opened = new LatchOpened("a {latch}", 12, new ServerTime(34, RUN));
        assertThat(parsed(GrantMessage.origin(RUN) + " 12 34 - boltwork:latch:{a %7Blatch%7D}"))
                .isEqualTo(opened);
        assertThat(parsed(GrantMessage.origin(RUN) + ":tag 12 34 - boltwork:latch:{a %7Blatch%7D}"))
                .as("with sharded channels")
                .isEqualTo(opened);
    }

    @Test
    void anOpenedMessageOfAnotherServerIsIgnored() {
        assertThat(parsed("999999abcdef 12 34 - boltwork:latch:{l}")).isNull();
    }

    @Test
    void itIsToldApartFromATakenMessage() {
        assertThat(OpenedMessage.isOne(bytes("run 12 34 - boltwork:latch:{l}"))).isTrue();
        assertThat(OpenedMessage.isOne(bytes("run 12 34 a:7 boltwork:{l}"))).isFalse();
        assertThat(OpenedMessage.isOne(bytes("12 34"))).isFalse();
        assertThat(OpenedMessage.isOne(bytes("- ".repeat(65_537)))).isFalse();
    }

    @Test
    void aMalformedOpenedMessageIsRejected() {
        isNone("it has 2 words", "12 34");
        isNone("its generation is no number", GrantMessage.origin(RUN) + " x 34 - boltwork:latch:{l}");
        isNone("its generation is 0", GrantMessage.origin(RUN) + " 0 34 - boltwork:latch:{l}");
        isNone("its time is -1", GrantMessage.origin(RUN) + " 12 -1 - boltwork:latch:{l}");
        isNone("Not the key of a latch", GrantMessage.origin(RUN) + " 12 34 - boltwork:{l}");
    }

    private static void isNone(String why, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> parsed(message)).withMessageContaining(why);
    }
}
