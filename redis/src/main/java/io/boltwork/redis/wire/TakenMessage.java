package io.boltwork.redis.wire;

import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Taken;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The message that a lock was taken away: {@code <origin> <token> <server ms> <request> <key>}. Only the key may
 * contain blanks. The origin is that of a {@link GrantMessage}.
 */
public final class TakenMessage {
    private static final int WORDS = 5;

    private TakenMessage() {}

    /**
     * Reads a message. Returns {@code null} if its origin is another server.
     *
     * @throws IllegalArgumentException if the message has another form
     */
    public static @Nullable Taken parse(byte[] body, String run, KeySpace keySpace) {
        if (body.length > GrantMessage.LONGEST) {
            throw new IllegalArgumentException("it has " + body.length + " bytes");
        }
        String[] words = new String(body, StandardCharsets.UTF_8).split(" ", WORDS);
        if (words.length < WORDS) {
            throw new IllegalArgumentException("it has " + words.length + " words");
        }
        if (!GrantMessage.isFrom(run, words[0])) {
            return null;
        }
        return new Taken(
                keySpace.lock(words[4]),
                words[3],
                GrantMessage.number("token", words[1], 1, Long.MAX_VALUE),
                new ServerTime(GrantMessage.number("time", words[2], 0, Long.MAX_VALUE), run),
                keySpace.kind(words[4]));
    }
}
