package io.boltwork.machine;

import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockListener;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.spi.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One outermost acquisition by a thread or a handle: how deep it is, and whether it is still held. Thread-safe. */
public final class Hold {

    /*
     * One word decides between nesting, release and loss: two counts and three bits.
     *
     *   counts > 0, no bit   held
     *   counts = 0, no bit   ended cleanly; nothing changes any more
     *   UNVERIFIED           held, and not valid: the machine was suspended, and the server is asked; may be beside LOSING
     *   LOSING               the loss is being delivered (an interrupt, if wished); who wants to leave waits for its end
     *   LOST                 lost; the counts go down to 0 as the owner unwinds
     *
     * The deadline is the request's: a hold whose deadline has passed is lost even if nobody has set the bit yet, so whoever
     * looks sets it first.
     */
    private static final System.Logger LOG = System.getLogger("io.boltwork");
    private static final long LOCK = 1L;
    private static final long HANDLE = 1L << 31;
    private static final long COUNT = (1L << 30) - 1;
    private static final long UNVERIFIED = 1L << 61;
    private static final long LOSING = 1L << 62;
    private static final long LOST = Long.MIN_VALUE;
    private static final long COUNTS = UNVERIFIED - 1;

    private static final AtomicLongFieldUpdater<Hold> WORD = AtomicLongFieldUpdater.newUpdater(Hold.class, "word");

    @SuppressWarnings("rawtypes") // the updater of a generic field
    private static final AtomicReferenceFieldUpdater<Hold, CompletableFuture> LOSS_FUTURE =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, CompletableFuture.class, "lossFuture");

    private static final AtomicReferenceFieldUpdater<Hold, Object> TAKER =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, Object.class, "taker");

    private static final AtomicIntegerFieldUpdater<Hold> OWED =
            AtomicIntegerFieldUpdater.newUpdater(Hold.class, "owed");

    /** In place of the taker of a hold that was given back before its caller had taken it. */
    private static final Object GIVEN_UP = new Object();

    /** In {@link #owed}: a level by lock is to be left, one by handle, and the end is to be posted. */
    public static final int OWED_LOCK = 1;

    public static final int OWED_HANDLE = 2;
    public static final int OWED_RELEASE = 4;

    /** The same of a handle whose right says that it was cut short. */
    public static final int OWED_RIGHT = 8;

    public final Request request;
    public final long token;

    /** Who owns it: a thread, or {@code null} if it belongs to its handle. */
    public final @Nullable Thread thread;

    /** The thread that asked for it. */
    public final Thread asker;

    private volatile long word;
    private volatile @Nullable CompletableFuture<LeaseLoss> lossFuture;

    /** When it began, by the client's clock. */
    public final long since;

    /** The waiter whose caller has not taken it yet, {@code null} once it has, or {@link #GIVEN_UP}. */
    private volatile @Nullable Object taker;

    /**
     * What a caller has not done that an error had cut short while it was leaving: bits. The machine does it instead. A field, as the
     * stack may have ended: to write it, nothing is called.
     */
    public volatile int owed;

    private volatile @Nullable LeaseLoss loss;

    /** The newest of the rights of handles to release a level each. Given by the owner alone, looked at by the keeper. */
    private volatile @Nullable HandleRef rights;

    /** The release of this hold, once there is one. */
    private @Nullable Promise<Optional<LeaseLoss>> released;

    Hold(Request request, long token, Waiter waiter, long since) {
        this.request = request;
        this.token = token;
        this.since = since;
        this.thread = waiter.thread;
        this.asker = waiter.asker;
        this.word = waiter.asLease ? HANDLE : LOCK;
        this.taker = waiter;
    }

    // ================================================================ taking

    /*
     * A grant is no use to a caller that an error has cut short on its way out of lock(). So it takes the hold, as its last act: one
     * compare-and-set, after which nothing is called. Against that stands giving up: by the machine, or by the same thread
     * when it asks anew. A caller that finds its grant given up asks again.
     */

    /** Takes a hold for the caller of that waiter, as the last act of acquiring; {@code false} if it was given up before. */
    public boolean take(Waiter waiter) {
        return TAKER.compareAndSet(this, waiter, null);
    }

    /** Gives up a hold that its caller has not taken, and leaves it; {@code false} if it has taken it, or it was given up before. */
    public boolean giveUp() {
        if (!(taker instanceof Waiter waiter) || !TAKER.compareAndSet(this, waiter, GIVEN_UP)) {
            return false;
        }
        try {
            leave(waiter.asLease);
        } catch (Error cut) {
            owed = owed | (waiter.asLease ? OWED_HANDLE : OWED_LOCK);
            throw cut;
        }
        return true;
    }

    /** The waiter whose caller has not taken it, or {@code null}. */
    @Nullable
    Waiter taker() {
        return taker instanceof Waiter waiter ? waiter : null;
    }

    /** Returns whether it is its caller's: taken and not given up. */
    public boolean isTaken() {
        return taker == null;
    }

    // ================================================================ what a caller owes

    /** Leaves the levels that are owed. Returns whether the end of the hold was not posted by its caller. */
    boolean settleOwed() {
        if (owed == 0) {
            return false;
        }
        int what = OWED.getAndSet(this, 0);
        if ((what & OWED_LOCK) != 0 && locks() > 0) {
            leave(false);
        }
        if ((what & OWED_HANDLE) != 0 && depth() > locks()) {
            leave(true);
        }
        if ((what & OWED_RIGHT) != 0) {
            for (HandleRef right = rights; right != null; right = right.next) {
                if (right.isCut() && right.use()) {
                    right.left(leave(true).isLost());
                }
            }
        }
        return isOver();
    }

    /** Decided by the release of this hold. First asked for by who has left it, before the lock's machine hears of that. */
    public Promise<Optional<LeaseLoss>> released() {
        Promise<Optional<LeaseLoss>> outcome = released;
        if (outcome == null) {
            outcome = new Promise<>();
            released = outcome;
        }
        return outcome;
    }

    /** What leaving did. */
    public enum Left {
        /** Deeper levels are left. */
        NESTED,
        /** That was the outermost level, and it was held: now it must be released. */
        LAST,
        /** It had been lost, and deeper levels are left. */
        LOST_NESTED,
        /** It had been lost, and now the owner has unwound. */
        LOST_LAST;

        public boolean isLost() {
            return this == LOST_NESTED || this == LOST_LAST;
        }
    }

    /**
     * Goes one level deeper.
     *
     * @return {@code false} if the hold has ended, so that the caller must begin a new one
     * @throws LeaseLostException if it was lost and its owner has not unwound
     */
    public boolean enter(boolean asLease) {
        expire();
        for (; ; ) {
            long now = settledWord();
            if ((now & COUNTS) == 0) {
                return false;
            }
            if (now < 0) {
                throw new LeaseLostException(lossOf());
            }
            if (count(now, asLease) == COUNT) {
                throw new IllegalStateException(
                        "The lock '" + Printable.text(request.lock()) + "' is nested too deeply");
            }
            if (WORD.compareAndSet(this, now, now + (asLease ? HANDLE : LOCK))) {
                return true;
            }
        }
    }

    /** Whether its lease was fixed, and has ended by itself; a later loss for another reason is none. */
    public boolean hasRunOut() {
        if (request.terms.isRenewed) {
            return false;
        }
        expire();
        LeaseLoss lost = loss;
        return lost != null && lost.reason() == LeaseLoss.Reason.EXPIRED;
    }

    /** Leaves one level. The caller has made sure that there is one of that kind. */
    public Left leave(boolean asLease) {
        expire();
        for (; ; ) {
            long now = settledWord();
            long left = now - (asLease ? HANDLE : LOCK);
            if (WORD.compareAndSet(this, now, left)) {
                boolean last = (left & COUNTS) == 0;
                return now < 0 ? last ? Left.LOST_LAST : Left.LOST_NESTED : last ? Left.LAST : Left.NESTED;
            }
        }
    }

    /** How many {@code lock}s there are to undo. */
    public long locks() {
        return count(word, false);
    }

    /** How many levels there are. */
    public int depth() {
        long now = word;
        return (int) Math.min(Integer.MAX_VALUE, count(now, false) + count(now, true));
    }

    private static long count(long word, boolean asLease) {
        return (asLease ? word >> 31 : word) & COUNT;
    }

    /** Held: not left, not lost, its deadline not reached. Whoever is interrupted because of a loss sees that it is lost. */
    public boolean isValid() {
        long now = word;
        return (now & (LOSING | LOST | UNVERIFIED)) == 0
                && (now & COUNTS) != 0
                && request.context.now() < request.deadline();
    }

    /** Nothing counts until the server has been asked: it is not valid, and not lost. */
    void doubt() {
        WORD.getAndUpdate(this, now -> now >= 0 ? now | UNVERIFIED : now);
    }

    /** The server has been asked, and has it. */
    void trust() {
        if (isUnverified()) {
            WORD.getAndUpdate(this, now -> now & ~UNVERIFIED);
        }
    }

    /** Whether it is held and not valid, because the server is being asked. */
    public boolean isUnverified() {
        return (word & UNVERIFIED) != 0;
    }

    /** Somebody has the right to leave a level. */
    void give(HandleRef right) {
        HandleRef last = rights;
        while (last != null && !last.isOpen()) {
            last = last.next;
        }
        right.next = last;
        for (; last != null; last = last.next) { // what is used up goes, or a long hold would collect it
            HandleRef after = last.next;
            while (after != null && !after.isOpen()) {
                after = after.next;
            }
            last.next = after;
        }
        rights = right;
    }

    /** Why nobody is left who could release it: no thread of its {@code lock}s, no handle that anybody has; or {@code null}. */
    public LockListener.@Nullable Absence absence() {
        long now = word;
        if ((now & COUNTS) == 0) {
            return null; // its owner has left: the release is in the mailbox
        }
        boolean locked = count(now, false) > 0;
        if (locked && thread != null && thread.isAlive()) {
            return null;
        }
        long handles = count(now, true);
        for (HandleRef right = rights; right != null; right = right.next) {
            if (right.isForsaken()) {
                handles--;
            }
        }
        if (handles > 0) {
            return null;
        }
        return locked ? LockListener.Absence.THREAD_ENDED : LockListener.Absence.LEASE_UNREACHABLE;
    }

    /** Ended, cleanly or by unwinding. */
    public boolean isOver() {
        return (word & COUNTS) == 0;
    }

    /** Nanoseconds until the deadline; 0 if it is not held. */
    public long remaining() {
        return isValid() ? Math.max(0, request.deadline() - request.context.now()) : 0;
    }

    /** What was lost, or {@code null}. */
    @Nullable
    public LeaseLoss loss() {
        expire();
        return settledWord() < 0 ? loss : null;
    }

    /** What was lost, of a hold that was. */
    public LeaseLoss lossOf() {
        LeaseLoss lost = loss;
        if (lost == null) {
            throw new IllegalStateException("not lost");
        }
        return lost;
    }

    private void expire() {
        if (word >= 0 && request.context.now() >= request.deadline()) {
            lose(request.reasonOfEnd());
        }
    }

    /**
     * The hold is lost, unless it has ended.
     *
     * @return whether it was this call that lost it
     */
    public boolean lose(LeaseLoss.Reason reason) {
        LeaseLoss lost = null;
        for (; ; ) {
            long now = settledWord();
            if (now < 0 || (now & COUNTS) == 0) {
                return false;
            }
            if (lost == null) {
                lost = lossNow(reason);
            }
            if (loses(now, lost)) {
                break;
            }
        }
        tellLoss();
        tellLost(lost);
        return true;
    }

    /** Returns a loss of this hold that is dated now. */
    LeaseLoss lossNow(LeaseLoss.Reason reason) {
        return new LeaseLoss(request.lock(), token, reason, Instant.now());
    }

    /** Moves the word from {@code now} to lost. Whatever is thrown in between, LOSING does not stay: others wait for its end. */
    private boolean loses(long now, LeaseLoss lost) {
        if (!WORD.compareAndSet(this, now, now | LOSING)) {
            return false;
        }
        loss = lost;
        try {
            if (thread != null && request.terms.options.onLoss() == OnLoss.INTERRUPT) {
                thread.interrupt();
            }
        } finally {
            word = (now & ~UNVERIFIED) | LOST; // nobody else changes more of the word meanwhile
        }
        return true;
    }

    /** Tells everybody but the holder. */
    void tellLost(LeaseLoss lost) {
        if (lost.reason() != LeaseLoss.Reason.CLOSED) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The lock ''{0}'' was lost by {1}: {2}",
                    Printable.all(request.lock(), this, lost.reason()));
        }
        if (request.context.isHeard()) {
            Duration held = Duration.ofNanos(request.context.now() - since);
            request.context.tell(l -> l.lost(new LockListener.Lost(request.lock(), token, owner(), held, lost)));
        }
    }

    /** The word when no loss is being delivered: that takes an instant. */
    private long settledWord() {
        for (; ; ) {
            long now = word;
            if ((now & LOSING) == 0) {
                return now;
            }
            Thread.onSpinWait();
            LockSupport.parkNanos(1); // on one processor, let the other thread finish
        }
    }

    /** Completes when the hold is lost, on the callback executor. */
    public CompletableFuture<LeaseLoss> whenLost() {
        CompletableFuture<LeaseLoss> future = lossFuture;
        if (future == null) {
            CompletableFuture<LeaseLoss> fresh = new CompletableFuture<>();
            future = LOSS_FUTURE.compareAndSet(this, null, fresh) ? fresh : lossFuture;
        }
        if (loss() != null) {
            tellLoss();
        }
        return Objects.requireNonNull(future);
    }

    private void tellLoss() {
        CompletableFuture<LeaseLoss> future = lossFuture;
        if (future != null && !future.isDone()) {
            request.context.callBack(() -> future.complete(lossOf()));
        }
    }

    /** Whose it is, for people. */
    public String owner() {
        return ownerOf(thread, asker);
    }

    static String ownerOf(@Nullable Thread thread, Thread asker) {
        return thread == null
                ? "a handle of thread '" + Printable.text(asker.getName()) + "'"
                : "thread '" + Printable.text(thread.getName()) + "'";
    }

    @Override
    public String toString() {
        return owner() + " with fencing token " + token;
    }
}
