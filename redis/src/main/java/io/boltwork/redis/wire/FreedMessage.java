// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import io.boltwork.spi.LockFreed;
import io.boltwork.spi.ServerTime;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The message that the vote of a server of a quorum is free: {@code <origin> 0 <server ms> + <key>}. It comes on the
 * channel of a {@link OwnerMessage}, which has a request in place of the plus sign. Only the key may contain blanks.
 */
public final class FreedMessage {
    private static final int WORDS = 5;
    private static final int PLUS = 3;

    private FreedMessage() {}

    /** Returns whether a message is about a vote. */
    public static boolean isOne(byte[] body) {
        String[] words = words(body);
        return words.length == WORDS && words[PLUS].equals("+");
    }

    /**
     * Reads a message. Returns {@code null} if its origin is another server.
     *
     * @throws IllegalArgumentException if the message has another form
     */
    public static @Nullable LockFreed parse(byte[] body, String run, KeySpace keySpace) {
        String[] words = words(body);
        if (words.length < WORDS) {
            throw new IllegalArgumentException("it has " + words.length + " words");
        }
        if (!GrantMessage.isFrom(run, words[0])) {
            return null;
        }
        return new LockFreed(
                keySpace.plainLock(words[4]),
                new ServerTime(GrantMessage.number("time", words[2], 0, Long.MAX_VALUE), run));
    }

    private static String[] words(byte[] body) {
        return body.length > GrantMessage.LONGEST
                ? new String[0]
                : new String(body, StandardCharsets.UTF_8).split(" ", WORDS);
    }
}
