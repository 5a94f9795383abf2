// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.redis.call.Script;
import java.nio.charset.StandardCharsets;

/** Gives the scripts of one pair to the bench's floor. Lives in this package because the scripts are package-private. */
public final class PairScripts {
    private PairScripts() {}

    public static String acquire() {
        return new String(Script.ACQUIRE.text(), StandardCharsets.UTF_8);
    }

    public static String release() {
        return new String(Script.RELEASE.text(), StandardCharsets.UTF_8);
    }
}
