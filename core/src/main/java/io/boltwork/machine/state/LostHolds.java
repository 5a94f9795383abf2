// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The lost holds of one lock whose threads have not unwound. The threads learn of the loss when they unwind. A fixed
 * lease is remembered only for a while, because threads that use locks as cool-downs never unwind. Immutable: the
 * lock's machine replaces it, and any thread may read it.
 *
 * @param holds the holds
 * @param lookAt the time at which to check next which of them can be forgotten; {@link Ticker#NEVER} if there are none
 */
public record LostHolds(List<LostHold> holds, long lookAt) {

    public static final LostHolds NONE = new LostHolds(List.of(), Ticker.NEVER);

    /** The interval of checks whether the threads are still alive. */
    private static final long LOOK = TimeUnit.SECONDS.toNanos(30);

    /**
     * The time for which a fixed lease is remembered after its loss. A longer lease is remembered for its own length.
     */
    private static final long REMEMBERED = TimeUnit.MINUTES.toNanos(1);

    /**
     * A lost hold.
     *
     * @param until the time at which it is forgotten; {@link Ticker#NEVER} if it is kept until its thread unwinds or
     *     ends
     */
    public record LostHold(Hold hold, long until) {

        boolean isOf(Object owner) {
            return owner.equals(hold.owner);
        }

        /** Returns whether later holds have taken the place of this one: one of its owner, for another request. */
        boolean isReplacedBy(Map<Object, Hold> later) {
            Hold other = later.get(hold.owner);
            return other != null && other.request != hold.request;
        }

        boolean mayUnwind(long now) {
            return now < until && !hold.isOver() && hold.isOwnerThere();
        }
    }

    /** Returns these holds and those that were lost now, which replace earlier holds of their owners. */
    public LostHolds with(Collection<Hold> lost, long now) {
        Map<Object, Hold> later = new HashMap<>();
        List<LostHold> added = new ArrayList<>();
        for (Hold hold : lost) {
            if (hold.owner != null && !hold.isOver()) { // a handle remembers its hold itself
                later.put(hold.owner, hold);
                added.add(new LostHold(hold, until(hold.request.terms, now)));
            }
        }
        if (added.isEmpty()) {
            return this;
        }
        Stream<LostHold> others = holds.stream().filter(other -> !other.isReplacedBy(later));
        return new LostHolds(Stream.concat(others, added.stream()).toList(), Math.min(lookAt, now + LOOK));
    }

    private static long until(LockTerms terms, long now) {
        return terms.isRenewed
                ? Ticker.NEVER
                : now + Math.max(REMEMBERED, TimeUnit.MILLISECONDS.toNanos(terms.leaseMillis));
    }

    /** Returns these holds and others, of the same lock. */
    public LostHolds and(LostHolds others) {
        return new LostHolds(
                Stream.concat(holds.stream(), others.holds.stream()).toList(), Math.min(lookAt, others.lookAt));
    }

    /** Returns these holds without one of them. */
    public LostHolds without(Hold unwound) {
        return ofList(holds.stream().filter(lost -> lost.hold != unwound).toList(), lookAt);
    }

    private static LostHolds ofList(List<LostHold> holds, long lookAt) {
        return holds.isEmpty() ? NONE : new LostHolds(holds, lookAt);
    }

    /** Returns these holds. If the given one is among them, it is remembered until its thread unwinds. */
    public LostHolds untilUnwound(Hold lost) {
        return ofList(
                holds.stream()
                        .map(one -> one.hold == lost ? new LostHold(lost, Ticker.NEVER) : one)
                        .toList(),
                lookAt);
    }

    public boolean isEmpty() {
        return holds.isEmpty();
    }

    /** Returns whether a hold is among these. */
    boolean contains(Hold lost) {
        return holds.stream().anyMatch(one -> one.hold == lost);
    }

    /** Returns the lost hold of that owner; {@code null} if it has none. */
    @Nullable
    public Hold of(Object owner, boolean asReader) {
        for (LostHold lost : holds) {
            if (lost.isOf(owner) && lost.hold.isReader() == asReader && !lost.hold.isOver()) {
                return lost.hold;
            }
        }
        return null;
    }

    /** Returns these holds. If it is time to check, leaves out those that can be forgotten. */
    public LostHolds looked(long now) {
        return now < lookAt
                ? this
                : ofList(holds.stream().filter(lost -> lost.mayUnwind(now)).toList(), now + LOOK);
    }
}
