// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.BackendException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reply to a {@link Command}: an {@link Answer} of the server, or {@link Failed}.
 *
 * @since 0.1.0
 */
public sealed interface Reply {

    /**
     * Returned in place of the time until a claim runs out. The lock is free and requests wait, but so many of the
     * first ones are from dead clients that the server has not yet found one whose client listens. The search continues
     * at the next command for the lock, which must be sent at once.
     */
    long AGAIN = -1;

    /**
     * The server executed the command. In all answers {@code owner} is the request that owns the lock afterwards,
     * {@code null} if there is none.
     */
    sealed interface Answer extends Reply
            permits Acquired,
                    Released,
                    Withdrawn,
                    Renewed,
                    Replicated,
                    Restored,
                    Resized,
                    Forced,
                    Latched,
                    Announced,
                    Raised,
                    Witnessed,
                    QueryReply {

        /**
         * Returns the server that executed the command, and the time at which it did.
         *
         * @return the clock of the server
         */
        ServerTime server();
    }

    /**
     * There is no answer, or the answer is an error.
     *
     * @param executed whether the command may have been executed or may still be executed later; {@code false} only if
     *     this is certainly not the case
     * @param cause the failure
     */
    record Failed(boolean executed, BackendException cause) implements Reply {}

    /** The verdict on a request that asked for a lock. */
    enum Verdict {
        /** The request owns the lock. */
        GRANTED,
        /** The request waits in the queue. */
        QUEUED,
        /** The lock is taken or other requests wait for it, and the request did not want to wait. */
        REFUSED,
        /** The command arrived after its not-after; nothing was changed. */
        STALE,
        /**
         * The lock is free, but so many of the first waiters are dead that the server has not yet found the next owner.
         * A request that wants to wait has been queued. The command must be sent again at once.
         */
        AGAIN,
        /** The request waits for a signal of its condition, and is not in the queue. */
        WAITING,
        /** The request wants more than there is: its permits exceed the capacity. It is not in the queue. */
        TOO_LARGE
    }

    /**
     * The part of the answer to {@link Command.Acquire} that is about a shared lock.
     *
     * @param permits the weight of the hold if granted, otherwise 0
     * @param blockEnd the last token of the hold's block if granted, otherwise 0
     * @param free the permits that are not held, for a request that was not granted
     * @param capacity the capacity that counts at the server
     * @param set when it was set, in microseconds of the server's clock; 0 if it comes from a client's configuration
     */
    record AcquiredShare(int permits, long blockEnd, int free, int capacity, long set) {

        /** A plain lock. */
        public static final AcquiredShare WHOLE = new AcquiredShare(1, 0, 0, 1, 0);
    }

    /**
     * The answer to {@link Command.Acquire}.
     *
     * @param server the clock of the server
     * @param verdict the verdict on the request
     * @param token the first token of the hold if granted, otherwise 0
     * @param remainingMillis the time until the owner's lease and takeover delay end if queued or refused, otherwise 0.
     *     If the lock is shared: the time until the first of its leases may end, or 0; {@link #AGAIN} with a grant if
     *     more waiting requests must be examined
     * @param position the place in the queue if the request waits there, 1 or more, an upper bound; otherwise 0
     * @param known whether the server already knew the request: it owned the lock or waited in the queue
     * @param owner the request that owns the lock now; {@code null} if the lock is shared
     * @param share what is shared
     */
    record Acquired(
            ServerTime server,
            Verdict verdict,
            long token,
            long remainingMillis,
            int position,
            boolean known,
            @Nullable String owner,
            AcquiredShare share)
            implements Answer {
        /**
         * The answer about a plain lock.
         *
         * @param server the clock of the server
         * @param verdict the verdict on the request
         * @param token the first token of the hold if granted, otherwise 0
         * @param remainingMillis the time until the owner's lease and takeover delay end, or 0
         * @param position the place in the queue, or 0
         * @param known whether the server already knew the request
         * @param owner the request that owns the lock now
         */
        public Acquired(
                ServerTime server,
                Verdict verdict,
                long token,
                long remainingMillis,
                int position,
                boolean known,
                @Nullable String owner) {
            this(server, verdict, token, remainingMillis, position, known, owner, AcquiredShare.WHOLE);
        }

        @Override
        public String toString() {
            return Printable.text("Acquired[server=" + server + ", verdict=" + verdict + ", token=" + token
                    + ", remainingMillis=" + remainingMillis + ", position=" + position + ", known=" + known
                    + ", owner=" + owner + ", share=" + share + "]");
        }
    }

    /** The outcome of a release. */
    enum Release {
        /** The request owned the lock and has released it. */
        RELEASED,
        /**
         * The server has lost the hold (failover, flush, eviction), and no request has held the lock since: a clean
         * end.
         */
        FORGOTTEN,
        /** The request did not own the lock: its hold had been lost. */
        NOT_HELD
    }

    /**
     * The answer to {@link Command.Release}. The server knew the request if and only if it answers RELEASED.
     *
     * @param server the clock of the server
     * @param outcome the outcome
     * @param next the answer to the next request; {@code null} if there was none or nothing was released
     * @param claimMillis how long until the claim of the owner runs out or a lock that is kept closed opens, 0 if
     *     neither applies; {@link #AGAIN} if more waiting requests must be examined
     * @param owner the request that owns the lock now
     */
    record Released(
            ServerTime server,
            Release outcome,
            @Nullable Acquired next,
            long claimMillis,
            @Nullable String owner) implements Answer {
        @Override
        public String toString() {
            return Printable.text("Released[server=" + server + ", outcome=" + outcome + ", next=" + next
                    + ", claimMillis=" + claimMillis + ", owner=" + owner + "]");
        }
    }

    /**
     * The answer to {@link Command.Withdraw}.
     *
     * @param server the clock of the server
     * @param known whether the server knew the request: it owned the lock or waited in the queue
     * @param claimMillis how long until the claim of the owner runs out or a lock that is kept closed opens, 0 if
     *     neither applies; {@link #AGAIN} if more waiting requests must be examined
     * @param owner the request that owns the lock now
     */
    record Withdrawn(
            ServerTime server,
            boolean known,
            long claimMillis,
            @Nullable String owner) implements Answer {
        @Override
        public String toString() {
            return Printable.text("Withdrawn[server=" + server + ", known=" + known + ", claimMillis=" + claimMillis
                    + ", owner=" + owner + "]");
        }
    }

    /** The outcome of extending or restoring a lease. */
    enum Renewal {
        /** The lease was extended or restored. */
        OK,
        /**
         * The lease was extended or restored, and other requests wait for the lock, which the request {@linkplain
         * RequestId#isRetained may retain}.
         */
        WANTED,
        /**
         * The server has lost the hold, and no request has held the lock since; nothing was written. Never the outcome
         * of a restore.
         */
        FORGOTTEN,
        /** The request no longer owns the lock. */
        LOST,
        /** The command arrived after its not-after; nothing was changed. */
        STALE,
        /** The key of the lock could not be read or written; the other keys of the batch could. */
        BROKEN;

        /**
         * Returns whether the request owns the lock.
         *
         * @return whether the lease was extended or restored
         */
        public boolean isHeld() {
            return this == OK || this == WANTED;
        }
    }

    /**
     * The answer to {@link Command.Renew}.
     *
     * @param server the clock of the server
     * @param items one result for each item of the command, in the same order
     */
    record Renewed(ServerTime server, List<Item> items) implements Answer {

        /**
         * Copies the items.
         *
         * @param server the clock of the server
         * @param items one result for each item of the command, in the same order
         */
        public Renewed {
            items = List.copyOf(items);
        }

        /**
         * The result for one lease.
         *
         * @param outcome the outcome
         * @param owner the request that owns the lock now; {@code null} if the lock is shared
         * @param claimMillis if the renewal has granted the lock to waiting requests, because its hold became smaller:
         *     how long until all claims run out; {@link #AGAIN} if more waiting requests must be examined; otherwise 0
         */
        public record Item(Renewal outcome, @Nullable String owner, long claimMillis) {
            /**
             * The result for the lease of a plain lock.
             *
             * @param outcome the outcome
             * @param owner the request that owns the lock now
             */
            public Item(Renewal outcome, @Nullable String owner) {
                this(outcome, owner, 0);
            }

            @Override
            public String toString() {
                return Printable.text(
                        "Item[outcome=" + outcome + ", owner=" + owner + ", claimMillis=" + claimMillis + "]");
            }
        }
    }

    /**
     * The answer to {@link Command.Replicate}.
     *
     * @param server the clock of the server
     * @param outcome the outcome of extending the lease
     * @param copies how many replicas are known to have it in time, or 1 for the server's own disk; 0 if the lease was
     *     not extended
     * @param owner the request that owns the lock now
     */
    record Replicated(
            ServerTime server,
            Renewal outcome,
            int copies,
            @Nullable String owner) implements Answer {
        @Override
        public String toString() {
            return Printable.text("Replicated[server=" + server + ", outcome=" + outcome + ", copies=" + copies
                    + ", owner=" + owner + "]");
        }
    }

    /**
     * The answer to {@link Command.Restore}.
     *
     * @param server the clock of the server
     * @param outcome OK, LOST or STALE
     * @param owner the request that owns the lock now; {@code null} if the lock is shared
     * @param claimMillis as in {@link Renewed.Item}
     */
    record Restored(
            ServerTime server, Renewal outcome, @Nullable String owner, long claimMillis) implements Answer {
        /**
         * The answer about a plain lock.
         *
         * @param server the clock of the server
         * @param outcome OK, LOST or STALE
         * @param owner the request that owns the lock now
         */
        public Restored(ServerTime server, Renewal outcome, @Nullable String owner) {
            this(server, outcome, owner, 0);
        }

        @Override
        public String toString() {
            return Printable.text("Restored[server=" + server + ", outcome=" + outcome + ", owner=" + owner
                    + ", claimMillis=" + claimMillis + "]");
        }
    }

    /**
     * The answer to {@link Resize}.
     *
     * @param server the clock of the server
     * @param capacity the capacity from now on
     * @param set when it was set, in microseconds of the server's clock
     * @param claimMillis how long until all claims run out, 0 if there are none; {@link #AGAIN} if more waiting
     *     requests must be examined
     */
    record Resized(ServerTime server, int capacity, long set, long claimMillis) implements Answer {
        @Override
        public String toString() {
            return Printable.text("Resized[server=" + server + ", capacity=" + capacity + ", set=" + set
                    + ", claimMillis=" + claimMillis + "]");
        }
    }

    /**
     * The answer to {@link ForceRelease}.
     *
     * @param server the clock of the server
     * @param released whether the lock was taken away from an owner, or a lock that was kept closed was opened
     * @param claimMillis how long until the claim of the owner runs out or a lock that is kept closed opens, 0 if
     *     neither applies; {@link #AGAIN} if more waiting requests must be examined
     * @param owner the request that owns the lock now
     * @param taken the request that owned the lock before; {@code null} if there was none
     * @param takenToken the first token of its hold, 0 if there was none
     * @param ended if a lock that is shared was taken from all its holders, no hold has ended whose first token is
     *     larger than this, and every other one has; otherwise 0
     */
    record Forced(
            ServerTime server,
            boolean released,
            long claimMillis,
            @Nullable String owner,
            @Nullable String taken,
            long takenToken,
            long ended)
            implements Answer {
        /**
         * The answer about a plain lock.
         *
         * @param server the clock of the server
         * @param released whether the lock was taken away
         * @param claimMillis how long until the claim of the owner runs out
         * @param owner the request that owns the lock now
         * @param taken the request that owned the lock before
         * @param takenToken the first token of its hold
         */
        public Forced(
                ServerTime server,
                boolean released,
                long claimMillis,
                @Nullable String owner,
                @Nullable String taken,
                long takenToken) {
            this(server, released, claimMillis, owner, taken, takenToken, 0);
        }

        @Override
        public String toString() {
            return Printable.text(
                    "Forced[server=" + server + ", released=" + released + ", claimMillis=" + claimMillis + ", owner="
                            + owner + ", taken=" + taken + ", takenToken=" + takenToken + ", ended=" + ended + "]");
        }
    }

    /** The answer to a {@link LatchCommand}. */
    enum LatchOutcome {
        /** The change was made, now or by an earlier copy, or there was nothing to change. */
        DONE,
        /** The count was not set, because it is not zero, or because it was set again later. */
        REFUSED,
        /** The generation that is meant, or that the change began, has ended. */
        OPEN,
        /** The generation that is meant has not ended, or has not begun. */
        CLOSED,
        /** The server does not know the generation that is meant, or any. */
        UNKNOWN,
        /** The command came too late and has changed nothing. */
        STALE
    }

    /**
     * The answer to a {@link LatchCommand}.
     *
     * @param server the clock of the server
     * @param outcome what the command has found
     * @param count the count now
     * @param generation the current generation, 0 if the count was never set
     * @param before the generation that had ended when the current one began, 0 if there was none
     */
    record Latched(ServerTime server, LatchOutcome outcome, int count, long generation, long before) implements Answer {
        @Override
        public String toString() {
            return Printable.text("Latched[server=" + server + ", outcome=" + outcome + ", count=" + count
                    + ", generation=" + generation + ", before=" + before + "]");
        }
    }

    /**
     * The answer to {@link Announce}.
     *
     * @param server the clock of the server
     * @param before the nonce of the client's previous record; empty if there was none
     */
    record Announced(ServerTime server, String before) implements Answer {
        @Override
        public String toString() {
            return Printable.text("Announced[server=" + server + ", before=" + before + "]");
        }
    }

    /**
     * The answer to {@link VoteCommand.Raise}.
     *
     * @param server the clock of the server
     * @param accepted whether the vote stands, and the fence is at least as high as the command asks
     */
    record Raised(ServerTime server, boolean accepted) implements Answer {
        @Override
        public String toString() {
            return Printable.text("Raised[server=" + server + ", accepted=" + accepted + "]");
        }
    }

    /**
     * The answer to {@link Witness}.
     *
     * @param server the clock of the server
     * @param watchedMillis for how long clients have watched this run of the server at least, in milliseconds
     * @param uptimeMillis for how long it has been up by its own clock, in milliseconds; 0 if it does not say
     * @param durable whether it answers only when its disk has what it has written, so that no restart loses a vote
     */
    record Witnessed(ServerTime server, long watchedMillis, long uptimeMillis, boolean durable) implements Answer {
        @Override
        public String toString() {
            return Printable.text("Witnessed[server=" + server + ", watchedMillis=" + watchedMillis + ", uptimeMillis="
                    + uptimeMillis + ", durable=" + durable + "]");
        }
    }
}
