package io.boltwork;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for one lock in this client, in the order of their coming: those who share a request at the backend, and those
 * who have one of their own (FIFO). Belongs to the lock's machine.
 */
final class Waiters {

    private final ArrayDeque<Waiter> sharing = new ArrayDeque<>();
    private final Set<Waiter> queued = new LinkedHashSet<>();

    void add(Waiter waiter) {
        if (waiter.request == null) {
            sharing.add(waiter);
        } else {
            queued.add(waiter);
        }
    }

    /** Takes one out; {@code false} if it does not wait. */
    boolean remove(Waiter waiter) {
        return waiter.request == null ? sharing.remove(waiter) : queued.remove(waiter);
    }

    /** Takes out for whom a request was granted or refused. */
    Waiter takeFor(Request request) {
        Waiter own = request.waiter;
        if (own == null) {
            return sharing.remove(); // a shared request implies a waiter: pump() keeps it so
        }
        queued.remove(own);
        return own;
    }

    /** Takes out anybody, {@code null} if there is nobody. */
    @Nullable
    Waiter poll() {
        Waiter waiter = sharing.poll();
        if (waiter == null && !queued.isEmpty()) {
            waiter = queued.iterator().next();
            queued.remove(waiter);
        }
        return waiter;
    }

    /** The first of those who share, {@code null} if there is none. */
    @Nullable
    Waiter first() {
        return sharing.peek();
    }

    /** The oldest of the requests of their own, {@code null} if there is none. */
    @Nullable
    Request oldest() {
        return queued.isEmpty() ? null : queued.iterator().next().request;
    }

    boolean hasOwnRequests() {
        return !queued.isEmpty();
    }

    boolean isEmpty() {
        return sharing.isEmpty() && queued.isEmpty();
    }

    int size() {
        return sharing.size() + queued.size();
    }
}
