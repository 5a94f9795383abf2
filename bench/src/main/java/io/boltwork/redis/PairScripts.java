package io.boltwork.redis;

import io.boltwork.redis.call.Script;
import java.nio.charset.StandardCharsets;

/** Gives the texts of the scripts of one pair to the bench, whose floor sends them without Boltwork. In this package because they are its own business. */
public final class PairScripts {
    private PairScripts() {}

    public static String acquire() {
        return new String(Script.ACQUIRE.text(), StandardCharsets.UTF_8);
    }

    public static String release() {
        return new String(Script.RELEASE.text(), StandardCharsets.UTF_8);
    }
}
