package io.boltwork.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Takes events and lets them happen one at a time and in order, without a thread of its own: who posts first carries out its
 * own event and then what others have posted meanwhile. Its subclass is what the events happen to, and is in the same object
 * because there is one for each lock in use.
 *
 * @param <M> the subclass
 * @param <A> whose alarm is raised
 */
abstract class Mailbox<M extends Mailbox<M, A>, A extends ErrorFlagOwner> {

    /*
     * One word, `head`, says everything:
     *   null           nobody is draining, nothing is posted
     *   this mailbox   somebody is draining, nothing is posted
     *   a letter       somebody is draining, this was posted last, `next` leads to what was posted before, down to the mailbox
     *   RETIRED        it has been given up for good
     * So an uncontended post costs two compare-and-sets and allocates nothing, and retirement is one compare-and-set that
     * no post can slip past. A collector that keeps account of references between its regions has none to note for null or
     * for the mailbox itself.
     */
    private static final Object RETIRED = new Object();

    /**
     * The number of events of one drain. To hand a drain on costs as much as a few events, so this is seldom enough; and a
     * connection's thread, which serves all locks, stays with one lock for no more events than that.
     */
    private static final int LONGEST_DRAIN = 128;

    /* Why a drain has been left before its end. */
    private static final byte CUT_SHORT = 1;
    private static final byte HANDED_ON = 2;

    /** Returned in place of the threads to be woken: the drain must be handed on. */
    private static final List<Thread> UNFINISHED = new ArrayList<>(0);

    @SuppressWarnings("rawtypes") // the updater of a generic class
    private static final AtomicReferenceFieldUpdater<Mailbox, @Nullable Object> HEAD =
            AtomicReferenceFieldUpdater.newUpdater(Mailbox.class, Object.class, "head");

    /* There is one mailbox for each lock in use: these three fields are kept small. */
    private static final VarHandle ABANDONED;

    static {
        try {
            ABANDONED = MethodHandles.lookup().findVarHandle(Mailbox.class, "abandoned", byte.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Its alarm is raised when an error has cut an event or the drain short. */
    final A owner;

    private volatile @Nullable Object head;

    /** Why a thread has left its drain before its end, until another thread resumes it; else 0. */
    private volatile byte abandoned;

    /** What the drain has taken and what has not happened yet, the oldest first. Touched inside the drain only. */
    private @Nullable Letter<M> taken;

    /** An idle mailbox. */
    Mailbox(A owner) {
        this.owner = owner;
    }

    /** What happens. */
    @FunctionalInterface
    public interface Event<M> {
        void happen(M machine);
    }

    // ================================================================ for the subclass; called by one thread at a time

    /** All events posted so far have happened. Returns whether it is to be retired. */
    abstract boolean settled();

    /**
     * Who sleeps on something that was decided; asked after {@link #settled}. They are woken when the mailbox is idle again:
     * a thread that is woken earlier may take the processor at once, and finds the mailbox of the lock in use.
     */
    abstract List<Thread> sleepers();

    /** An event threw: a defect of the machine or of an effect, which must not stop the events after it. */
    abstract void broken(Throwable defect);

    /** It is retired; nothing happens to it any more. */
    abstract void retired();

    /** A drain that was cut short is resumed by another thread: mends what may be half done. */
    abstract void resumed();

    /** Makes another thread call {@link #resume()} soon, because a drain has become long. Called outside the mailbox. */
    abstract void handOn();

    /** Returns the number of events after which another thread takes over the drain. */
    int longestDrain() {
        return LONGEST_DRAIN;
    }

    // ================================================================ for everybody

    private static final class Letter<M> {
        final Event<M> event;

        /** Another letter, or the mailbox. */
        @Nullable
        Object next;

        Letter(Event<M> event) {
            this.event = event;
        }
    }

    /**
     * Posts an event; it has happened on return, or another thread is going to make it happen.
     *
     * @return whether it was taken; {@code false} if it is retired
     */
    final boolean post(Event<M> event) {
        Letter<M> letter = null;
        for (; ; ) {
            Object last = head;
            if (last == RETIRED) {
                return false;
            }
            if (last == null) {
                boolean own = false;
                try {
                    own = HEAD.compareAndSet(this, null, this);
                    if (own) {
                        happen(event);
                        List<Thread> sleepers = drain();
                        own = false;
                        if (sleepers == UNFINISHED) {
                            abandoned = HANDED_ON;
                        }
                        left(sleepers);
                        return true;
                    }
                } catch (Throwable cut) {
                    owner.errorFlag.cause = cut;
                    owner.errorFlag.raised = true;
                    if (own) {
                        abandoned = CUT_SHORT; // the last act: from here on the drain may be another thread's
                    }
                    throw cut;
                }
            } else {
                if (letter == null) {
                    letter = new Letter<>(event);
                }
                letter.next = last;
                if (HEAD.compareAndSet(this, last, letter)) {
                    if (abandoned != 0) {
                        resume();
                    }
                    return true;
                }
            }
        }
    }

    /** Goes on with a drain that was left before its end; without effect if there is none. For any thread. */
    final void resume() {
        boolean own = false;
        try {
            byte why = abandoned;
            own = why != 0 && ABANDONED.compareAndSet(this, why, (byte) 0);
            if (own) {
                if (why == CUT_SHORT) {
                    mend();
                }
                List<Thread> sleepers = drain();
                own = false;
                if (sleepers == UNFINISHED) {
                    abandoned = HANDED_ON;
                }
                left(sleepers);
            }
        } catch (Throwable cut) {
            owner.errorFlag.cause = cut;
            owner.errorFlag.raised = true;
            if (own) {
                abandoned = CUT_SHORT;
            }
            throw cut;
        }
    }

    /** Returns whether a drain was cut short and has not been resumed. For any thread. */
    final boolean isAbandoned() {
        return abandoned == CUT_SHORT;
    }

    /*
     * An error can come out of every call, at the entry of the method (the stack has ended), and out of every allocation. So a
     * drain is begun and left in the same frame, that of post() or of resume(): between its first compare-and-set and the `try`
     * that belongs to it no method is entered, and it is left by field writes alone. drain() gives the mailbox away in its very last
     * act, after which nothing is called: if it throws, the mailbox is still this thread's. What has not happened yet stays in
     * `taken` and behind `head`, where the thread that resumes the drain finds it, in order.
     */
    private void left(@Nullable List<Thread> sleepers) {
        if (sleepers == null) {
            retired();
        } else if (sleepers == UNFINISHED) {
            handOn();
        } else {
            wake(sleepers);
        }
    }

    /** Returns the threads to be woken now that the mailbox is idle, {@link #UNFINISHED}, or {@code null} if it is retired. */
    private @Nullable List<Thread> drain() {
        int left = longestDrain();
        for (; ; ) {
            for (Letter<M> letter = taken; letter != null; letter = taken) {
                if (left-- == 0) {
                    wake(sleepers());
                    return UNFINISHED;
                }
                taken = before(letter);
                happen(letter.event);
            }
            if (head == this) {
                boolean retire = isToBeRetired();
                List<Thread> sleepers = sleepers();
                if (retire) {
                    wake(sleepers);
                    if (HEAD.compareAndSet(this, this, RETIRED)) {
                        return null;
                    }
                } else if (HEAD.compareAndSet(this, this, null)) {
                    return sleepers;
                } else {
                    wake(sleepers);
                }
            }
            takePosted();
        }
    }

    /** Takes what was posted, and turns it round, so that the oldest is the first. Calls nothing once it has it. */
    @SuppressWarnings({"unchecked", "NullAway"
    }) // only post() makes letters, of Event<M>, and each leads to the mailbox
    private void takePosted() {
        Object next = HEAD.getAndSet(this, this);
        Letter<M> oldest = null;
        while (next != this) {
            Letter<M> letter = (Letter<M>) next;
            next = letter.next;
            letter.next = oldest;
            oldest = letter;
        }
        taken = oldest;
    }

    @SuppressWarnings("unchecked") // takePosted() has turned it round
    private @Nullable Letter<M> before(Letter<M> letter) {
        return (Letter<M>) letter.next;
    }

    private static void wake(List<Thread> sleepers) {
        for (int i = 0; i < sleepers.size(); i++) {
            LockSupport.unpark(sleepers.get(i));
        }
    }

    @SuppressWarnings("unchecked") // M is the subclass
    private void happen(Event<M> event) {
        try {
            event.happen((M) this);
        } catch (Throwable defect) {
            cut(defect);
        }
    }

    private void mend() {
        try {
            resumed();
        } catch (Throwable defect) {
            cut(defect);
        }
    }

    /** An event ended before its time. Where the stack has ended nothing is drained any more: another thread goes on. */
    private void cut(Throwable defect) {
        owner.errorFlag.raised = true;
        if (defect instanceof StackOverflowError end) {
            throw end;
        }
        broken(defect);
    }

    private boolean isToBeRetired() {
        try {
            return settled();
        } catch (Throwable defect) {
            cut(defect);
            return false;
        }
    }
}
