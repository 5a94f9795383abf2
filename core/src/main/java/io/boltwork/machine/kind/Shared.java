// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.kind;

import io.boltwork.machine.parts.Renewing;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.RenewalClock;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.Kind;
import io.boltwork.machine.state.LockState;
import io.boltwork.machine.state.Waiters;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A lock that several owners can hold beside each other: its holds, and the {@link Lines} of those that share. */
abstract class Shared implements Kind {
    final Lines lines = new Lines(this);

    /** The holds that are not exclusive, by the numbers of their requests. */
    private final Map<Long, Hold> holds = new ConcurrentHashMap<>();

    /** No hold needs a visit of the renewer earlier than this. */
    private long visitAt = Ticker.NEVER;

    /** The shortest lease of the holds since the last visit of all of them, as the renewer counts it. */
    private long watchedLease = Ticker.NEVER;

    /** Returns whether waiters with these terms wait in lines, and not for the exclusive hold. */
    abstract boolean isLined(LockTerms terms);

    /** Returns whether waiters with these terms may be served in place of each other. */
    abstract boolean areAlike(LockTerms terms);

    // ================================================================ waiting

    @Override
    public final Waiters newWaiters() {
        return lines;
    }

    @Override
    public boolean isTaken(LockState lock, Waiter waiter) {
        return lock.isHeld() || lock.wanted != null && lock.wanted.known || lines.isQueued();
    }

    // ================================================================ asking

    @Override
    public final @Nullable Request first(LockState lock) {
        Request first = lock.wanted == null ? lines.firstWanted() : lock.wanted;
        return first == null ? lines.firstAlone() : first;
    }

    @Override
    public final boolean wants(LockState lock, Request request) {
        return request == lock.wanted || lines.wants(request);
    }

    @Override
    public final void wantsNoLonger(LockState lock, Request request) {
        if (request == lock.wanted) {
            lock.wanted = null;
        } else {
            lines.wantsNoLonger(request);
        }
    }

    // ================================================================ holding

    @Override
    public void begins(LockState lock, Hold whole) {
        if (isExclusive(whole.request)) {
            lock.hold = whole;
        } else {
            holds.put(whole.request.number, whole);
            planVisit(lock, whole.request);
        }
    }

    @Override
    public void ends(LockState lock, Hold whole) {
        if (lock.hold == whole) {
            lock.hold = null;
        } else {
            holds.remove(whole.request.number, whole);
            if (holds.isEmpty()) {
                visitAt = Ticker.NEVER;
                watchedLease = Ticker.NEVER;
            }
        }
    }

    @Override
    public final @Nullable Hold shared(long request) {
        return holds.get(request);
    }

    @Override
    public final Collection<Hold> shared() {
        return holds.values();
    }

    @Override
    public final long visitAt() {
        return visitAt;
    }

    @Override
    public final long watchedLease() {
        return watchedLease;
    }

    @Override
    public final void planVisit(LockState lock, Request request) {
        if (holds.containsKey(request.number)) {
            request.changed();
            visitAt = Math.min(visitAt, RenewalClock.visitAt(request, lock.commandTimeout()));
            watchedLease = Math.min(watchedLease, RenewalClock.watchedNanos(request));
        }
    }

    @Override
    public final void visit(LockState lock) {
        visitAt = Ticker.NEVER; // each hold is planned anew
        long now = lock.effects.now();
        for (Hold held : holds.values()) {
            Renewing.renewIfDue(lock, held.request, now);
            planVisit(lock, held.request);
        }
    }

    @Override
    public void mend(LockState lock) {
        lines.mend(lock);
    }
}
