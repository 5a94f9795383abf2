// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;

/**
 * Makes ids that are unique in practice, even in two JVMs that were restored from one snapshot. The state of every
 * random generator is in the snapshot, so the clocks and the process id are mixed in.
 */
public final class UniqueIds {

    private static final int BYTES = 15;

    private UniqueIds() {}

    /**
     * Makes a new id. It has 120 bits in only 20 characters, because every lock at the server and most requests contain
     * it.
     */
    public static String next() {
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        return of(
                random,
                System.nanoTime(),
                Instant.now(),
                ProcessHandle.current().pid());
    }

    /** Makes the id of these values. */
    public static String of(byte[] random, long nanos, Instant wall, long pid) {
        ByteBuffer seed = ByteBuffer.allocate(random.length + 4 * Long.BYTES)
                .put(random)
                .putLong(nanos)
                .putLong(wall.getEpochSecond())
                .putLong(wall.getNano())
                .putLong(pid);
        return Base64.getUrlEncoder().encodeToString(Arrays.copyOf(digest(seed.array()), BYTES));
    }

    private static byte[] digest(byte[] seed) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(seed);
        } catch (NoSuchAlgorithmException impossible) { // every JDK has it
            throw new IllegalStateException(impossible);
        }
    }
}
