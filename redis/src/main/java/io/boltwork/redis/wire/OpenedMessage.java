// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.ServerTime;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The message that the count of a latch has become zero: {@code <origin> <generation> <server ms> - <key>}. It comes on
 * the channel of a {@link OwnerMessage}, which has a request in place of the dash. Only the key may contain blanks.
 */
public final class OpenedMessage {
    private static final int WORDS = 5;
    private static final int DASH = 3;

    private OpenedMessage() {}

    /** Returns whether a message is about a latch. */
    public static boolean isOne(byte[] body) {
        String[] words = words(body);
        return words.length == WORDS && words[DASH].equals("-");
    }

    /**
     * Reads a message. Returns {@code null} if its origin is another server.
     *
     * @throws IllegalArgumentException if the message has another form
     */
    public static @Nullable LatchOpened parse(byte[] body, String run, KeySpace keySpace) {
        String[] words = words(body);
        if (words.length < WORDS) {
            throw new IllegalArgumentException("it has " + words.length + " words");
        }
        if (!GrantMessage.isFrom(run, words[0])) {
            return null;
        }
        return new LatchOpened(
                keySpace.latch(words[4]),
                GrantMessage.number("generation", words[1], 1, Long.MAX_VALUE),
                new ServerTime(GrantMessage.number("time", words[2], 0, Long.MAX_VALUE), run));
    }

    private static String[] words(byte[] body) {
        return body.length > GrantMessage.LONGEST
                ? new String[0]
                : new String(body, StandardCharsets.UTF_8).split(" ", WORDS);
    }
}
