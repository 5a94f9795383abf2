// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import static io.boltwork.spi.rules.LeaseTimes.MILLI;

import io.boltwork.machine.LockMachine;

/**
 * Limits the time for which owners in one client pass a hold on, or join it, without the server. Owners elsewhere wait
 * meanwhile. Part of a {@link LockMachine}.
 */
public final class Slice {

    /**
     * A slice lasts for this many owners if they need longer than its time, as in lock cohorting (Dice, Marathe,
     * Shavit: Lock Cohorting, PPoPP 2012). With a handover to another client after each owner, owners that work for
     * milliseconds would lose a good part of their time. With eight owners, a handover of 2 ms is half a percent of
     * 50 ms of work each.
     */
    private static final int TURNS = 8;

    /**
     * The longest time for which a slice is extended for its owners: eight times 62 ms. Slower owners hardly notice a
     * handover.
     */
    private static final long LONGEST_TURNS = 500 * MILLI;

    private Slice() {}

    /** Returns whether the hold may pass from one local owner to the next, if both have equal options. */
    public static boolean allowsHandover(Request request, long now, long slice) {
        return request.terms.mayBePassedOn
                && !request.hasDowngraded()
                && isIn(request, now - request.began, slice)
                && isSound(request, now);
    }

    private static boolean isIn(Request request, long held, long slice) {
        return held < slice || held < LONGEST_TURNS && request.lastToken - request.firstToken < TURNS - 1;
    }

    /** Returns whether one more reader may have the hold, if it has equal options. */
    public static boolean allowsJoining(Request request, long now, long slice) {
        return request.terms.mayBeJoined && now - request.began < slice && !request.abandoned && isSound(request, now);
    }

    /** Returns whether one more local owner may have the hold, however long the client has had it. */
    public static boolean allowsAnother(Request request, long now) {
        return request.terms.mayBePassedOn && !request.hasDowngraded() && isSound(request, now);
    }

    /** Returns whether another owner can have the hold: a token is left for it, and nothing is unusual. */
    private static boolean isSound(Request request, long now) {
        return !request.extended
                && now < request.deadline()
                && request.lastToken < request.blockEnd()
                && request.missedTime() == null;
    }
}
