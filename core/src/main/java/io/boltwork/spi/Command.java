package io.boltwork.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One atomic step at a backend, as a value.
 *
 * <p>Common parameters: {@code request} is {@code <client>:<number>}, one wish for the lock; {@code firstToken} is the token
 * that the backend answered when it granted the request, {@code lastToken} the last token of the hold's block that was used;
 * leases and delays are in milliseconds; {@code notAfter} is a time of the server's clock, in milliseconds since the epoch,
 * after which the command must change nothing.
 */
public sealed interface Command {

    /**
     * Asks for a lock. Idempotent: repeated by the owner it finds the grant again, repeated by a waiter its place.
     *
     * @param lock the lock's name
     * @param request who asks
     * @param queue whether to wait in the queue if the lock is taken; else the answer is REFUSED. A backend that has to prepare
     *     for its grants first may answer REFUSED all the same, once: it is to be asked again at once
     * @param leaseMillis the lease wanted
     * @param takeoverMillis how much longer the lock stays closed when the lease ends without a release
     * @param notAfter when the command has become stale
     */
    record Acquire(String lock, String request, boolean queue, long leaseMillis, long takeoverMillis, long notAfter)
            implements Command {
        @Override
        public String toString() {
            return Printable.text(
                    "Acquire[lock=" + lock + ", request=" + request + ", queue=" + queue + ", leaseMillis="
                            + leaseMillis + ", takeoverMillis=" + takeoverMillis + ", notAfter=" + notAfter + "]");
        }
    }

    /**
     * Gives a lock back and, in the same step, asks for it again for another request and grants it to whoever is next.
     *
     * @param lock the lock's name
     * @param request the owner
     * @param firstToken the hold's first token
     * @param lastToken the last token used
     * @param keepMillis how much longer nobody may have the lock (the rest of a minimum hold), 0 for none
     * @param next the request to enter behind those that wait, always waiting, or {@code null}
     */
    record Release(
            String lock,
            String request,
            long firstToken,
            long lastToken,
            long keepMillis,
            @Nullable Acquire next) implements Command {
        @Override
        public String toString() {
            return Printable.text("Release[lock=" + lock + ", request=" + request + ", firstToken=" + firstToken
                    + ", lastToken=" + lastToken + ", keepMillis=" + keepMillis + ", next=" + next + "]");
        }
    }

    /**
     * Takes a request back, wherever it is: out of the queue, out of ownership. Then grants a free lock to whoever is next;
     * without a request that is all it does (the <em>nudge</em>).
     *
     * @param lock the lock's name
     * @param request the request that nobody wants any more, or {@code null}
     * @param lastToken the last token it has used if it ever held, else 0
     */
    record Withdraw(String lock, @Nullable String request, long lastToken) implements Command {
        @Override
        public String toString() {
            return Printable.text("Withdraw[lock=" + lock + ", request=" + request + ", lastToken=" + lastToken + "]");
        }
    }

    /**
     * Prolongs leases, all of one {@linkplain LockBackend#partition partition}. Each item has its own outcome.
     *
     * @param items what to renew, 1 to 128 of different locks
     * @param notAfter when the command has become stale
     */
    record Renew(List<Item> items, long notAfter) implements Command {

        /**
         * Copies the items.
         *
         * @param items what to renew
         * @param notAfter when the command has become stale
         */
        public Renew {
            items = List.copyOf(items);
        }

        /**
         * One lease to prolong.
         *
         * @param lock the lock's name
         * @param request the owner
         * @param firstToken the hold's first token
         * @param leaseMillis the lease from now on; what is left is never shortened. 0, and so {@code takeoverMillis}, to ask
         *     whether the request owns the lock, and prolong nothing
         * @param takeoverMillis how much longer the lock stays closed when the lease ends without a release
         */
        public record Item(String lock, String request, long firstToken, long leaseMillis, long takeoverMillis) {
            @Override
            public String toString() {
                return Printable.text("Item[lock=" + lock + ", request=" + request + ", firstToken=" + firstToken
                        + ", leaseMillis=" + leaseMillis + ", takeoverMillis=" + takeoverMillis + "]");
            }
        }
    }

    /**
     * Prolongs a lease as {@link Renew} does, and then waits until replicas of the server, or its own disk, know of it, and so of
     * all that came before. Holds up no other commands.
     *
     * @param item what to renew
     * @param copies how many replicas are wanted; 1 with {@code onDisk}
     * @param onDisk whether the server's own disk is meant in place of replicas
     * @param withinMillis how long to wait for them; less than the command timeout
     * @param notAfter when the command has become stale
     */
    record Replicate(Renew.Item item, int copies, boolean onDisk, long withinMillis, long notAfter)
            implements Command {}

    /**
     * Makes a request the owner again after the server forgot it, if nobody has held the lock since.
     *
     * @param lock the lock's name
     * @param request the owner
     * @param firstToken the hold's first token
     * @param leaseMillis the lease from now on
     * @param takeoverMillis how much longer the lock stays closed when the lease ends without a release
     * @param notAfter when the command has become stale
     */
    record Restore(String lock, String request, long firstToken, long leaseMillis, long takeoverMillis, long notAfter)
            implements Command {
        @Override
        public String toString() {
            return Printable.text(
                    "Restore[lock=" + lock + ", request=" + request + ", firstToken=" + firstToken + ", leaseMillis="
                            + leaseMillis + ", takeoverMillis=" + takeoverMillis + ", notAfter=" + notAfter + "]");
        }
    }

    /**
     * Reads a lock; changes nothing.
     *
     * @param lock the lock's name
     */
    record Inspect(String lock) implements Command {
        @Override
        public String toString() {
            return Printable.text("Inspect[lock=" + lock + "]");
        }
    }

    /**
     * Takes a lock away from whoever has it, a kept one included, and grants it to whoever is next. The owner's client is sent a
     * {@link Taken}. The fence is raised above the taken hold's block, so that its owner is told at its next contact in any case,
     * and cannot restore it; also if the server knows no owner, for it may have forgotten one.
     *
     * @param lock the lock's name
     * @param expectedToken a token of the hold to be ended, anywhere in its block: if the owner's is another, or there is
     *     none, nothing is changed; 0 for any owner
     */
    record ForceRelease(String lock, long expectedToken) implements Command {
        @Override
        public String toString() {
            return Printable.text("ForceRelease[lock=" + lock + ", expectedToken=" + expectedToken + "]");
        }
    }

    /**
     * Lets everybody know who a client is, for a limited time.
     *
     * @param card the client
     * @param lifeMillis for how long, or until it is announced anew; 0 to be forgotten at once
     * @param nonce what the client's record is told by: a client that has sent another one in the meantime has the same id
     */
    record Announce(ClientCard card, long lifeMillis, String nonce) implements Command {
        @Override
        public String toString() {
            return Printable.text("Announce[card=" + card + ", lifeMillis=" + lifeMillis + ", nonce=" + nonce + "]");
        }
    }

    /**
     * Asks who some clients are.
     *
     * @param clients their ids
     */
    record Identify(List<String> clients) implements Command {

        /**
         * Copies the ids.
         *
         * @param clients their ids
         */
        public Identify {
            clients = List.copyOf(clients);
        }

        @Override
        public String toString() {
            return Printable.text("Identify[clients=" + clients + "]");
        }
    }

    /**
     * Looks for locks, some at a time; changes nothing. Locks that come or go meanwhile may be missed, and one may be found
     * twice. Costs the server a step over {@code count} of its keys.
     *
     * @param pattern what their names are like: {@code *} stands for any characters, {@code ?} for one, all else for itself
     * @param cursor where to go on, as answered before; empty to begin
     * @param count about how many keys to look at
     */
    record ScanLocks(String pattern, String cursor, int count) implements Command {
        @Override
        public String toString() {
            return Printable.text("ScanLocks[pattern=" + pattern + ", cursor=" + cursor + ", count=" + count + "]");
        }
    }

    /**
     * Looks for clients that have been {@linkplain Announce announced}, some at a time, like {@link ScanLocks}.
     *
     * @param cursor where to go on, as answered before; empty to begin
     * @param count about how many keys to look at
     */
    record ScanClients(String cursor, int count) implements Command {
        @Override
        public String toString() {
            return Printable.text("ScanClients[cursor=" + cursor + ", count=" + count + "]");
        }
    }
}
