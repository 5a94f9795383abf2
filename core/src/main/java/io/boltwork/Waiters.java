package io.boltwork;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for one lock in this client, in the order of their coming: those who share a request at the backend, and those
 * who have one of their own (FIFO). Belongs to the lock's machine.
 */
final class Waiters {

    private final Line sharing = new Line();
    private final Line queued = new Line();

    /** Waiters one behind the other. They are linked with each other, so that a lock nobody waits for needs no more than this. */
    static final class Line {
        private @Nullable Waiter first;
        private @Nullable Waiter last;
        private int size;

        void add(Waiter waiter) {
            Waiter before = last;
            waiter.line = this;
            waiter.ahead = before;
            last = waiter;
            if (before == null) {
                first = waiter;
            } else {
                before.behind = waiter;
            }
            size++;
        }

        /** One who is in it. */
        void remove(Waiter waiter) {
            Waiter before = waiter.ahead;
            Waiter after = waiter.behind;
            if (before == null) {
                first = after;
            } else {
                before.behind = after;
            }
            if (after == null) {
                last = before;
            } else {
                after.ahead = before;
            }
            waiter.line = null;
            waiter.ahead = null;
            waiter.behind = null;
            size--;
        }
    }

    void add(Waiter waiter) {
        (waiter.request == null ? sharing : queued).add(waiter);
    }

    /** Takes one out; {@code false} if it does not wait. */
    boolean remove(Waiter waiter) {
        Line line = waiter.line;
        if (line == null) {
            return false;
        }
        line.remove(waiter);
        return true;
    }

    /** Takes out for whom a request was granted or refused. */
    Waiter takeFor(Request request) {
        // a shared request implies a waiter: pump() keeps it so
        Waiter waiter = Objects.requireNonNull(request.waiter == null ? sharing.first : request.waiter);
        remove(waiter);
        return waiter;
    }

    /** Takes out anybody, {@code null} if there is nobody. */
    @Nullable
    Waiter poll() {
        Waiter waiter = sharing.first == null ? queued.first : sharing.first;
        if (waiter != null) {
            remove(waiter);
        }
        return waiter;
    }

    /** The first of those who share, {@code null} if there is none. */
    @Nullable
    Waiter first() {
        return sharing.first;
    }

    /** The oldest of the requests of their own, {@code null} if there is none. */
    @Nullable
    Request oldest() {
        return queued.first == null ? null : queued.first.request;
    }

    boolean hasOwnRequests() {
        return queued.first != null;
    }

    boolean isEmpty() {
        return size() == 0;
    }

    int size() {
        return sharing.size + queued.size;
    }
}
