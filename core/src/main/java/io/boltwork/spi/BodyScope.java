// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The leases under which asynchronous code runs. A request that is made within the scope of a lease of the same lock
 * may wait for itself, and only the scope shows that: no thread holds the lock. A client notes the scope of each
 * request, and its report of deadlocks makes use of it. Immutable.
 *
 * <p>The body of {@code callAsync} is called within a scope. A library that executes bodies in another way, or on other
 * threads, {@linkplain #call enters} scopes itself.
 *
 * @since 0.1.0
 */
public final class BodyScope {
    private static final ThreadLocal<@Nullable BodyScope> CURRENT = new ThreadLocal<>();

    /** A lease that has its place in a scope. */
    public interface Scoped {

        /**
         * Returns what the lease holds. The scope keeps this reachable, and not the lease.
         *
         * @return the holds
         */
        Collection<? extends Held> holds();
    }

    /** A hold of a lock. */
    public interface Held {

        /**
         * Returns whether the hold has ended.
         *
         * @return whether it can keep no caller waiting
         */
        boolean isOver();
    }

    /**
     * A hold in a scope.
     *
     * @param isInnermost whether the body runs directly under it
     * @param isAwaiting whether its body surely waits for what is begun in the scope
     */
    private record Around(Held hold, boolean isInnermost, boolean isAwaiting) {}

    private final List<Around> around;
    private final BooleanSupplier awaited;

    private BodyScope(List<Around> around, BooleanSupplier awaited) {
        this.around = around;
        this.awaited = awaited;
    }

    // ================================================================ making

    /**
     * Returns the scope of a body that code calls.
     *
     * @param leases the leases of the body; those that are not {@link Scoped} do not count
     * @param outer the scope in which the leases were requested, or null
     * @return the scope
     */
    public static BodyScope of(Collection<?> leases, @Nullable BodyScope outer) {
        return of(leases, outer, false);
    }

    /**
     * Returns the scope of a pipeline. A pipeline waits for all that is subscribed to in it.
     *
     * @param leases the leases of the pipeline; those that are not {@link Scoped} do not count
     * @param outer the scope in which the leases were requested, or null
     * @return the scope
     */
    public static BodyScope ofPipeline(Collection<?> leases, @Nullable BodyScope outer) {
        return of(leases, outer, true);
    }

    private static BodyScope of(Collection<?> leases, @Nullable BodyScope outer, boolean isPipeline) {
        List<Around> around = new ArrayList<>();
        for (Object lease : leases) {
            if (lease instanceof Scoped scoped) {
                scoped.holds().forEach(hold -> around.add(new Around(hold, true, isPipeline)));
            }
        }
        if (outer != null) { // without what has ended: a body may begin the next one, for ever
            for (Around one : outer.around) {
                if (!one.hold.isOver()) {
                    around.add(new Around(one.hold, false, isPipeline && one.isAwaiting));
                }
            }
        }
        return new BodyScope(List.copyOf(around), () -> true);
    }

    /**
     * Returns this scope for a request, the result of which no code may be waiting for.
     *
     * @param isAwaited returns whether some code waits for the result now
     * @return the scope
     */
    public BodyScope withResult(BooleanSupplier isAwaited) {
        return new BodyScope(around, isAwaited);
    }

    // ================================================================ entering

    /**
     * Returns the scope that this thread is in.
     *
     * @return the scope, or null
     */
    public static @Nullable BodyScope current() {
        return CURRENT.get();
    }

    /**
     * Calls code within a scope.
     *
     * @param scope the scope, or null for none
     * @param code the code
     * @param <T> the type of the result
     * @return the result of the code
     */
    public static <T extends @Nullable Object> T call(@Nullable BodyScope scope, Supplier<T> code) {
        BodyScope before = CURRENT.get();
        set(scope);
        try {
            return code.get();
        } finally {
            set(before);
        }
    }

    private static void set(@Nullable BodyScope scope) {
        if (scope == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(scope);
        }
    }

    // ================================================================ questions

    /**
     * Returns the holds of the leases of this scope and of those around it.
     *
     * @return the holds, the innermost ones first
     */
    public List<Held> holds() {
        return around.stream().map(Around::hold).toList();
    }

    /**
     * Returns whether the body under a hold surely waits for what is begun in this scope.
     *
     * @param hold one of the {@link #holds}
     * @param blocksBody whether what is begun blocks the thread that calls the body
     * @return false if it may not wait
     */
    public boolean isSurelyAwaitedBy(Held hold, boolean blocksBody) {
        return around.stream().anyMatch(one -> one.hold == hold && (blocksBody ? one.isInnermost : one.isAwaiting));
    }

    /**
     * Returns whether some code waits for the result of a request made in this scope.
     *
     * @return true unless it is known that no code does
     */
    public boolean isAwaited() {
        return awaited.getAsBoolean();
    }
}
