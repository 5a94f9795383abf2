// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockKind;
import io.boltwork.spi.Share;

/**
 * The names of the locks of a simulation, which tell their kinds: {@code a}, {@code b/rw}, or {@code c/3} with three
 * permits.
 */
final class SharedName {

    private static final String READ_WRITE = "rw";

    private SharedName() {}

    static String readWrite(String name) {
        return name + "/" + READ_WRITE;
    }

    static String semaphore(String name, int permits) {
        return name + "/" + permits;
    }

    static LockKind kind(String name) {
        return !isShared(name)
                ? LockKind.LOCK
                : suffix(name).equals(READ_WRITE) ? LockKind.READ_WRITE : LockKind.SEMAPHORE;
    }

    static boolean isShared(String name) {
        return name.indexOf('/') >= 0;
    }

    /** Returns the permits of a lock. */
    static int capacity(String name) {
        return kind(name) == LockKind.SEMAPHORE ? Integer.parseInt(suffix(name)) : Share.WRITE.permits();
    }

    private static String suffix(String name) {
        return name.substring(name.indexOf('/') + 1);
    }
}
