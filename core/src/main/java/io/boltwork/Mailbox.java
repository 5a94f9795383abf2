package io.boltwork;

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
 */
abstract class Mailbox<M extends Mailbox<M>> {

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

    @SuppressWarnings("rawtypes") // the updater of a generic class
    private static final AtomicReferenceFieldUpdater<Mailbox, @Nullable Object> HEAD =
            AtomicReferenceFieldUpdater.newUpdater(Mailbox.class, Object.class, "head");

    private volatile @Nullable Object head;

    /** What happens. */
    @FunctionalInterface
    interface Event<M> {
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
                if (HEAD.compareAndSet(this, null, this)) {
                    happen(event);
                    drain();
                    return true;
                }
            } else {
                if (letter == null) {
                    letter = new Letter<>(event);
                }
                letter.next = last;
                if (HEAD.compareAndSet(this, last, letter)) {
                    return true;
                }
            }
        }
    }

    private void drain() {
        for (; ; ) {
            if (head == this) {
                boolean retire = isToBeRetired();
                List<Thread> sleepers = sleepers();
                boolean done = HEAD.compareAndSet(this, this, retire ? RETIRED : null);
                for (int i = 0; i < sleepers.size(); i++) {
                    LockSupport.unpark(sleepers.get(i));
                }
                if (done) {
                    if (retire) {
                        retired();
                    }
                    return;
                }
            }
            Object posted = HEAD.getAndSet(this, this);
            for (Letter<M> letter = oldest(posted); letter != null; letter = letter(letter.next)) {
                happen(letter.event);
            }
        }
    }

    /** Turns letters round, so that the oldest is the first. */
    private @Nullable Letter<M> oldest(@Nullable Object newest) {
        Letter<M> oldest = null;
        for (Letter<M> letter = letter(newest); letter != null; ) {
            Letter<M> before = letter(letter.next);
            letter.next = oldest;
            oldest = letter;
            letter = before;
        }
        return oldest;
    }

    @SuppressWarnings("unchecked") // only post() makes letters, and it makes them of Event<M>
    private @Nullable Letter<M> letter(@Nullable Object next) {
        return next == this ? null : (Letter<M>) next;
    }

    @SuppressWarnings("unchecked") // M is the subclass
    private void happen(Event<M> event) {
        try {
            event.happen((M) this);
        } catch (Throwable defect) {
            broken(defect);
        }
    }

    private boolean isToBeRetired() {
        try {
            return settled();
        } catch (Throwable defect) {
            broken(defect);
            return false;
        }
    }
}
