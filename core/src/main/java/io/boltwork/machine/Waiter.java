package io.boltwork.machine;

import io.boltwork.Lease;
import io.boltwork.LockException;
import io.boltwork.LockListener;
import org.jspecify.annotations.Nullable;

/** One local wish for a lock. Decided once, by the lock's machine. */
public final class Waiter {

    public final LockTerms terms;

    /** Whether it does not want to wait. */
    public final boolean tryOnly;

    /** The owner-to-be, or {@code null} if the hold will belong to its handle. */
    final @Nullable Thread thread;

    /** The thread that asks. */
    final Thread asker = Thread.currentThread();

    /** Whether it wants a {@link Lease} and not a {@code lock}. */
    final boolean asLease;

    public final Promise<WaitResult> outcome = new Promise<>();

    /** Its caller was cut short by an error and takes nothing any more. Written without a call, so a field. */
    public volatile boolean forsaken;

    /** The machine's: how often the lock had been said to be taken when this began to wait. */
    int refusalsBefore;

    /** The machine's: when this began to wait. */
    long since;

    /** The machine's: the request that is for this alone (FIFO), or {@code null}. */
    @Nullable
    Request request;

    /* The machine's, too: between whom this waits, if it does. */
    @Nullable
    Waiter ahead;

    @Nullable
    Waiter behind;

    private Waiter(LockTerms terms, boolean tryOnly, @Nullable Thread thread, boolean asLease) {
        this.terms = terms;
        this.tryOnly = tryOnly;
        this.thread = thread;
        this.asLease = asLease;
    }

    /** For the current thread. */
    public static Waiter ofThread(LockTerms terms, boolean tryOnly, boolean asLease) {
        return new Waiter(terms, tryOnly, Thread.currentThread(), asLease);
    }

    /** For a handle that no thread owns. */
    public static Waiter ofHandle(LockTerms terms, boolean tryOnly) {
        return new Waiter(terms, tryOnly, null, true);
    }

    /** How a wish ended. */
    public sealed interface WaitResult {}

    /** The lock is held. */
    public record Granted(Hold hold) implements WaitResult {}

    /** It is not, and that is all. */
    public enum Denied implements WaitResult {
        /** Somebody else holds the lock, or waits for it. */
        REFUSED,
        /** Whoever wished does not wish any more. */
        CANCELLED
    }

    /** The same for listeners. */
    static LockListener.Outcome outcomeOf(WaitResult verdict) {
        if (verdict instanceof Granted) {
            return LockListener.Outcome.GRANTED;
        }
        if (verdict instanceof Failed) {
            return LockListener.Outcome.FAILED;
        }
        return verdict == Denied.REFUSED ? LockListener.Outcome.REFUSED : LockListener.Outcome.CANCELLED;
    }

    /** It is not, because something is wrong. */
    public record Failed(LockException cause) implements WaitResult {}
}
