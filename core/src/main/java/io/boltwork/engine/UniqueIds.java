package io.boltwork.engine;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;

/**
 * Makes ids that are as good as unique, also in two JVMs that were restored from one snapshot: the state of every random
 * generator is in the snapshot, so the clocks and the process id are mixed in.
 */
final class UniqueIds {

    private static final int BYTES = 15;

    private UniqueIds() {}

    /** A new id: 120 bits in 20 characters, for it stands in every lock at the server and in most requests. */
    static String next() {
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        return of(
                random,
                System.nanoTime(),
                Instant.now(),
                ProcessHandle.current().pid());
    }

    /** The id that these values make. */
    static String of(byte[] random, long nanos, Instant wall, long pid) {
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
