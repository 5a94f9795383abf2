package io.boltwork.engine;

import io.boltwork.LockKind;

/** The keys of lanes: {@code <mark><kind>.<number>:<name>}. */
final class LaneKey {

    /** Begins each key, and no name of a lock, because names are well-formed UTF-16. */
    private static final char MARK = '\uD800';

    private LaneKey() {}

    /** Returns the key of a lane of a shared lock. */
    static String of(LockKind kind, String name, long number) {
        return "" + MARK + kind.ordinal() + '.' + number + ':' + name;
    }

    /** Returns whether a key is that of a lane, and not the name of a plain lock. */
    static boolean isLane(String key) {
        return key.charAt(0) == MARK;
    }

    static LockKind kindOf(String key) {
        return LockKind.values()[key.charAt(1) - '0'];
    }

    static String nameOf(String key) {
        return key.substring(key.indexOf(':') + 1);
    }
}
