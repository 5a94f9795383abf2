// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import io.boltwork.LockOwner;
import io.boltwork.spi.Printable;
import java.lang.ref.WeakReference;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** An owner of holds that its users share. */
public final class NamedOwner implements LockOwner {

    /** What holds know of their owner. They do not keep it reachable, so that its end is noticed. */
    public static final class Identity extends WeakReference<NamedOwner> {

        private final String name;

        /** The number of the owner's requests that wait for locks of any client, or a few more after an error. */
        public final AtomicInteger waiting = new AtomicInteger();

        private Identity(NamedOwner owner, String name) {
            super(owner);
            this.name = name;
        }

        /** Returns whether some code can still release what the owner holds. */
        boolean isReachable() {
            return !refersTo(null);
        }

        String name() {
            return name;
        }

        @Override
        public String toString() {
            return "owner '" + Printable.text(name) + "'";
        }
    }

    private final String name;
    public final Identity identity;

    public NamedOwner(String name) {
        if (Objects.requireNonNull(name, "name").isEmpty()) {
            throw new IllegalArgumentException("name must not be empty; say who owns the locks, such as 'order 42'");
        }
        this.name = name;
        this.identity = new Identity(this, name);
    }

    /** Returns an owner of the only kind that there is. */
    public static NamedOwner of(LockOwner owner) {
        if (Objects.requireNonNull(owner, "owner") instanceof NamedOwner named) {
            return named;
        }
        throw new IllegalArgumentException("owner must be made by LockOwner.create(..), but is a "
                + owner.getClass().getName());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String toString() {
        return "LockOwner['" + Printable.text(name) + "']";
    }
}
