// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import io.boltwork.LockOwner;
import io.boltwork.spi.Printable;
import java.lang.ref.WeakReference;

/**
 * A {@link LockOwner} as its holds and waiters know it. They do not keep it reachable, so that its end is noticed.
 * References to one owner are equal.
 */
public final class OwnerRef extends WeakReference<LockOwner> {
    private final String name;
    private final int hash;

    public OwnerRef(LockOwner owner) {
        super(owner);
        this.name = owner.name();
        this.hash = System.identityHashCode(owner);
    }

    public String name() {
        return name;
    }

    /** Returns whether some code can still release what the owner holds. */
    boolean isReachable() {
        return !refersTo(null);
    }

    @Override
    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        LockOwner owner = get();
        return owner != null && other instanceof OwnerRef that && that.refersTo(owner);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return "owner '" + Printable.text(name) + "'";
    }
}
