// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import io.boltwork.machine.request.OwnerRef;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The waiters for one lock in this client, in order of arrival: those that share a request at the backend, and those
 * that have requests of their own (FIFO). Belongs to the lock's machine.
 */
public class Waiters {

    /*
     * Two rings. Each waiter is linked with the one behind and the one ahead of it, and the last one with the first. So
     * two references are enough for both rings.
     */

    /** The last of the waiters that share. */
    private @Nullable Waiter lastSharing;

    /** The last of the waiters with requests of their own. */
    private @Nullable Waiter lastQueued;

    private int size;

    /** The numbers of waiters of owners that are not threads; after an error they may be too large. */
    private Map<OwnerRef, Integer> byOwner = Map.of();

    public void add(Waiter waiter) {
        if (waiter.owner instanceof OwnerRef owner) {
            if (byOwner.isEmpty()) {
                byOwner = new HashMap<>(2);
            }
            byOwner.merge(owner, 1, Integer::sum);
        }
        Waiter last = waiter.request == null ? lastSharing : lastQueued;
        Waiter first = last == null ? waiter : behind(last);
        waiter.behind = first;
        waiter.ahead = last == null ? waiter : last;
        waiter.ahead.behind = waiter;
        first.ahead = waiter;
        setLast(waiter, waiter);
        size++;
    }

    /** Removes a waiter. Returns whether it was among the waiters. */
    public boolean remove(Waiter waiter) {
        Waiter behind = waiter.behind;
        if (behind == null) {
            return false;
        }
        Waiter ahead = Objects.requireNonNull(waiter.ahead);
        ahead.behind = behind;
        behind.ahead = ahead;
        if (waiter == lastSharing || waiter == lastQueued) {
            setLast(waiter, ahead == waiter ? null : ahead);
        }
        waiter.behind = null;
        waiter.ahead = null;
        size--;
        if (waiter.owner instanceof OwnerRef owner) {
            byOwner.computeIfPresent(owner, (same, count) -> count == 1 ? null : count - 1);
        }
        return true;
    }

    public final boolean contains(Waiter waiter) {
        return waiter.behind != null;
    }

    /** Sets the last waiter of the ring that {@code waiter} belongs to. */
    private void setLast(Waiter waiter, @Nullable Waiter last) {
        if (waiter.request == null) {
            lastSharing = last;
        } else {
            lastQueued = last;
        }
    }

    private static Waiter behind(Waiter waiting) {
        return Objects.requireNonNull(waiting.behind);
    }

    /** Returns the waiters that are meant. */
    public List<Waiter> all(Predicate<Waiter> isMeant) {
        List<Waiter> found = new ArrayList<>();
        find(lastSharing, isMeant, found);
        find(lastQueued, isMeant, found);
        return found;
    }

    /** Returns whether a waiter gets a request of its own. */
    public boolean needsRequest(Waiter waiter) {
        return waiter.hasOwnRequest();
    }

    /** Returns whether the oldest of the waiters' own requests polls for that one, too. */
    public boolean isPolledFor(Request request) {
        return request.waiter != null;
    }

    private static void find(@Nullable Waiter last, Predicate<Waiter> isMeant, List<Waiter> found) {
        for (Waiter waiter = last; waiter != null; ) {
            if (isMeant.test(waiter)) {
                found.add(waiter);
            }
            Waiter behind = behind(waiter);
            waiter = behind == last ? null : behind;
        }
    }

    /** Returns the waiter that a request is for. */
    public Waiter of(Request request) {
        // a shared request implies a waiter: pump() ensures that
        return Objects.requireNonNull(request.waiter == null ? first() : request.waiter);
    }

    /** Removes and returns a waiter that came no later than that time; {@code null} if there is none. */
    @Nullable
    public Waiter poll(long until) {
        Waiter waiter = cameUntil(until, lastSharing);
        if (waiter == null) {
            waiter = cameUntil(until, lastQueued);
        }
        if (waiter != null) {
            remove(waiter);
        }
        return waiter;
    }

    private static @Nullable Waiter cameUntil(long until, @Nullable Waiter last) {
        Waiter first = last == null ? null : behind(last);
        return first == null || first.since > until ? null : first;
    }

    /** Returns the first of the waiters that share; {@code null} if there is none. */
    @Nullable
    public Waiter first() {
        return lastSharing == null ? null : behind(lastSharing);
    }

    /** Returns the oldest of the waiters' own requests; {@code null} if there is none. */
    @Nullable
    public Request oldest() {
        return lastQueued == null ? null : behind(lastQueued).request;
    }

    /** Returns the waiters with requests of their own, in order. */
    public List<Waiter> withRequests() {
        List<Waiter> queued = new ArrayList<>();
        Waiter last = lastQueued;
        if (last != null) {
            for (Waiter waiter = behind(last); waiter != last; waiter = behind(waiter)) {
                queued.add(waiter);
            }
            queued.add(last);
        }
        return queued;
    }

    /** Returns whether a waiter of that owner may be here. */
    public boolean hasAnyOf(OwnerRef owner) {
        return byOwner.containsKey(owner);
    }

    public boolean hasOwnRequests() {
        return lastQueued != null;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    public int size() {
        return size;
    }
}
