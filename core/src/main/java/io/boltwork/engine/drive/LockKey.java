// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.LockKind;

/**
 * The key of a shared lock in its client. The key of a plain lock is its name.
 *
 * @param kind the kind, not that of a plain lock
 * @param name the name
 */
public record LockKey(LockKind kind, String name) {
    /** Returns the key of a lock. */
    public static Object of(LockKind kind, String name) {
        return kind == LockKind.LOCK ? name : new LockKey(kind, name);
    }

    /** Returns the kind of the lock with that key. */
    public static LockKind kindOf(Object key) {
        return key instanceof LockKey shared ? shared.kind : LockKind.LOCK;
    }

    /** Returns the name of the lock with that key. */
    public static String nameOf(Object key) {
        return key instanceof LockKey shared ? shared.name : (String) key;
    }
}
