// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.diagnose;

import io.boltwork.LockKind;
import io.boltwork.engine.drive.Acquirable;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.OwnerRef;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.BodyScope;
import io.boltwork.spi.Share;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one client that have waited for a lock for some time. A caller that is served at once never comes
 * here. Thread-safe.
 */
public final class LongWaits {

    /** The time for which a thread waits before it comes here, in nanoseconds. */
    public static final long LONG = TimeUnit.SECONDS.toNanos(1);

    /** One caller that waits. Two of them are never equal. */
    public static final class Wait {
        final long number;
        final Object key;
        final Waiter waiter;

        /** The thread that waits, or that has asked for a handle. */
        public final Thread asker;

        /** True if a thread waits; false for a handle. */
        public final boolean isOfThread;

        /** True if the caller will give up by itself. */
        final boolean isLimited;

        /** The time at which the wait began. */
        final long since;

        /** The bodies in which the wait began; {@code null} outside of all bodies. */
        final @Nullable BodyScope scope;

        /** True if the wait was reported for its length. For the heartbeat. */
        volatile boolean isTold;

        /** The time at which the server was asked about the lock last. For the heartbeat. */
        volatile long askedAt;

        private Wait(
                long number,
                Acquirable room,
                Waiter waiter,
                boolean isOfThread,
                boolean isLimited,
                long since,
                @Nullable BodyScope scope) {
            this.number = number;
            this.key = room.key();
            this.waiter = waiter;
            this.asker = Thread.currentThread();
            this.isOfThread = isOfThread;
            this.isLimited = isLimited;
            this.since = since;
            this.scope = scope;
        }

        /** Returns the owner for whom the caller waits; {@code null} if it is a thread or a handle. */
        @Nullable
        OwnerRef namedOwner() {
            return waiter.owner instanceof OwnerRef owner ? owner : null;
        }

        /** Returns whether a thread or another owner waits. */
        boolean hasOwner() {
            return isOfThread || namedOwner() != null;
        }

        /** Returns who keeps holds while this wait lasts: the owner, or the thread. */
        Object caller() {
            Object owner = namedOwner();
            return owner == null ? asker : owner;
        }

        /** Returns a description of the caller. */
        String who() {
            return Hold.ownerOf(hasOwner() ? caller() : null, asker);
        }

        /** Returns whether the end of a body depends on this wait. A body waits for a thread that it blocks. */
        boolean holdsUpItsBody() {
            return scope != null && (isOfThread || scope.isAwaited());
        }

        /** Returns whether the body under that hold surely ends only after this wait. */
        boolean surelyHoldsUp(Hold hold) {
            return scope != null && scope.isSurelyAwaitedBy(hold, isOfThread);
        }

        /** Returns the kind of the lock. */
        LockKind kind() {
            return LockKey.kindOf(key);
        }

        /** Returns the name of the lock. */
        String lock() {
            return LockKey.nameOf(key);
        }

        /** Returns whether the caller wants to read. */
        boolean isReader() {
            return kind() == LockKind.READ_WRITE && waiter.terms.permits == Share.READ.permits();
        }

        /** Returns whether the caller no longer waits. */
        public boolean isOver() {
            return waiter.outcome.isDecided() || waiter.forsaken;
        }

        /** Returns how long the caller has waited. */
        Duration waited(long now) {
            return Duration.ofNanos(now - since);
        }
    }

    private final Ticker ticker;
    private final boolean hasHandles;
    private final AtomicLong numbers = new AtomicLong();
    private final ConcurrentHashMap<Waiter, Wait> waits = new ConcurrentHashMap<>();

    /** @param hasHandles whether all handles are noted, and not only those that are wanted in bodies */
    public LongWaits(Ticker ticker, boolean hasHandles) {
        this.ticker = ticker;
        this.hasHandles = hasHandles;
    }

    /** Adds a wait of the current thread, which began at that time. */
    public void addThread(Acquirable room, Waiter waiter, long since, boolean isLimited) {
        BodyScope scope = BodyScope.current();
        waits.put(waiter, new Wait(numbers.incrementAndGet(), room, waiter, true, isLimited, since, scope));
    }

    /** Removes the wait of a thread. */
    public void removeThread(Waiter waiter) {
        waits.remove(waiter);
    }

    /**
     * Adds the wait of a handle, unless it has its outcome. Waits without an owner, outside of all bodies, are added
     * only on request.
     */
    public void addHandle(Acquirable room, Waiter waiter, boolean isLimited, @Nullable BodyScope scope) {
        if ((hasHandles || scope != null || waiter.owner != null) && !waiter.tryOnly && !waiter.outcome.isDecided()) {
            long number = numbers.incrementAndGet();
            waits.put(waiter, new Wait(number, room, waiter, false, isLimited, ticker.nanos(), scope));
        }
    }

    /** Removes the wait of a handle. */
    public void removeHandle(Waiter waiter, @Nullable BodyScope scope) {
        if (hasHandles || scope != null || waiter.owner != null) {
            waits.remove(waiter);
        }
    }

    boolean isEmpty() {
        return waits.isEmpty();
    }

    /** Returns the callers that have waited for at least that long, the first one first. */
    public List<Wait> since(long now, long nanos) {
        waits.values().removeIf(Wait::isOver); // an error may have cut short their callers
        return waits.values().stream()
                .filter(wait -> now - wait.since >= nanos)
                .sorted(Comparator.comparingLong(wait -> wait.number))
                .toList();
    }
}
