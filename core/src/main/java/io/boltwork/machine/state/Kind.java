// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import io.boltwork.LockKind;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Share;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules that differ between kinds of locks, in the order in which the machine asks for them. The machine has at
 * most one exclusive hold, {@link LockState#hold}: that of a plain lock's owner, or of a writer. A shared lock keeps
 * the holds that may exist beside each other.
 *
 * <p>All plain locks have one object; each shared lock has one of its own. Belongs to the lock's machine.
 */
public interface Kind {
    /** Returns the kind, as users know it. */
    LockKind of();

    /** Returns a part of the lock, with the capacity that the client knows. For any thread. */
    default Share share(int permits) {
        return Share.WHOLE;
    }

    // ================================================================ waiting

    /** Creates the waiters of a lock. */
    default Waiters newWaiters() {
        return new Waiters();
    }

    /** Returns the hold of an owner that a waiter with those terms would enter; {@code null} if there is none. */
    @Nullable
    default Hold holdOf(LockState lock, Object owner, LockTerms terms) {
        return lock.holdOf(owner);
    }

    /** Decides a caller that comes, if the holds or waiters here decide it. Returns whether it is decided. */
    default boolean serves(LockState lock, Waiter waiter) {
        return false;
    }

    /** Returns whether the lock is known to be taken for a caller that comes. */
    boolean isTaken(LockState lock, Waiter waiter);

    /** Returns whether a try that comes is refused without the server. */
    boolean refuses(LockState lock, Waiter waiter, boolean isTaken);

    // ================================================================ asking

    /** Asks the backend for exactly what is wanted here, and withdraws the requests that are no longer wanted. */
    void ask(LockState lock);

    /** Returns a new request that the release of another one carries; {@code null} if there is none. */
    @Nullable
    Request next(LockState lock, Request released);

    /** Returns a request that asks, unless it is one of those that poll in turn; {@code null} if there is none. */
    @Nullable
    default Request first(LockState lock) {
        return lock.wanted;
    }

    /** Returns whether a request without a waiter of its own is wanted. */
    boolean wants(LockState lock, Request request);

    /** Forgets a request that was granted or refused, as one that is wanted. */
    void wantsNoLonger(LockState lock, Request request);

    /** Lets the requests that wait for more than {@code permits} ask again, because the answer may be another now. */
    void askAgain(LockState lock, int permits);

    /** Applies the server's answer about a part of the lock. */
    default void heard(LockState lock, Reply.Acquired answer) {}

    /** Refuses all waiters with those terms, because none of them can be served. */
    default void refuseAll(LockState lock, LockTerms terms, Waiter.Failed failed) {}

    // ================================================================ holding

    /** Returns whether the hold of that request is exclusive. */
    default boolean isExclusive(Request request) {
        return true;
    }

    /** Creates the hold of a waiter whose request is granted. */
    default Hold hold(Request request, Waiter waiter, long now) {
        return new Hold(request, request.lastToken, waiter, now);
    }

    /** Adds a hold. */
    default void begins(LockState lock, Hold whole) {
        lock.hold = whole;
    }

    /** Lets other waiters join a hold that has begun. */
    default void begun(LockState lock, Hold whole) {}

    /** Removes a hold that has ended. */
    default void ends(LockState lock, Hold whole) {
        lock.hold = null;
    }

    /** Returns the hold of that request if it is not exclusive; otherwise {@code null}. For any thread. */
    @Nullable
    default Hold shared(long request) {
        return null;
    }

    /** Returns the holds that are not exclusive. For any thread. */
    default Collection<Hold> shared() {
        return List.of();
    }

    /** Returns when the renewer must visit the holds that are not exclusive; {@link Ticker#NEVER} if there are none. */
    default long visitAt() {
        return Ticker.NEVER;
    }

    /** Returns the shortest lease of those holds, as the renewer counts it. */
    default long watchedLease() {
        return Ticker.NEVER;
    }

    /** Renews the holds that are not exclusive, as far as that is due. */
    default void visit(LockState lock) {}

    /** Plans the renewer's visit anew, because the times of a request have changed. */
    default void planVisit(LockState lock, Request request) {}

    // ================================================================ leaving

    /** Called when an owner has left its hold. */
    default void left(Hold owner) {}

    /** Returns the waiter that gets a released hold if it may; {@code null} if there is none. */
    @Nullable
    default Waiter follower(LockState lock, Request released) {
        return lock.waiters.first();
    }

    /** Returns whether a waiter with other terms may have a hold that is released. */
    default boolean mayFollow(LockState lock, Request released, LockTerms next, long now) {
        return false;
    }

    /** Lets the owner of a hold go on with a part of it, if it has left the rest. Returns whether it does. */
    default boolean downgrades(LockState lock, Hold left) {
        return false;
    }

    // ================================================================ time

    /** Does what is due. */
    default void tick(LockState lock, long now) {}

    /** Returns when something is due; {@link Ticker#NEVER} if nothing will be. */
    default long wakeAt(LockState lock) {
        return Ticker.NEVER;
    }

    // ================================================================ after an error

    /** Forgets what an error has left half done. */
    default void mend(LockState lock) {}
}
