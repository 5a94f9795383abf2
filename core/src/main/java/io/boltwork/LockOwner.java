// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Printable;
import java.util.Objects;

/**
 * An owner of locks that is not a thread: an order, a request, a call that goes on in several threads or in none. All
 * code that has the owner shares its holds.
 *
 * <!-- snippet: OwnerExample.java#owner -->
 * <pre>{@code
 * CompletionStage<String> buy(String number) {
 *     LockOwner order = LockOwner.create("order " + number);
 *     FencedLock stock = locks.lock("stock:1001").ownedBy(order);
 *     return stock.callAsync(WAIT, lease -> reserve(stock).thenApply(left -> number + ", " + left + " left"));
 * }
 *
 * CompletionStage<Integer> reserve(FencedLock stock) { // enters the hold of the order, or acquires the lock
 *     return stock.callAsync(WAIT, lease -> CompletableFuture.supplyAsync(pieces::decrementAndGet));
 * }
 * }</pre>
 *
 * <p>{@link FencedLock#ownedBy} tells what such a lock does. Owners are equal only if they are the same object. Hand
 * the object on, to each piece of code that may enter the lock. If nothing refers to an owner any longer, its locks
 * are no longer renewed, as after the end of a thread. Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockOwner {
    private final String name;

    private LockOwner(String name) {
        this.name = name;
    }

    /**
     * Creates an owner. No round trip.
     *
     * @param name what logs, listeners and the diagnosis of deadlocks call the owner; need not be unique
     * @return the owner, which holds nothing
     * @throws IllegalArgumentException if the name is empty
     */
    public static LockOwner create(String name) {
        if (Objects.requireNonNull(name, "name").isEmpty()) {
            throw new IllegalArgumentException("name must not be empty; say who owns the locks, such as 'order 42'");
        }
        return new LockOwner(name);
    }

    /**
     * Returns the name.
     *
     * @return the name that was given
     */
    public String name() {
        return name;
    }

    @Override
    public String toString() {
        return "LockOwner['" + Printable.text(name) + "']";
    }
}
