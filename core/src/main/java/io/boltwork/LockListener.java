package io.boltwork;

import io.boltwork.spi.Printable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Hears what happens to the locks of a client, for metrics, logs and alarms. Every method does nothing unless overridden.
 *
 * <p>Events of one lock come one after the other, in their order, on the client's {@linkplain
 * ClientOptions#withCallbackExecutor callback executor}; events of different locks, and those of the backend, may come at the
 * same time, so a listener is thread-safe. It may block, use locks, and throw: that delays later callbacks of the same lock,
 * and nothing else; one that comes with an executor of its own is
 * told {@linkplain LockClient#addListener(LockListener, java.util.concurrent.Executor) there}. Nested acquisitions and releases cause no events. Without listeners events cost nothing.
 *
 * <p>A request for a lock ends with {@link #waited}; if it was granted, {@link #acquired} follows, and that hold ends with
 * either {@link #released} or {@link #lost}.
 *
 * <!-- snippet: ClassExamples.java#LockListener -->
 * <pre>{@code
 * locks.addListener(new LockListener() {
 *     @Override
 *     public void lost(Lost event) {
 *         alarm("lock lost: " + event);
 *     }
 * });
 * }</pre>
 */
public interface LockListener {

    /**
     * A request for a lock has ended, one way or the other.
     *
     * @param event which, how, and how long it took
     */
    default void waited(Waited event) {}

    /**
     * A lock is held.
     *
     * @param event which, and by whom
     */
    default void acquired(Acquired event) {}

    /**
     * A hold was passed to the next waiter of the client in memory. Comes after the old hold was {@link #released} and before
     * the new one is {@link #acquired}.
     *
     * @param event from whom to whom
     */
    default void handedOver(HandedOver event) {}

    /**
     * A lock was given back by its holder. The backend's answer may be outstanding: should it say that the hold had been lost
     * before, {@link #lost} follows.
     *
     * @param event which, and how long it was held
     */
    default void released(Released event) {}

    /**
     * A hold ended against the will of its holder.
     *
     * @param event which, and why
     */
    default void lost(Lost event) {}

    /**
     * A hold that the backend had forgotten was restored, with its fencing token; its holder has noticed nothing.
     *
     * @param event which
     */
    default void restored(Restored event) {}

    /**
     * A hold is not renewed any more, because nobody is left who could release it. It will be {@link #lost} when its lease ends.
     *
     * @param event which, and why
     */
    default void abandoned(Abandoned event) {}

    /**
     * The backend has not answered to a release within its command timeout. For its holder the lock is released; the release is
     * repeated until the lease would have ended.
     *
     * @param event which
     */
    default void releaseFailed(ReleaseFailed event) {}

    /**
     * A connection to the backend was lost. Leases run on until their deadlines; who waits goes on waiting.
     *
     * @param event why
     */
    default void backendDown(BackendDown event) {}

    /**
     * The backend is connected again. All holds are being verified, all who wait ask again.
     *
     * @param event after which time
     */
    default void backendUp(BackendUp event) {}

    /**
     * All holds have been verified after an outage, and it is known what became of them. Comes after {@link #backendUp}, and
     * after {@link #restored} and {@link #lost} of each hold have been told or are about to be.
     *
     * @param event the counts
     */
    default void backendRecovered(BackendRecovered event) {}

    /**
     * The backend is set up so that the promises of the locks are weaker than they may seem. Told once for each such thing, and
     * to listeners that are added later, too.
     *
     * @param event which
     */
    default void backendWarning(BackendWarning event) {}

    /** How a request for a lock ended. */
    enum Outcome {
        /** With a hold. */
        GRANTED,
        /** The lock was taken, and stayed so for as long as the caller was willing to wait. */
        REFUSED,
        /** The caller was interrupted, or cancelled the request. */
        CANCELLED,
        /** The backend gave no answer, or the client was closed. */
        FAILED
    }

    /**
     * A request for a lock has ended.
     *
     * @param lockName the lock's name
     * @param asker the name of the thread that asked
     * @param outcome how it ended
     * @param waited how long it took
     */
    record Waited(String lockName, String asker, Outcome outcome, Duration waited) {
        @Override
        public String toString() {
            return Printable.text("Waited[lockName=" + lockName + ", asker=" + asker + ", outcome=" + outcome
                    + ", waited=" + waited + "]");
        }
    }

    /**
     * A lock is held.
     *
     * @param lockName the lock's name
     * @param fencingToken the hold's token
     * @param owner who holds it: {@code thread 'x'}, or {@code a handle of thread 'x'}
     * @param waited how long it took to get it
     */
    record Acquired(String lockName, long fencingToken, String owner, Duration waited) {
        @Override
        public String toString() {
            return Printable.text("Acquired[lockName=" + lockName + ", fencingToken=" + fencingToken + ", owner="
                    + owner + ", waited=" + waited + "]");
        }
    }

    /**
     * A hold was passed on in memory.
     *
     * @param lockName the lock's name
     * @param previousToken the token of the hold that ended
     * @param fencingToken the token of the hold that begins
     * @param owner who holds it now
     */
    record HandedOver(String lockName, long previousToken, long fencingToken, String owner) {
        @Override
        public String toString() {
            return Printable.text("HandedOver[lockName=" + lockName + ", previousToken=" + previousToken
                    + ", fencingToken=" + fencingToken + ", owner=" + owner + "]");
        }
    }

    /**
     * A lock was given back.
     *
     * @param lockName the lock's name
     * @param fencingToken the hold's token
     * @param owner who held it
     * @param held for how long
     */
    record Released(String lockName, long fencingToken, String owner, Duration held) {
        @Override
        public String toString() {
            return Printable.text("Released[lockName=" + lockName + ", fencingToken=" + fencingToken + ", owner="
                    + owner + ", held=" + held + "]");
        }
    }

    /**
     * A hold was lost.
     *
     * @param lockName the lock's name
     * @param fencingToken the hold's token
     * @param owner who held it
     * @param held for how long
     * @param loss what the holder is told
     */
    record Lost(String lockName, long fencingToken, String owner, Duration held, LeaseLoss loss) {
        @Override
        public String toString() {
            return Printable.text("Lost[lockName=" + lockName + ", fencingToken=" + fencingToken + ", owner=" + owner
                    + ", held=" + held + ", loss=" + loss + "]");
        }
    }

    /**
     * A hold was restored.
     *
     * @param lockName the lock's name
     * @param fencingToken the hold's token
     * @param owner who holds it
     */
    record Restored(String lockName, long fencingToken, String owner) {
        @Override
        public String toString() {
            return Printable.text(
                    "Restored[lockName=" + lockName + ", fencingToken=" + fencingToken + ", owner=" + owner + "]");
        }
    }

    /** Why nobody is left who could release a lock. */
    enum Absence {
        /** The thread that holds it has ended. */
        THREAD_ENDED,
        /** The {@link Lease} became unreachable without having been released. */
        LEASE_UNREACHABLE
    }

    /**
     * A hold is not renewed any more.
     *
     * @param lockName the lock's name
     * @param fencingToken the hold's token
     * @param owner who holds it, and is gone
     * @param absence why nobody can release it
     */
    record Abandoned(String lockName, long fencingToken, String owner, Absence absence) {
        @Override
        public String toString() {
            return Printable.text("Abandoned[lockName=" + lockName + ", fencingToken=" + fencingToken + ", owner="
                    + owner + ", absence=" + absence + "]");
        }
    }

    /**
     * A release was not answered.
     *
     * @param lockName the lock's name
     * @param fencingToken the hold's token
     * @param owner who held it
     */
    record ReleaseFailed(String lockName, long fencingToken, String owner) {
        @Override
        public String toString() {
            return Printable.text(
                    "ReleaseFailed[lockName=" + lockName + ", fencingToken=" + fencingToken + ", owner=" + owner + "]");
        }
    }

    /**
     * A connection was lost.
     *
     * @param backend where it led, without credentials
     * @param cause what happened, if the backend knows
     */
    record BackendDown(String backend, @Nullable Throwable cause) {
        @Override
        public String toString() {
            return Printable.text("BackendDown[backend=" + backend + ", cause=" + cause + "]");
        }
    }

    /**
     * A connection was made again.
     *
     * @param backend where it leads, without credentials
     * @param outage how long there was none
     * @param anotherServer whether it leads to another server, or another run of it, than before
     */
    record BackendUp(String backend, Duration outage, boolean anotherServer) {
        @Override
        public String toString() {
            return Printable.text(
                    "BackendUp[backend=" + backend + ", outage=" + outage + ", anotherServer=" + anotherServer + "]");
        }
    }

    /**
     * Holds and waiters after an outage, a failover included.
     *
     * @param backend where it leads, without credentials
     * @param took from the loss of the connection until the last hold was verified
     * @param anotherServer whether the server is another one, or another run of it, than before
     * @param kept holds that the server knew
     * @param restored holds that the server had forgotten and has again, with the same tokens
     * @param lost holds that are lost; their holders are told
     * @param askedAgain requests that waited for a lock, and have asked for it again
     */
    record BackendRecovered(
            String backend, Duration took, boolean anotherServer, int kept, int restored, int lost, int askedAgain) {
        @Override
        public String toString() {
            return Printable.text("BackendRecovered[backend=" + backend + ", took=" + took + ", anotherServer="
                    + anotherServer + ", kept=" + kept + ", restored=" + restored + ", lost=" + lost + ", askedAgain="
                    + askedAgain + "]");
        }
    }

    /**
     * Promises are weaker than they may seem.
     *
     * @param backend where it leads, without credentials
     * @param text what is the matter, and what would be right
     */
    record BackendWarning(String backend, String text) {
        @Override
        public String toString() {
            return Printable.text("BackendWarning[backend=" + backend + ", text=" + text + "]");
        }
    }
}
