// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An atomic step at a backend, as a value.
 *
 * <p>Common parameters: {@code request} is {@code <client>:<number>} and identifies one wish for the lock.
 * {@code firstToken} is the token that the backend answered when it granted the request. {@code lastToken} is the last
 * token of the hold's block that was used. Leases and delays are in milliseconds. {@code notAfter} is a time of the
 * server's clock, in milliseconds since the epoch, after which the command must change nothing.
 *
 * @param <R> the type of the answer of a backend that has executed the command
 * @since 0.1.0
 */
public sealed interface Command<R extends Reply.Answer>
        permits Command.LockCommand, Command.RequestCommand, Announce, LatchCommand, Query, VoteCommand {

    /**
     * Returns the names of the locks that this command is about.
     *
     * @return the names; empty if it is about clients, or about all locks
     */
    default List<String> locks() {
        return List.of();
    }

    /**
     * Calls the visitor's method for this kind of command.
     *
     * @param visitor the visitor
     * @return the visitor's result
     * @param <T> the type of the result
     */
    <T> T accept(CommandVisitor<T> visitor);

    /**
     * A command about requests for locks, or about the holds that they have become. The machine of a lock sends these
     * commands and no others.
     *
     * @param <R> the type of its answer
     */
    sealed interface RequestCommand<R extends Reply.Answer> extends Command<R>
            permits Acquire, Release, Withdraw, Renew, Replicate, Restore {
        /**
         * Calls the visitor's method for this kind of command.
         *
         * @param visitor the visitor
         * @return the visitor's result
         * @param <T> the type of the result
         */
        <T> T accept(RequestVisitor<T> visitor);

        @Override
        default <T> T accept(CommandVisitor<T> visitor) {
            return accept((RequestVisitor<T>) visitor);
        }
    }

    /**
     * Distinguishes the kinds of {@link RequestCommand}.
     *
     * @param <T> the type of the result
     */
    interface RequestVisitor<T> {
        /**
         * Asks for a lock.
         *
         * @param command the command
         * @return the result
         */
        T acquire(Acquire command);

        /**
         * Releases a lock.
         *
         * @param command the command
         * @return the result
         */
        T release(Release command);

        /**
         * Withdraws a request.
         *
         * @param command the command
         * @return the result
         */
        T withdraw(Withdraw command);

        /**
         * Renews leases.
         *
         * @param command the command
         * @return the result
         */
        T renew(Renew command);

        /**
         * Extends a lease and counts the copies of it.
         *
         * @param command the command
         * @return the result
         */
        T replicate(Replicate command);

        /**
         * Restores a hold that the backend has forgotten.
         *
         * @param command the command
         * @return the result
         */
        T restore(Restore command);
    }

    /**
     * A command about one lock.
     *
     * @param <R> the type of its answer
     */
    sealed interface LockCommand<R extends Reply.Answer> extends Command<R>
            permits Acquire,
                    Release,
                    Withdraw,
                    Replicate,
                    Restore,
                    ForceRelease,
                    Resize,
                    VoteCommand.LockVote,
                    Query.Inspect {
        /**
         * Returns the name of the lock.
         *
         * @return the name
         */
        String lock();

        /**
         * Returns the kind of the lock. Locks of different kinds with one name have nothing to do with each other.
         *
         * @return the kind
         */
        LockKind kind();

        @Override
        default List<String> locks() {
            return List.of(lock());
        }
    }

    /**
     * Asks for a lock. Idempotent: if the owner repeats it, the backend answers with the same grant; if a waiter
     * repeats it, with the same place in the queue.
     *
     * @param lock the name of the lock
     * @param request the request
     * @param queue whether the request waits in the queue if the lock is taken; otherwise the answer is REFUSED. A
     *     backend that must prepare for its grants may answer REFUSED once in either case; the command must then be
     *     sent again at once
     * @param leaseMillis the lease that is wanted
     * @param takeoverMillis how much longer the lock stays closed if the lease ends without a release
     * @param notAfter the time after which the command is stale
     * @param share the part of the lock that is wanted
     * @param condition the condition that the request waits for, or has waited for; {@code null} if it never did
     */
    record Acquire(
            String lock,
            String request,
            boolean queue,
            long leaseMillis,
            long takeoverMillis,
            long notAfter,
            Share share,
            @Nullable ConditionWait condition)
            implements LockCommand<Reply.Acquired>, RequestCommand<Reply.Acquired> {
        /**
         * Asks for a lock, or for a part of it, on behalf of a request that has never waited for a condition.
         *
         * @param lock the name of the lock
         * @param request the request
         * @param queue whether the request waits in the queue
         * @param leaseMillis the lease that is wanted
         * @param takeoverMillis how much longer the lock stays closed
         * @param notAfter the time after which the command is stale
         * @param share the part of the lock that is wanted
         */
        public Acquire(
                String lock,
                String request,
                boolean queue,
                long leaseMillis,
                long takeoverMillis,
                long notAfter,
                Share share) {
            this(lock, request, queue, leaseMillis, takeoverMillis, notAfter, share, null);
        }

        /**
         * Asks for a plain lock.
         *
         * @param lock the name of the lock
         * @param request the request
         * @param queue whether the request waits in the queue
         * @param leaseMillis the lease that is wanted
         * @param takeoverMillis how much longer the lock stays closed
         * @param notAfter the time after which the command is stale
         */
        public Acquire(
                String lock, String request, boolean queue, long leaseMillis, long takeoverMillis, long notAfter) {
            this(lock, request, queue, leaseMillis, takeoverMillis, notAfter, Share.WHOLE);
        }

        @Override
        public LockKind kind() {
            return share.kind();
        }

        @Override
        public String toString() {
            return Printable.text("Acquire[lock=" + lock + ", request=" + request + ", queue=" + queue
                    + ", leaseMillis=" + leaseMillis + ", takeoverMillis=" + takeoverMillis + ", notAfter=" + notAfter
                    + ", share=" + share + ", condition=" + condition + "]");
        }

        @Override
        public <T> T accept(RequestVisitor<T> visitor) {
            return visitor.acquire(this);
        }
    }

    /**
     * Releases a lock and grants it to the next waiter. In the same step it may ask for the lock again, for another
     * request.
     *
     * @param lock the name of the lock
     * @param request the owner
     * @param firstToken the first token of the hold
     * @param lastToken the last token used
     * @param keepMillis how much longer the lock stays closed to all requests (the rest of a minimum hold); 0 for none
     * @param next a request to be queued behind the waiting ones, or {@code null}; it waits even if its {@code queue}
     *     is {@code false}. A request with a {@linkplain Acquire#condition condition} begins to wait for its condition
     *     instead
     * @param held the part of the lock that was held
     * @param signals wake waiters of conditions, whether or not the request owned the lock, and before {@code next}
     *     begins to wait
     */
    record Release(
            String lock,
            String request,
            long firstToken,
            long lastToken,
            long keepMillis,
            @Nullable Acquire next,
            HeldShare held,
            List<Signal> signals)
            implements LockCommand<Reply.Released>, RequestCommand<Reply.Released> {
        /**
         * Copies the signals.
         *
         * @param lock the name of the lock
         * @param request the owner
         * @param firstToken the first token of the hold
         * @param lastToken the last token used
         * @param keepMillis how much longer the lock stays closed to all requests
         * @param next a request to be queued, or {@code null}
         * @param held the part of the lock that was held
         * @param signals wake waiters of conditions
         */
        public Release {
            signals = List.copyOf(signals);
        }

        /**
         * Releases a lock, or a part of it, without signals.
         *
         * @param lock the name of the lock
         * @param request the owner
         * @param firstToken the first token of the hold
         * @param lastToken the last token used
         * @param keepMillis how much longer the lock stays closed to all requests
         * @param next a request to be queued, or {@code null}
         * @param held the part of the lock that was held
         */
        public Release(
                String lock,
                String request,
                long firstToken,
                long lastToken,
                long keepMillis,
                @Nullable Acquire next,
                HeldShare held) {
            this(lock, request, firstToken, lastToken, keepMillis, next, held, List.of());
        }

        /**
         * Releases a plain lock.
         *
         * @param lock the name of the lock
         * @param request the owner
         * @param firstToken the first token of the hold
         * @param lastToken the last token used
         * @param keepMillis how much longer the lock stays closed to all requests
         * @param next a request to be queued, or {@code null}
         */
        public Release(
                String lock, String request, long firstToken, long lastToken, long keepMillis, @Nullable Acquire next) {
            this(lock, request, firstToken, lastToken, keepMillis, next, HeldShare.WHOLE);
        }

        @Override
        public LockKind kind() {
            return held.share().kind();
        }

        @Override
        public String toString() {
            return Printable.text("Release[lock=" + lock + ", request=" + request + ", firstToken=" + firstToken
                    + ", lastToken="
                    + lastToken + ", keepMillis=" + keepMillis + ", next=" + next + ", held=" + held + ", signals="
                    + signals + "]");
        }

        @Override
        public <T> T accept(RequestVisitor<T> visitor) {
            return visitor.release(this);
        }
    }

    /**
     * Withdraws a request, whether it waits in the queue or owns the lock. A free lock is then granted to the next
     * waiter. Without a request, the command only grants a free lock (the <em>nudge</em>).
     *
     * @param lock the name of the lock
     * @param request the request that is no longer wanted, or {@code null}
     * @param lastToken the last token that the request used if it ever held the lock, otherwise 0
     * @param held the part of the lock that was wanted, or held
     * @param signals wake waiters of conditions: the signals that the request has taken and did not use
     */
    record Withdraw(String lock, @Nullable String request, long lastToken, HeldShare held, List<Signal> signals)
            implements LockCommand<Reply.Withdrawn>, RequestCommand<Reply.Withdrawn> {
        /**
         * Copies the signals.
         *
         * @param lock the name of the lock
         * @param request the request that is no longer wanted, or {@code null}
         * @param lastToken the last token that the request used if it ever held the lock, otherwise 0
         * @param held the part of the lock that was wanted, or held
         * @param signals wake waiters of conditions
         */
        public Withdraw {
            signals = List.copyOf(signals);
        }

        /**
         * Withdraws a request for a lock, or a part of it, without signals.
         *
         * @param lock the name of the lock
         * @param request the request that is no longer wanted, or {@code null}
         * @param lastToken the last token that the request used if it ever held the lock, otherwise 0
         * @param held the part of the lock that was wanted, or held
         */
        public Withdraw(String lock, @Nullable String request, long lastToken, HeldShare held) {
            this(lock, request, lastToken, held, List.of());
        }

        /**
         * Withdraws a request for a plain lock.
         *
         * @param lock the name of the lock
         * @param request the request that is no longer wanted, or {@code null}
         * @param lastToken the last token that the request used if it ever held the lock, otherwise 0
         */
        public Withdraw(String lock, @Nullable String request, long lastToken) {
            this(lock, request, lastToken, HeldShare.WHOLE, List.of());
        }

        @Override
        public LockKind kind() {
            return held.share().kind();
        }

        @Override
        public String toString() {
            return Printable.text("Withdraw[lock=" + lock + ", request=" + request + ", lastToken=" + lastToken
                    + ", held=" + held + ", signals=" + signals + "]");
        }

        @Override
        public <T> T accept(RequestVisitor<T> visitor) {
            return visitor.withdraw(this);
        }
    }

    /**
     * Extends leases of locks of one {@linkplain LockBackend#partition partition}. Each item has its own outcome.
     *
     * @param items the leases to extend, 1 to 128, of different locks
     * @param notAfter the time after which the command is stale
     */
    record Renew(List<Item> items, long notAfter) implements RequestCommand<Reply.Renewed> {

        /**
         * Copies the items.
         *
         * @param items the leases to extend
         * @param notAfter the time after which the command is stale
         */
        public Renew {
            items = List.copyOf(items);
        }

        /**
         * A lease to extend.
         *
         * @param lock the name of the lock
         * @param request the owner
         * @param firstToken the first token of the hold
         * @param leaseMillis the lease from now on; the remaining time is never shortened. If both this and
         *     {@code takeoverMillis} are 0, the backend only answers whether the request owns the lock, and extends
         *     nothing
         * @param takeoverMillis how much longer the lock stays closed if the lease ends without a release
         * @param share the part of the lock that is held; if the server knows a larger one, that becomes as small
         */
        public record Item(
                String lock, String request, long firstToken, long leaseMillis, long takeoverMillis, Share share) {
            /**
             * The lease of a plain lock.
             *
             * @param lock the name of the lock
             * @param request the owner
             * @param firstToken the first token of the hold
             * @param leaseMillis the lease from now on
             * @param takeoverMillis how much longer the lock stays closed
             */
            public Item(String lock, String request, long firstToken, long leaseMillis, long takeoverMillis) {
                this(lock, request, firstToken, leaseMillis, takeoverMillis, Share.WHOLE);
            }

            @Override
            public String toString() {
                return Printable.text(
                        "Item[lock=" + lock + ", request=" + request + ", firstToken=" + firstToken + ", leaseMillis="
                                + leaseMillis + ", takeoverMillis=" + takeoverMillis + ", share=" + share + "]");
            }
        }

        @Override
        public List<String> locks() {
            return items.stream().map(Item::lock).toList();
        }

        @Override
        public <T> T accept(RequestVisitor<T> visitor) {
            return visitor.renew(this);
        }
    }

    /**
     * Extends a lease as {@link Renew} does, and then waits until replicas of the server, or its own disk, have the
     * lease and everything written before it. Does not delay other commands.
     *
     * @param item the lease to extend
     * @param copies how many replicas are wanted; 1 with {@code onDisk}
     * @param onDisk whether to wait for the server's own disk instead of replicas
     * @param withinMillis how long to wait for them; shorter than the command timeout
     * @param notAfter the time after which the command is stale
     */
    record Replicate(Renew.Item item, int copies, boolean onDisk, long withinMillis, long notAfter)
            implements LockCommand<Reply.Replicated>, RequestCommand<Reply.Replicated> {
        @Override
        public String lock() {
            return item.lock();
        }

        @Override
        public LockKind kind() {
            return item.share().kind();
        }

        @Override
        public <T> T accept(RequestVisitor<T> visitor) {
            return visitor.replicate(this);
        }
    }

    /**
     * Makes a request the owner again after the server forgot it, if no request has held the lock since.
     *
     * @param lock the name of the lock
     * @param request the owner
     * @param firstToken the first token of the hold
     * @param leaseMillis the lease from now on
     * @param takeoverMillis how much longer the lock stays closed if the lease ends without a release
     * @param notAfter the time after which the command is stale
     * @param held the part of the lock that is held
     */
    record Restore(
            String lock,
            String request,
            long firstToken,
            long leaseMillis,
            long takeoverMillis,
            long notAfter,
            HeldShare held)
            implements LockCommand<Reply.Restored>, RequestCommand<Reply.Restored> {
        /**
         * Restores the hold of a plain lock.
         *
         * @param lock the name of the lock
         * @param request the owner
         * @param firstToken the first token of the hold
         * @param leaseMillis the lease from now on
         * @param takeoverMillis how much longer the lock stays closed
         * @param notAfter the time after which the command is stale
         */
        public Restore(
                String lock, String request, long firstToken, long leaseMillis, long takeoverMillis, long notAfter) {
            this(lock, request, firstToken, leaseMillis, takeoverMillis, notAfter, HeldShare.WHOLE);
        }

        @Override
        public LockKind kind() {
            return held.share().kind();
        }

        @Override
        public String toString() {
            return Printable.text(
                    "Restore[lock=" + lock + ", request=" + request + ", firstToken=" + firstToken + ", leaseMillis="
                            + leaseMillis + ", takeoverMillis=" + takeoverMillis + ", notAfter=" + notAfter
                            + ", held=" + held + "]");
        }

        @Override
        public <T> T accept(RequestVisitor<T> visitor) {
            return visitor.restore(this);
        }
    }
}
