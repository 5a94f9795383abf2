package io.boltwork.spi;

import io.boltwork.BackendException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reply to a {@link Command}: an {@link Answer} of the server, or {@link Failed}. */
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
    sealed interface Answer extends Reply {

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
        AGAIN
    }

    /**
     * The answer to {@link Command.Acquire}.
     *
     * @param server the clock of the server
     * @param verdict the verdict on the request
     * @param token the first token of the hold if granted, otherwise 0
     * @param remainingMillis the time until the owner's lease and takeover delay end if queued or refused, otherwise 0
     * @param position the place in the queue if the request waits there, 1 or more, an upper bound; otherwise 0
     * @param known whether the server already knew the request: it owned the lock or waited in the queue
     * @param owner the request that owns the lock now
     */
    record Acquired(
            ServerTime server,
            Verdict verdict,
            long token,
            long remainingMillis,
            int position,
            boolean known,
            @Nullable String owner)
            implements Answer {
        @Override
        public String toString() {
            return Printable.text("Acquired[server=" + server + ", verdict=" + verdict + ", token=" + token
                    + ", remainingMillis=" + remainingMillis + ", position=" + position + ", known=" + known
                    + ", owner=" + owner + "]");
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
         * The server has lost the hold, and no request has held the lock since; nothing was written. Never the outcome
         * of a restore.
         */
        FORGOTTEN,
        /** The request no longer owns the lock. */
        LOST,
        /** The command arrived after its not-after; nothing was changed. */
        STALE,
        /** The key of the lock could not be read or written; the other keys of the batch could. */
        BROKEN
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
         * @param owner the request that owns the lock now
         */
        public record Item(Renewal outcome, @Nullable String owner) {
            @Override
            public String toString() {
                return Printable.text("Item[outcome=" + outcome + ", owner=" + owner + "]");
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
     * @param owner the request that owns the lock now
     */
    record Restored(
            ServerTime server, Renewal outcome, @Nullable String owner) implements Answer {
        @Override
        public String toString() {
            return Printable.text("Restored[server=" + server + ", outcome=" + outcome + ", owner=" + owner + "]");
        }
    }

    /**
     * The answer to {@link Command.Inspect}: a lock as the server sees it, including a lease that has run out.
     *
     * @param server the clock of the server
     * @param owner the request that owns the lock, also if its lease has run out and no other request has come since
     * @param token the first token of the owner, 0 without an owner
     * @param untilMillis the end of the owner's lease and takeover delay by the server's clock; without an owner, the
     *     time until which a released lock is kept closed, 0 if it is not
     * @param claim whether the owner got the lock by message and has not confirmed it yet
     * @param fence no token larger than this has been issued
     * @param queue the waiting requests in their order
     */
    record Inspected(
            ServerTime server,
            @Nullable String owner,
            long token,
            long untilMillis,
            boolean claim,
            long fence,
            List<Waiting> queue)
            implements Answer {

        /**
         * Copies the queue.
         *
         * @param server the clock of the server
         * @param owner the request that owns the lock
         * @param token the first token of the owner
         * @param untilMillis the end of the owner's lease and takeover delay
         * @param claim whether the owner has not confirmed the lock yet
         * @param fence no token larger than this has been issued
         * @param queue the waiting requests in their order
         */
        public Inspected {
            queue = List.copyOf(queue);
        }

        /**
         * A request in the queue.
         *
         * @param request the request
         * @param sinceMillis the time at which it was queued, by the server's clock
         */
        public record Waiting(String request, long sinceMillis) {
            @Override
            public String toString() {
                return Printable.text("Waiting[request=" + request + ", sinceMillis=" + sinceMillis + "]");
            }
        }

        @Override
        public String toString() {
            return Printable.text(
                    "Inspected[server=" + server + ", owner=" + owner + ", token=" + token + ", untilMillis="
                            + untilMillis + ", claim=" + claim + ", fence=" + fence + ", queue=" + queue + "]");
        }
    }

    /**
     * The answer to {@link Command.ForceRelease}.
     *
     * @param server the clock of the server
     * @param released whether the lock was taken away from an owner, or a lock that was kept closed was opened
     * @param claimMillis how long until the claim of the owner runs out or a lock that is kept closed opens, 0 if
     *     neither applies; {@link #AGAIN} if more waiting requests must be examined
     * @param owner the request that owns the lock now
     * @param taken the request that owned the lock before; {@code null} if there was none
     * @param takenToken the first token of its hold, 0 if there was none
     */
    record Forced(
            ServerTime server,
            boolean released,
            long claimMillis,
            @Nullable String owner,
            @Nullable String taken,
            long takenToken)
            implements Answer {
        @Override
        public String toString() {
            return Printable.text("Forced[server=" + server + ", released=" + released + ", claimMillis=" + claimMillis
                    + ", owner=" + owner + ", taken=" + taken + ", takenToken=" + takenToken + "]");
        }
    }

    /**
     * The answer to {@link Command.Announce}.
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
     * The answer to {@link Command.Identify}.
     *
     * @param server the clock of the server
     * @param clients the records of the clients that are known, in the order of the command
     */
    record Identified(ServerTime server, List<ClientRecord> clients) implements Answer {

        /**
         * Copies the records.
         *
         * @param server the clock of the server
         * @param clients the records of the clients that are known
         */
        public Identified {
            clients = List.copyOf(clients);
        }
    }

    /**
     * The answer to {@link Command.ScanLocks}: locks that are held, kept closed or waited for. Locks that are only
     * remembered are left out.
     *
     * @param server the clock of the server
     * @param locks the locks that were found
     * @param cursor the cursor of the next command; empty if there is nothing more
     */
    record ScannedLocks(ServerTime server, List<Lock> locks, String cursor) implements Answer {

        /**
         * Copies the locks.
         *
         * @param server the clock of the server
         * @param locks the locks that were found
         * @param cursor the cursor of the next command
         */
        public ScannedLocks {
            locks = List.copyOf(locks);
        }

        /**
         * A short description of a lock.
         *
         * @param name the name of the lock
         * @param owner the request that owns it; {@code null} if it is kept closed, or if the owner's lease has run out
         *     and no other request has come since
         * @param token the first token of the owner, 0 without an owner
         * @param untilMillis the end of the owner's lease and takeover delay, or of the time for which the lock is kept
         *     closed; otherwise 0
         * @param claim whether the owner got the lock by message and has not confirmed it yet
         * @param waiting how many requests wait, an upper bound
         */
        public record Lock(
                String name, @Nullable String owner, long token, long untilMillis, boolean claim, int waiting) {
            @Override
            public String toString() {
                return Printable.text("Lock[name=" + name + ", owner=" + owner + ", token=" + token + ", untilMillis="
                        + untilMillis + ", claim=" + claim + ", waiting=" + waiting + "]");
            }
        }

        @Override
        public String toString() {
            return Printable.text("ScannedLocks[server=" + server + ", locks=" + locks + ", cursor=" + cursor + "]");
        }
    }

    /**
     * The answer to {@link Command.ScanClients}.
     *
     * @param server the clock of the server
     * @param clients the records that were found
     * @param cursor the cursor of the next command; empty if there is nothing more
     */
    record ScannedClients(ServerTime server, List<ClientRecord> clients, String cursor) implements Answer {

        /**
         * Copies the records.
         *
         * @param server the clock of the server
         * @param clients the records that were found
         * @param cursor the cursor of the next command
         */
        public ScannedClients {
            clients = List.copyOf(clients);
        }

        @Override
        public String toString() {
            return Printable.text(
                    "ScannedClients[server=" + server + ", clients=" + clients + ", cursor=" + cursor + "]");
        }
    }
}
