// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LockWanted;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Shrunk;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A message for the client of a request: {@code <origin> <token> <server ms> <request> <key>}. The lock was taken away
 * from the request; or it is wanted by others, if the token has the prefix {@code ?}. With the prefix
 * {@code <}, the capacity of the lock follows in place of a token: it has become smaller. Only the key may contain
 * blanks. The origin is that of a {@link GrantMessage}.
 */
public final class OwnerMessage {
    private static final int WORDS = 5;
    private static final String WANTED = "?";
    private static final String SHRUNK = "<";

    private OwnerMessage() {}

    /**
     * Reads a message. Returns {@code null} if its origin is another server.
     *
     * @throws IllegalArgumentException if the message has another form
     */
    public static @Nullable HolderMessage parse(byte[] body, String run, KeySpace keySpace) {
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
        ServerTime server = new ServerTime(GrantMessage.number("time", words[2], 0, Long.MAX_VALUE), run);
        if (words[1].startsWith(SHRUNK)) {
            long capacity = GrantMessage.number("capacity", words[1].substring(1), 1, Integer.MAX_VALUE);
            return new Shrunk(keySpace.lock(words[4]), words[3], (int) capacity, server, keySpace.kind(words[4]));
        }
        boolean isWanted = words[1].startsWith(WANTED);
        long token = GrantMessage.number("token", words[1].substring(isWanted ? 1 : 0), 1, Long.MAX_VALUE);
        return isWanted
                ? new LockWanted(keySpace.lock(words[4]), words[3], token, server)
                : new HoldTaken(keySpace.lock(words[4]), words[3], token, server, keySpace.kind(words[4]));
    }
}
