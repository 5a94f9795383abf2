package io.boltwork.spi;

import io.boltwork.BackendException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What comes back for a {@link Command}: an {@link Answer} of the server, or {@link Failed}. */
public sealed interface Reply {

    /**
     * In place of the time until a claim runs out: the lock is free and requests wait, but so many of those that stood first
     * are gone that the server has not found one that listens. It goes on at the next command for the lock, so it is to be asked
     * again at once.
     */
    long AGAIN = -1;

    /** The server executed the command. {@code owner} is who owns the lock afterwards, {@code null} for nobody. */
    sealed interface Answer extends Reply {

        /**
         * When and by which server the command was executed.
         *
         * @return the server's clock
         */
        ServerTime server();
    }

    /**
     * There is no answer, or it is an error.
     *
     * @param executed whether the command may have been executed, now or later: {@code false} only if it certainly was not
     *     and will not be
     * @param cause what happened
     */
    record Failed(boolean executed, BackendException cause) implements Reply {}

    /** What became of a request that asked for a lock. */
    enum Verdict {
        /** The request owns the lock. */
        GRANTED,
        /** The request waits in the queue. */
        QUEUED,
        /** The lock is taken or others wait, and the request did not want to queue. */
        REFUSED,
        /** The command came after its not-after; nothing was changed. */
        STALE,
        /**
         * The lock is free, but so many of those that stood first are gone that the server has not found out whose turn it is.
         * A request that wants to queue waits in the queue. It is to be asked again at once.
         */
        AGAIN
    }

    /**
     * The answer to {@link Command.Acquire}.
     *
     * @param server when
     * @param verdict what became of the request
     * @param token the first token of the hold if granted, else 0
     * @param remainingMillis what is left until the owner's lease (and takeover delay) ends if queued or refused, else 0
     * @param position the place in the queue, from 1 on, an upper bound, if it waits there; else 0
     * @param known whether the server knew the request before: it owned the lock or stood in the queue
     * @param owner who owns the lock now
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

    /** What a release found. */
    enum Release {
        /** The request owned the lock and has given it back. */
        RELEASED,
        /** The server has lost the hold (failover, flush, eviction) and nobody has held the lock since: a clean end. */
        FORGOTTEN,
        /** The request did not own the lock: its hold had been lost. */
        NOT_HELD
    }

    /**
     * The answer to {@link Command.Release}. A server knew the request if and only if it answers RELEASED.
     *
     * @param server when
     * @param outcome what it found
     * @param next what became of the next request; {@code null} if there was none or nothing was released
     * @param claimMillis how long until the owner's claim, or a kept lock, runs out; 0 if the owner has neither, {@link
     *     #AGAIN} if there are more waiting requests to be looked at
     * @param owner who owns the lock now
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
     * @param server when
     * @param known whether the server knew the request: it owned the lock or stood in the queue
     * @param claimMillis how long until the owner's claim, or a kept lock, runs out; 0 if the owner has neither, {@link
     *     #AGAIN} if there are more waiting requests to be looked at
     * @param owner who owns the lock now
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

    /** What became of a lease that was to be prolonged or restored. */
    enum Renewal {
        /** The lease was prolonged, or restored. */
        OK,
        /** The server has lost the hold and nobody has held the lock since; nothing was written. Not an answer to a restore. */
        FORGOTTEN,
        /** The request does not own the lock any more. */
        LOST,
        /** The command came after its not-after; nothing was changed. */
        STALE,
        /** The lock's key could not be read or written; the others of the batch could. */
        BROKEN
    }

    /**
     * The answer to {@link Command.Renew}.
     *
     * @param server when
     * @param items one result for each item, in their order
     */
    record Renewed(ServerTime server, List<Item> items) implements Answer {

        /**
         * Copies the items.
         *
         * @param server when
         * @param items one result for each item, in their order
         */
        public Renewed {
            items = List.copyOf(items);
        }

        /**
         * The result for one lease.
         *
         * @param outcome what became of it
         * @param owner who owns the lock now
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
     * @param server when
     * @param outcome what became of the lease
     * @param copies how many replicas knew of it in time, at least, or 1 for the server's own disk; 0 if it was not prolonged
     * @param owner who owns the lock now
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
     * @param server when
     * @param outcome OK, LOST or STALE
     * @param owner who owns the lock now
     */
    record Restored(
            ServerTime server, Renewal outcome, @Nullable String owner) implements Answer {
        @Override
        public String toString() {
            return Printable.text("Restored[server=" + server + ", outcome=" + outcome + ", owner=" + owner + "]");
        }
    }

    /**
     * The answer to {@link Command.Inspect}: a lock as the server sees it, leases that have run out included.
     *
     * @param server when
     * @param owner who owns the lock, also if its lease has run out and nobody has come since
     * @param token the owner's first token, 0 without an owner
     * @param untilMillis the end of the owner's lease and takeover delay by the server's clock; without an owner the time
     *     until which a released lock is kept closed, 0 if it is not
     * @param claim whether the owner got it by message and has not confirmed it yet
     * @param fence the token above which none was ever issued
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
         * @param server when
         * @param owner who owns the lock
         * @param token the owner's first token
         * @param untilMillis the end of the owner's lease and takeover delay
         * @param claim whether the owner has not confirmed it yet
         * @param fence the token above which none was ever issued
         * @param queue the waiting requests in their order
         */
        public Inspected {
            queue = List.copyOf(queue);
        }

        /**
         * A request in the queue.
         *
         * @param request the request
         * @param sinceMillis when it entered, by the server's clock
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
     * @param server when
     * @param released whether the lock was taken away from somebody, or a kept one opened
     * @param claimMillis how long until the owner's claim, or a kept lock, runs out; 0 if the owner has neither, {@link
     *     #AGAIN} if there are more waiting requests to be looked at
     * @param owner who owns the lock now
     * @param taken the request that owned the lock before; {@code null} if it was taken from none
     * @param takenToken the first token of its hold, else 0
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
     * @param server when
     * @param before the nonce of the client's record until then; empty if there was none
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
     * @param server when
     * @param clients those that are known, in the order asked for
     */
    record Identified(ServerTime server, List<ClientCard> clients) implements Answer {

        /**
         * Copies the clients.
         *
         * @param server when
         * @param clients those that are known
         */
        public Identified {
            clients = List.copyOf(clients);
        }
    }

    /**
     * The answer to {@link Command.ScanLocks}: locks that are held, kept or waited for; those that are merely remembered are
     * left out.
     *
     * @param server when
     * @param locks what was found
     * @param cursor where to go on; empty if that was all
     */
    record ScannedLocks(ServerTime server, List<Lock> locks, String cursor) implements Answer {

        /**
         * Copies the locks.
         *
         * @param server when
         * @param locks what was found
         * @param cursor where to go on
         */
        public ScannedLocks {
            locks = List.copyOf(locks);
        }

        /**
         * A lock in short.
         *
         * @param name its name
         * @param owner who owns it; {@code null} if it is kept closed, or its lease has run out and nobody has come since
         * @param token the owner's first token, 0 without an owner
         * @param untilMillis the end of the owner's lease and takeover delay, or of the time it is kept; else 0
         * @param claim whether the owner got it by message and has not confirmed it yet
         * @param waiting how many wait, an upper bound
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
     * @param server when
     * @param clients what was found
     * @param cursor where to go on; empty if that was all
     */
    record ScannedClients(ServerTime server, List<ClientCard> clients, String cursor) implements Answer {

        /**
         * Copies the clients.
         *
         * @param server when
         * @param clients what was found
         * @param cursor where to go on
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
