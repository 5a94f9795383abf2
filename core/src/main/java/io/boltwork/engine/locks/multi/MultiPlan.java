// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks.multi;

import java.util.BitSet;

/**
 * The order in which the members of a {@link EngineMultiLock} are acquired. Not thread-safe.
 *
 * <p>First all members are tried at once. Those before the first one that was refused are kept; the others are given
 * back. Then the members are waited for one after the other, in the global order. A thread that waits for a member
 * therefore holds only earlier ones, and waits form no cycle.
 *
 * <p>Members with equal places in that order form a group. They have equal names on different backends, which no order
 * distinguishes in all JVMs. One member of a group is waited for, while no other one of the group is held. Then the
 * others are tried. If one of them is refused, the whole group is given back, and the refused member is waited for
 * next.
 */
final class MultiPlan {

    /**
     * Members to request at the same time.
     *
     * @param members the indexes of the members
     * @param waits true if the only member is waited for, false if the members are tried
     * @param pauses true if a pause must come before, because clients that gave way to each other may do so again
     */
    record Round(BitSet members, boolean waits, boolean pauses) {}

    /** The group of each member, in ascending order. */
    private final int[] groups;

    private final BitSet held;
    private boolean begun;

    /** The member of the current group that was refused last; -1 if none was. */
    private int refused = -1;

    /** @param held the members that the caller holds already, all in groups before those of the others */
    MultiPlan(int[] groups, BitSet held) {
        this.groups = groups;
        this.held = (BitSet) held.clone();
    }

    boolean isDone() {
        return held.cardinality() == groups.length;
    }

    /** Returns what to request next. Must not be called if all members are held. */
    Round next() {
        BitSet missing = new BitSet();
        missing.set(0, groups.length);
        missing.andNot(held);
        if (!begun) {
            begun = true;
            return new Round(missing, false, false);
        }
        BitSet group = group(missing.nextSetBit(0));
        if (group.intersects(held)) {
            group.andNot(held);
            return new Round(group, false, false);
        }
        BitSet one = new BitSet();
        boolean gaveWay = refused >= 0;
        one.set(gaveWay ? refused : missing.nextSetBit(0));
        return new Round(one, true, gaveWay);
    }

    /**
     * Adds the members of a round that were granted.
     *
     * @return the members to give back
     */
    BitSet decided(Round round, BitSet granted) {
        held.or(granted);
        BitSet denied = (BitSet) round.members().clone();
        denied.andNot(granted);
        int first = denied.nextSetBit(0);
        refused = -1;
        if (first < 0 || round.waits()) {
            return new BitSet();
        }
        if (group(first).cardinality() > 1) {
            refused = first;
        }
        return from(first);
    }

    /**
     * Removes a lost member from the plan.
     *
     * @return the members to give back, without the lost one
     */
    BitSet lost(int member) {
        refused = -1;
        held.clear(member);
        return from(member);
    }

    /** Removes and returns the held members of the group of a member and of all later groups. */
    private BitSet from(int member) {
        BitSet back = (BitSet) held.clone();
        back.clear(0, group(member).nextSetBit(0));
        held.andNot(back);
        return back;
    }

    private BitSet group(int member) {
        BitSet group = new BitSet();
        for (int i = 0; i < groups.length; i++) {
            group.set(i, groups[i] == groups[member]);
        }
        return group;
    }

    /** Returns the indexes in a set, in ascending order. */
    static Iterable<Integer> each(BitSet set) {
        return () -> set.stream().iterator();
    }
}
