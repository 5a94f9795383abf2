// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Printable;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of a client's locks, for metrics, logs and alerts. Every method does nothing unless overridden.
 *
 * <p>The events of one lock arrive one after the other, in their order, on the client's
 * {@linkplain ClientOptions#withCallbackExecutor callback executor}. Events of different locks, and events of the
 * backend, may arrive at the same time, so a listener must be thread-safe. A listener may block, use locks and throw
 * exceptions; this delays later callbacks of the same lock and has no other effect. A listener that was added with its
 * own executor is called {@linkplain LockClient#addListener(LockListener, java.util.concurrent.Executor) on that
 * executor}. Nested acquisitions and releases cause no events. Without listeners, events cost nothing.
 *
 * <p>A request for a lock ends with {@link #waited}. If it was granted, {@link #acquired} follows, and that hold ends
 * with either {@link #released} or {@link #lost}.
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
 *
 * @since 0.1.0
 */
public interface LockListener {

    /**
     * Called when a request for a lock has ended, successfully or not.
     *
     * @param event the lock, the outcome and the time it took
     */
    default void waited(Waited event) {}

    /**
     * Called when a lock has been acquired.
     *
     * @param event the lock and its owner
     */
    default void acquired(Acquired event) {}

    /**
     * Called when a hold was handed over in memory to the next waiter of the client. Follows the {@link #released}
     * event of the old hold and precedes the {@link #acquired} event of the new one.
     *
     * @param event the lock and its new owner
     */
    default void handedOver(HandedOver event) {}

    /**
     * Called when a lock was released by its holder. The backend may not have answered yet: if it then answers that the
     * hold had been lost before, {@link #lost} follows.
     *
     * @param event the lock and the time for which it was held
     */
    default void released(Released event) {}

    /**
     * Called when a hold was lost: it ended without a release by its holder.
     *
     * @param event the lock and the reason
     */
    default void lost(Lost event) {}

    /**
     * Called when a hold that the backend had forgotten was restored, with its fencing token. Its holder has noticed
     * nothing.
     *
     * @param event the lock
     */
    default void restored(Restored event) {}

    /**
     * Called when a hold is no longer renewed, because no thread and no reachable lease is left that could release it.
     * The hold will be {@link #lost} when its lease ends.
     *
     * @param event the lock and the reason
     */
    default void abandoned(Abandoned event) {}

    /**
     * Called when a renewal of a lease has failed: the backend answered with an error, the connection broke, or there
     * was no answer within the command timeout or a ninth of the lease, whichever is shorter. The hold is still valid.
     * The client tries again about every ninth of the lease, and the hold is {@link #lost} if none of these attempts
     * succeeds before its deadline.
     *
     * <p>Called once for each attempt and hold: about seven times for every hold if an outage lasts until the leases
     * end. The permits of one acquisition are one hold, and so are readers of a client that share one at the backend.
     * Not called if a renewal finds the hold gone, which is a loss, if a pause of the JVM has prevented the renewal, or
     * for fixed leases and {@linkplain #abandoned abandoned} holds, which are not renewed.
     *
     * @param event the lock, the attempt, what is left of the lease, and the cause
     */
    default void renewalFailed(RenewalFailed event) {}

    /**
     * Called when the backend has not answered a release within its command timeout. For its holder the lock is
     * released; the release is repeated until the lease would have ended.
     *
     * @param event the lock
     */
    default void releaseFailed(ReleaseFailed event) {}

    /**
     * Called when a connection to the backend was lost. Leases last until their deadlines, and waiters keep waiting.
     * Also called when the application has closed a part of the backend before the client, such as a
     * {@code CuratorFramework}: then waiters fail, and the backend does not come back.
     *
     * @param event the reason
     */
    default void backendDown(BackendDown event) {}

    /**
     * Called when the backend is connected again. All holds are being verified, and all waiting requests are sent
     * again.
     *
     * @param event the length of the outage
     */
    default void backendUp(BackendUp event) {}

    /**
     * Called when all holds have been verified after an outage. Follows {@link #backendUp}. The {@link #restored} and
     * {@link #lost} events of the holds have been delivered or are about to be.
     *
     * @param event the counts
     */
    default void backendRecovered(BackendRecovered event) {}

    /**
     * Called when the configuration of the backend makes the promises of the locks weaker than they may seem. Called
     * once for each such problem, also for listeners that are added later.
     *
     * @param event the problem
     */
    default void backendWarning(BackendWarning event) {}

    /**
     * Called when threads wait for each other in a cycle, or may do so: none of them can go on. Called once for each
     * cycle, a few seconds after it began. The client does not break the cycle.
     *
     * <p>A cycle is {@linkplain Deadlock#certain certain} if nothing ends it by itself. A cycle that a time limit, a
     * fixed lease, {@code maxHold} or another thread with a {@link Lease} may end is reported as possible after 10 s.
     *
     * <p>The threads may belong to several clients. Such a cycle is reported later, after 20 s or more, and each of its
     * clients reports it. Cycles of several clients with more than eight threads are not found.
     *
     * @param event the cycle
     */
    default void deadlock(Deadlock event) {}

    /**
     * Called when a hold has lasted for longer than {@link ClientOptions#withLongHold} allows. Called once for each
     * hold.
     *
     * @param event the hold
     */
    default void longHold(LongHold event) {}

    /**
     * Called when a caller has waited for a lock for longer than {@link ClientOptions#withLongWait} allows. Called once
     * for each wait.
     *
     * @param event the wait
     */
    default void longWait(LongWait event) {}

    /** The outcome of a request for a lock. */
    enum Outcome {
        /** The lock was acquired. */
        GRANTED,
        /** The lock was taken for as long as the caller was willing to wait. */
        REFUSED,
        /** The caller was interrupted, or cancelled the request. */
        CANCELLED,
        /** The backend gave no answer or answered with an error, or the client was closed. */
        FAILED
    }

    /**
     * A request for a lock has ended.
     *
     * @param kind the kind of the lock
     * @param lockName the name of the lock
     * @param asker the name of the thread that asked for the lock
     * @param outcome the outcome
     * @param waited how long the request took
     */
    record Waited(LockKind kind, String lockName, String asker, Outcome outcome, Duration waited) {
        @Override
        public String toString() {
            return Printable.text("Waited[kind=" + kind + ", lockName=" + lockName + ", asker=" + asker + ", outcome="
                    + outcome + ", waited=" + waited + "]");
        }
    }

    /**
     * A lock has been acquired.
     *
     * @param kind the kind of the lock
     * @param lockName the name of the lock
     * @param fencingToken the token of the hold
     * @param owner the owner: {@code thread 'x'}, or {@code a handle of thread 'x'}
     * @param waited how long the request took
     */
    record Acquired(LockKind kind, String lockName, long fencingToken, String owner, Duration waited) {
        @Override
        public String toString() {
            return Printable.text("Acquired[kind=" + kind + ", lockName=" + lockName + ", fencingToken=" + fencingToken
                    + ", owner=" + owner + ", waited=" + waited + "]");
        }
    }

    /**
     * A hold was handed over in memory.
     *
     * @param kind the kind of the lock
     * @param lockName the name of the lock
     * @param previousToken the token of the hold that ended
     * @param fencingToken the token of the hold that begins
     * @param owner the new owner
     */
    record HandedOver(LockKind kind, String lockName, long previousToken, long fencingToken, String owner) {
        @Override
        public String toString() {
            return Printable.text("HandedOver[kind=" + kind + ", lockName=" + lockName + ", previousToken="
                    + previousToken + ", fencingToken=" + fencingToken + ", owner=" + owner + "]");
        }
    }

    /**
     * A lock was released.
     *
     * @param kind the kind of the lock
     * @param lockName the name of the lock
     * @param fencingToken the token of the hold
     * @param owner the former owner
     * @param held how long it held the lock
     */
    record Released(LockKind kind, String lockName, long fencingToken, String owner, Duration held) {
        @Override
        public String toString() {
            return Printable.text("Released[kind=" + kind + ", lockName=" + lockName + ", fencingToken=" + fencingToken
                    + ", owner=" + owner + ", held=" + held + "]");
        }
    }

    /**
     * A hold was lost.
     *
     * @param kind the kind of the lock
     * @param lockName the name of the lock
     * @param fencingToken the token of the hold
     * @param owner the former owner
     * @param held how long it held the lock
     * @param loss the loss as the holder learns of it
     */
    record Lost(LockKind kind, String lockName, long fencingToken, String owner, Duration held, LeaseLoss loss) {
        @Override
        public String toString() {
            return Printable.text("Lost[kind=" + kind + ", lockName=" + lockName + ", fencingToken=" + fencingToken
                    + ", owner=" + owner + ", held=" + held + ", loss=" + loss + "]");
        }
    }

    /**
     * A hold was restored.
     *
     * @param kind the kind of the lock
     * @param lockName the name of the lock
     * @param fencingToken the token of the hold
     * @param owner the owner
     */
    record Restored(LockKind kind, String lockName, long fencingToken, String owner) {
        @Override
        public String toString() {
            return Printable.text("Restored[kind=" + kind + ", lockName=" + lockName + ", fencingToken=" + fencingToken
                    + ", owner=" + owner + "]");
        }
    }

    /** The reason why a lock can no longer be released. */
    enum Absence {
        /** The thread that holds the lock has ended. */
        THREAD_ENDED,
        /** The {@link LockOwner} that holds the lock became unreachable. */
        OWNER_UNREACHABLE,
        /** The {@link Lease} became unreachable without having been released. */
        LEASE_UNREACHABLE
    }

    /**
     * A hold is no longer renewed.
     *
     * @param kind the kind of the lock
     * @param lockName the name of the lock
     * @param fencingToken the token of the hold
     * @param owner the owner, which is gone
     * @param absence the reason why the lock can no longer be released
     */
    record Abandoned(LockKind kind, String lockName, long fencingToken, String owner, Absence absence) {
        @Override
        public String toString() {
            return Printable.text("Abandoned[kind=" + kind + ", lockName=" + lockName + ", fencingToken=" + fencingToken
                    + ", owner=" + owner + ", absence=" + absence + "]");
        }
    }

    /**
     * A renewal has failed.
     *
     * @param kind the kind of the lock
     * @param lockName the name of the lock
     * @param fencingToken the token of the hold; that of the first reader if several readers share the hold
     * @param owner the owner; the first reader if several readers share the hold
     * @param attempt the number of this attempt since the lease was last renewed: 1 for the first; 127 also for later
     *     ones
     * @param remaining what is left of the lease, by the client's clock
     * @param cause the failure; {@link BackendException#isRetryable()} is whether waiting may heal it
     */
    record RenewalFailed(
            LockKind kind,
            String lockName,
            long fencingToken,
            String owner,
            int attempt,
            Duration remaining,
            BackendException cause) {
        @Override
        public String toString() {
            return Printable.text("RenewalFailed[kind=" + kind + ", lockName=" + lockName + ", fencingToken="
                    + fencingToken + ", owner=" + owner + ", attempt=" + attempt + ", remaining=" + remaining
                    + ", cause=" + cause + "]");
        }
    }

    /**
     * A release was not answered.
     *
     * @param kind the kind of the lock
     * @param lockName the name of the lock
     * @param fencingToken the token of the hold
     * @param owner the former owner
     */
    record ReleaseFailed(LockKind kind, String lockName, long fencingToken, String owner) {
        @Override
        public String toString() {
            return Printable.text("ReleaseFailed[kind=" + kind + ", lockName=" + lockName + ", fencingToken="
                    + fencingToken + ", owner=" + owner + "]");
        }
    }

    /**
     * A connection was lost.
     *
     * @param backend the address that it led to, without credentials
     * @param cause the failure, if the backend knows it
     */
    record BackendDown(String backend, @Nullable Throwable cause) {
        @Override
        public String toString() {
            return Printable.text("BackendDown[backend=" + backend + ", cause=" + cause + "]");
        }
    }

    /**
     * A connection was re-established.
     *
     * @param backend the address that it leads to, without credentials
     * @param outage how long there was no connection
     * @param anotherServer whether it leads to another server than before, or to another run of the same server
     */
    record BackendUp(String backend, Duration outage, boolean anotherServer) {
        @Override
        public String toString() {
            return Printable.text(
                    "BackendUp[backend=" + backend + ", outage=" + outage + ", anotherServer=" + anotherServer + "]");
        }
    }

    /**
     * The state of holds and waiters after an outage, which includes a failover.
     *
     * @param backend the address that the connection leads to, without credentials
     * @param took the time from the loss of the connection until the last hold was verified
     * @param anotherServer whether it leads to another server than before, or to another run of the same server
     * @param kept how many holds the server still knew
     * @param restored how many holds the server had forgotten and has again, with the same tokens
     * @param lost how many holds are lost; their holders are notified
     * @param askedAgain how many waiting requests were sent again
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
     * A promise of the locks is weaker than it may seem.
     *
     * @param backend the address that the connection leads to, without credentials
     * @param text the problem and the remedy
     */
    record BackendWarning(String backend, String text) {
        @Override
        public String toString() {
            return Printable.text("BackendWarning[backend=" + backend + ", text=" + text + "]");
        }
    }

    /**
     * Threads wait for each other, or may do so.
     *
     * @param certain whether nothing will end the cycle by itself; otherwise it is possible that one of them goes on
     * @param cycle the waits: each one is for a lock that the next one's waiter holds, and the last one for a lock that
     *     the first one's waiter holds
     */
    record Deadlock(boolean certain, List<Blocked> cycle) {

        /**
         * Copies the waits.
         *
         * @param certain whether nothing will end the cycle by itself
         * @param cycle the waits
         */
        public Deadlock {
            cycle = List.copyOf(cycle);
        }

        @Override
        public String toString() {
            return Printable.text("Deadlock[certain=" + certain + ", cycle=" + cycle + "]");
        }
    }

    /**
     * A wait in a {@link Deadlock}.
     *
     * @param waiter the one that waits: {@code thread 'x'}, or the client of a thread of another client
     * @param kind the kind of the lock that it waits for
     * @param lockName the name of that lock
     * @param holder the one that holds the lock: {@code thread 'x'}, or the client of a thread of another client
     * @param fencingToken the token of the hold; the first token if another client holds the lock
     * @param waited how long it has waited; for a thread of another client, how long that client has
     * @param stack the stack of the thread that waits; empty for a thread of another client
     */
    record Blocked(
            String waiter,
            LockKind kind,
            String lockName,
            String holder,
            long fencingToken,
            Duration waited,
            List<StackTraceElement> stack) {

        /**
         * Copies the stack.
         *
         * @param waiter the one that waits
         * @param kind the kind of the lock that it waits for
         * @param lockName the name of that lock
         * @param holder the one that holds the lock
         * @param fencingToken the token of the hold
         * @param waited how long it has waited
         * @param stack the stack of the thread that waits
         */
        public Blocked {
            stack = List.copyOf(stack);
        }

        @Override
        public String toString() {
            return Printable.text("Blocked[waiter=" + waiter + ", kind=" + kind + ", lockName=" + lockName + ", holder="
                    + holder + ", fencingToken=" + fencingToken + ", waited=" + waited + ", stack=" + stack + "]");
        }
    }

    /**
     * A hold has lasted for a long time.
     *
     * @param kind the kind of the lock
     * @param lockName the name of the lock
     * @param fencingToken the token of the hold
     * @param owner the owner
     * @param held how long it has held the lock so far
     * @param stack the stack of the thread that holds the lock; empty for a handle
     */
    record LongHold(
            LockKind kind,
            String lockName,
            long fencingToken,
            String owner,
            Duration held,
            List<StackTraceElement> stack) {

        @Override
        public String toString() {
            return Printable.text("LongHold[kind=" + kind + ", lockName=" + lockName + ", fencingToken=" + fencingToken
                    + ", owner=" + owner + ", held=" + held + ", stack=" + stack + "]");
        }
    }

    /**
     * A caller has waited for a long time.
     *
     * @param kind the kind of the lock
     * @param lockName the name of the lock
     * @param asker the name of the thread that asked for the lock
     * @param waited how long it has waited so far
     * @param stack the stack of the thread that waits; empty for an asynchronous request
     */
    record LongWait(LockKind kind, String lockName, String asker, Duration waited, List<StackTraceElement> stack) {

        @Override
        public String toString() {
            return Printable.text("LongWait[kind=" + kind + ", lockName=" + lockName + ", asker=" + asker + ", waited="
                    + waited + ", stack=" + stack + "]");
        }
    }
}
