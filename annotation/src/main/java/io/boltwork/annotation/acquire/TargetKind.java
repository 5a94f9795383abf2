// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import io.boltwork.LockKind;
import io.boltwork.spi.Printable;
import java.util.Locale;

/** The kind of a target: what it is called, and why a caller is refused. */
public enum TargetKind {
    /** A lock. */
    LOCK(LockKind.LOCK, "lock", "another owner holds it"),
    /** The read lock of a read-write lock. */
    READ(LockKind.READ_WRITE, "read lock", "a writer holds it or waits for it"),
    /** The write lock of a read-write lock. */
    WRITE(LockKind.READ_WRITE, "write lock", "another owner holds it"),
    /** One permit of a semaphore. */
    SEMAPHORE(LockKind.SEMAPHORE, "semaphore", "other owners hold its permits");

    private final LockKind names;
    private final String title;
    private final String refused;

    TargetKind(LockKind names, String title, String refused) {
        this.names = names;
        this.title = title;
        this.refused = refused;
    }

    /** Returns the kind of lock among which names are unique. */
    public LockKind names() {
        return names;
    }

    /** Returns the value of the tag in observations. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the kind and the name, for a message. */
    public String title(String name) {
        return title + " '" + Printable.text(name) + "'";
    }

    /** Returns the reason of a refusal, for a message. */
    public String refused() {
        return refused;
    }
}
