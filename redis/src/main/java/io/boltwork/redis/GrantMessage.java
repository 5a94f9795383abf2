package io.boltwork.redis;

import io.boltwork.spi.Grant;
import io.boltwork.spi.ServerTime;
import java.nio.charset.StandardCharsets;

/** The message of a grant: {@code <token> <server ms> <lease ms> <request> <key>}; only the key may have blanks in it. */
final class GrantMessage {
    private GrantMessage() {}

    static Grant parse(byte[] body, String run, KeySpace keySpace) {
        String[] words = new String(body, StandardCharsets.UTF_8).split(" ", 5);
        if (words.length < 5) {
            throw new IllegalArgumentException("Not a grant: " + words.length + " words");
        }
        return new Grant(
                keySpace.lock(words[4]),
                words[3],
                Long.parseLong(words[0]),
                Long.parseLong(words[2]),
                new ServerTime(Long.parseLong(words[1]), run));
    }
}
