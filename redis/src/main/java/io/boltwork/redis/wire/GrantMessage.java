// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import io.boltwork.LockKind;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.ServerTime;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The message of a grant: {@code <origin> <token> <server ms> <lease ms> <request> <key>}, with
 * {@code <token>-<last token of the block>} for a shared lock, and with {@code <lease ms>+} if the request has taken a
 * signal of a condition. Only the key may contain blanks. The origin is {@code <run>}, or {@code <run>:<tag>} with
 * sharded channels.
 */
public final class GrantMessage {
    private static final int ORIGIN = 12;
    private static final int WORDS = 6;

    /** Longer than any name, prefix and request together. */
    static final int LONGEST = 65_536;

    private GrantMessage() {}

    /**
     * Returns the first part of a server's run id of 40 hexadecimal digits. It is long enough to tell the servers of
     * one deployment apart.
     */
    public static String origin(String run) {
        return run.substring(0, Math.min(ORIGIN, run.length()));
    }

    /** Returns whether an origin is that of a run of a server. */
    static boolean isFrom(String run, String found) {
        String origin = origin(run);
        return found.startsWith(origin) && (found.length() == origin.length() || found.charAt(origin.length()) == ':');
    }

    /**
     * Reads a message. Returns {@code null} if its origin is another server, because a replica passes on the messages
     * of its master. The master does not count clients that listen only at a replica, and has given the lock to another
     * client.
     *
     * @throws IllegalArgumentException if the message is not a grant
     */
    public static @Nullable Grant parse(byte[] body, String run, KeySpace keySpace) {
        if (body.length > LONGEST) {
            throw new IllegalArgumentException("it has " + body.length + " bytes");
        }
        String[] words = new String(body, StandardCharsets.UTF_8).split(" ", WORDS);
        if (words.length < WORDS) {
            throw new IllegalArgumentException("it has " + words.length + " words");
        }
        if (!isFrom(run, words[0])) {
            return null;
        }
        LockKind kind = keySpace.kind(words[5]);
        int dash = words[1].indexOf('-', 1); // a minus sign before the token is no dash
        long token = number("token", dash < 0 ? words[1] : words[1].substring(0, dash), 1, Long.MAX_VALUE);
        if ((kind == LockKind.LOCK) != (dash < 0)) {
            throw new IllegalArgumentException("it has " + (dash < 0 ? "no" : "a") + " last token");
        }
        boolean signalled = words[3].endsWith("+");
        String lease = signalled ? words[3].substring(0, words[3].length() - 1) : words[3];
        return new Grant(
                keySpace.lock(words[5]),
                words[4],
                token,
                number("lease", lease, 1, LockBackend.CLAIM_MILLIS),
                new ServerTime(number("time", words[2], 0, Long.MAX_VALUE), run),
                kind,
                dash < 0 ? 0 : number("last token", words[1].substring(dash + 1), token, Long.MAX_VALUE),
                signalled);
    }

    /** Reads a number of a message. */
    static long number(String what, String word, long least, long most) {
        long number;
        try {
            number = Long.parseLong(word);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("its " + what + " is no number", e);
        }
        if (number < least || number > most) {
            throw new IllegalArgumentException("its " + what + " is " + number);
        }
        return number;
    }
}
