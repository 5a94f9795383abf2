package io.boltwork.redis;

import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Grant;
import io.boltwork.spi.ServerTime;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The message of a grant: {@code <mark> <token> <server ms> <lease ms> <request> <key>}; only the key may have blanks in it. The
 * mark is {@code <run>}, or {@code <run>:<tag>} where channels are sharded.
 */
final class GrantMessage {
    private static final int MARK = 12;

    private GrantMessage() {}

    /** So much of a server's run id, 40 hexadecimal digits, as tells servers of one deployment apart. */
    static String mark(String run) {
        return run.substring(0, Math.min(MARK, run.length()));
    }

    /**
     * A message that came from a server. {@code null} if it is another server's: a replica passes on what its master has
     * published. Whoever still listens there is not there for the master, who has given the lock to somebody else.
     */
    static @Nullable Grant parse(byte[] body, String run, KeySpace keySpace) {
        String[] words = new String(body, StandardCharsets.UTF_8).split(" ", 6);
        if (words.length < 6) {
            throw new IllegalArgumentException("Not a grant: " + words.length + " words");
        }
        String mark = mark(run);
        if (!words[0].startsWith(mark) || words[0].length() > mark.length() && words[0].charAt(mark.length()) != ':') {
            return null;
        }
        return new Grant(
                keySpace.lock(words[5]),
                words[4],
                Long.parseLong(words[1]),
                Long.parseLong(words[3]),
                new ServerTime(Long.parseLong(words[2]), run));
    }

    /** Tells a client of a message that came from a server, if it is that server's. */
    static void deliver(byte[] body, String run, KeySpace keySpace, BackendListener listener) {
        Grant grant = parse(body, run, keySpace);
        if (grant != null) {
            listener.granted(grant);
        }
    }
}
