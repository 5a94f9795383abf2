package io.boltwork.machine;

import io.boltwork.LeaseLoss;
import io.boltwork.engine.LeaseHandle;
import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The right of one {@link LeaseHandle} to release one level of a hold. The hold knows its rights but not the handles, so that
 * a handle that nobody has any more can be told from one that is open.
 */
public final class HandleRef extends WeakReference<HandleRef.Handle> {

    private static final AtomicReferenceFieldUpdater<HandleRef, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(HandleRef.class, State.class, "state");

    /** A release that turns out to come after the loss tells the loss itself; so LEAVING is neither one nor the other. */
    public enum State {
        OPEN,
        LEAVING,
        LEFT_CLEANLY,
        LEFT_LOST
    }

    private final Hold hold;
    public volatile State state = State.OPEN;

    /** The right before it that is not used up; the hold's. */
    volatile @Nullable HandleRef next;

    /** What a right is for. */
    public interface Handle {

        /** Returns whether a release of it was cut short by an error before the right was used. */
        boolean isCut();
    }

    public HandleRef(Handle handle, Hold hold) {
        super(handle);
        this.hold = hold;
        hold.give(this);
    }

    public boolean isOpen() {
        return state == State.OPEN;
    }

    /** Nobody can use it: the handle was never released, and is gone. */
    boolean isForsaken() {
        return refersTo(null) && isOpen();
    }

    /** Returns whether an error has cut its handle's release short before the right was used: the machine uses it. */
    boolean isCut() {
        Handle handle = get();
        return handle != null && handle.isCut(); // of a handle that is gone, the keeper gives the level back
    }

    /** Uses it up, once. */
    public boolean use() {
        return STATE.compareAndSet(this, State.OPEN, State.LEAVING);
    }

    public void left(boolean lost) {
        state = lost ? State.LEFT_LOST : State.LEFT_CLEANLY;
    }

    /** What happened to the hold, unless this right had been given back before. */
    @Nullable
    public LeaseLoss loss() {
        State now = state;
        return now == State.OPEN || now == State.LEFT_LOST ? hold.loss() : null;
    }
}
