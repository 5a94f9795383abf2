// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.LockKind;

/** The keys of lanes: {@code <mark><kind>.<number>:<name>}. */
public final class LaneKey {

    /** Begins each key, and no name of a lock, because names are well-formed UTF-16. */
    private static final char MARK = '\uD800';

    private LaneKey() {}

    /** Returns the key of a lane of a shared lock. */
    public static String of(LockKind kind, String name, long number) {
        return "" + MARK + kind.ordinal() + '.' + number + ':' + name;
    }

    /** Returns whether a key is that of a lane, and not the name of a plain lock. */
    static boolean isLane(String key) {
        return key.charAt(0) == MARK;
    }

    /** Returns the key of the first lane of the same lock; a key that is not that of a lane itself. */
    public static String home(String key) {
        return isLane(key) ? of(kindOf(key), nameOf(key), 0) : key;
    }

    /** Returns the kind of the lock of a lane, or of a plain lock. */
    public static LockKind kindOf(String key) {
        return !isLane(key) ? LockKind.LOCK : LockKind.values()[key.charAt(1) - '0'];
    }

    /** Returns the name of the lock of a lane, or of a plain lock. */
    public static String nameOf(String key) {
        return isLane(key) ? key.substring(key.indexOf(':') + 1) : key;
    }
}
