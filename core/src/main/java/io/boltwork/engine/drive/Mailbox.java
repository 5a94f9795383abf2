// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.engine.client.ErrorFlagOwner;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Takes events and lets them happen one at a time and in order, without a thread of its own: the thread that posts
 * first executes its own event and then the events that other threads have posted meanwhile. The events happen to the
 * subclass, which is the same object, because there is one for each lock in use.
 *
 * @param <M> the subclass
 * @param <A> the owner, whose flag an error raises
 */
public abstract class Mailbox<M extends Mailbox<M, A>, A extends ErrorFlagOwner> {

    /*
     * One word, `head`, has the whole state:
     *   null           no thread is draining, nothing is posted
     *   this mailbox   a thread is draining, nothing is posted
     *   a letter       a thread is draining; this letter is the newest, and `next` leads to the older ones
     *   RETIRED        the mailbox is retired for good
     * So an uncontended post costs two compare-and-sets and allocates nothing, and retirement is one compare-and-set
     * that no post can slip past. A garbage collector with regions has no reference to note for null or for the mailbox
     * itself.
     */
    private static final Object RETIRED = new Object();

    /**
     * The largest number of events of one drain. Handing a drain on costs as much as a few events, so this is seldom
     * enough. A connection's thread, which serves all locks, spends no more events than this on one lock.
     */
    private static final int LONGEST_DRAIN = 128;

    /* The reasons for which a thread leaves a drain before its end. */
    private static final byte CUT_SHORT = 1;
    private static final byte HANDED_ON = 2;

    /** Returned instead of the threads to be woken: the drain must be handed on. */
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

    /** The owner, whose flag is raised when an error has cut an event or the drain short. */
    final A owner;

    private volatile @Nullable Object head;

    /** The reason for which a thread has left its drain before the end, until another thread resumes it; else 0. */
    private volatile byte abandoned;

    /**
     * The letters that the drain has taken and whose events have not happened yet, the oldest first. For the drain
     * only.
     */
    private @Nullable Letter<M> taken;

    /** Creates an idle mailbox. */
    public Mailbox(A owner) {
        this.owner = owner;
    }

    /** An event. */
    @FunctionalInterface
    public interface Event<M> {
        void happen(M machine);
    }

    // ================================================================ of the subclass; called by one thread at a time

    /** Called when all events posted so far have happened. Returns whether the mailbox must be retired. */
    public abstract boolean settled();

    /**
     * The threads that sleep on decided promises. Called after {@link #settled}. The threads are woken when the mailbox
     * is idle again: a thread that is woken earlier may run at once, and finds the mailbox of the lock in use.
     */
    public abstract List<Thread> sleepers();

    /**
     * Called with a throwable of an event, which is a defect of the machine or of an effect. The next events must still
     * run.
     */
    public abstract void broken(Throwable defect);

    /** Called when the mailbox is retired. No event happens after that. */
    public abstract void retired();

    /** Mends what may be half done, because this thread resumes a drain that was cut short. */
    public abstract void resumed();

    /** Makes another thread call {@link #resume()} soon, because a drain takes long. Called outside the drain. */
    public abstract void handOn();

    /** Returns the number of events after which another thread takes over the drain. */
    public int longestDrain() {
        return LONGEST_DRAIN;
    }

    // ================================================================ for any thread

    /** A posted event. */
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
     * Posts an event. On return the event has happened, or another thread is going to execute it.
     *
     * @return whether the event was taken; {@code false} if the mailbox is retired
     */
    public final boolean post(Event<M> event) {
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
                        afterDrain(sleepers);
                        return true;
                    }
                } catch (Throwable cut) {
                    owner.errorFlag.cause = cut;
                    owner.errorFlag.raised = true;
                    if (own) {
                        abandoned = CUT_SHORT; // the last act: now another thread may drain
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

    /** Resumes a drain that was left before its end. Without effect if there is none. */
    public final void resume() {
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
                afterDrain(sleepers);
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

    /** Returns whether a drain was cut short and has not been resumed. */
    public final boolean isAbandoned() {
        return abandoned == CUT_SHORT;
    }

    /*
     * Every call may throw an error at the entry of the method (the stack has ended), and so may every allocation. A
     * drain is therefore begun and left in the same frame, that of post() or of resume(): no method is entered between
     * its first compare-and-set and its `try`, and it is left by field writes only. drain() gives the mailbox away in
     * its very last act, after which it calls nothing. If it throws, the mailbox still belongs to this thread. The
     * events that have not happened stay in `taken` and behind `head`, where the thread that resumes the drain finds
     * them in order.
     */
    private void afterDrain(@Nullable List<Thread> sleepers) {
        if (sleepers == null) {
            retired();
        } else if (sleepers == UNFINISHED) {
            handOn();
        } else {
            wake(sleepers);
        }
    }

    /**
     * Executes all events. Returns the threads to be woken, because the mailbox is idle; {@link #UNFINISHED}; or
     * {@code null} if the mailbox is retired.
     */
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

    /**
     * Takes the posted letters and reverses their order, so that the oldest is the first. Calls nothing after taking
     * them.
     */
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

    @SuppressWarnings("unchecked") // takePosted() has reversed the order
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

    /**
     * Raises the flag of errors after an event was cut short. If the stack has ended, this thread stops draining, and
     * another one resumes.
     */
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
