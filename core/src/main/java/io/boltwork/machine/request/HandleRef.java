// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The right of one handle to release one level of a hold. The hold refers to its handles only weakly, so that an
 * unreachable handle is noticed.
 */
public final class HandleRef extends WeakReference<Object> {

    private static final AtomicReferenceFieldUpdater<HandleRef, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(HandleRef.class, State.class, "state");

    /** LEAVING is a state of its own, because a release that is under way reports a loss itself. */
    public enum State {
        OPEN,
        LEAVING,
        LEFT_CLEANLY,
        LEFT_LOST
    }

    public volatile State state = State.OPEN;

    /** The next older right; belongs to the hold. */
    volatile @Nullable HandleRef next;

    /**
     * True if an error has cut short a release before it used the right, so that the machine uses it. A field, because
     * the stack may be full and writing a field needs no call.
     */
    public volatile boolean cut;

    public HandleRef(Object handle) {
        super(handle);
    }

    public boolean isOpen() {
        return state == State.OPEN;
    }

    /** Returns whether nobody will ever use the right: its handle was not released, and is unreachable. */
    boolean isForsaken() {
        return refersTo(null) && isOpen() && !cut;
    }

    /** Puts the right before older ones. Drops used ones, which a long hold would accumulate. */
    void precede(@Nullable HandleRef older) {
        next = firstOpen(older);
        for (HandleRef kept = next; kept != null; kept = kept.next) {
            kept.next = firstOpen(kept.next);
        }
    }

    private static @Nullable HandleRef firstOpen(@Nullable HandleRef right) {
        HandleRef open = right;
        while (open != null && !open.isOpen()) {
            open = open.next;
        }
        return open;
    }

    /** Returns how many of these rights can never be used. */
    static int forsaken(@Nullable HandleRef newest) {
        int forsaken = 0;
        for (HandleRef right = newest; right != null; right = right.next) {
            if (right.isForsaken()) {
                forsaken++;
            }
        }
        return forsaken;
    }

    /** Uses the right. Returns whether it was open. */
    public boolean use() {
        return STATE.compareAndSet(this, State.OPEN, State.LEAVING);
    }

    public void setLeft(boolean lost) {
        state = lost ? State.LEFT_LOST : State.LEFT_CLEANLY;
    }

    /** Returns whether a loss of the hold concerns the handle: its right was not used before the loss. */
    boolean sharesLoss() {
        State now = state;
        return now == State.OPEN || now == State.LEFT_LOST;
    }
}
