// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.ConditionWait;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Signal;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the protocol. Each method applies one command to the {@linkplain LockRecord record} of a lock at one
 * moment of a server's clock, and returns the reply. Every store that can read, change and write a record atomically
 * can use them. Not thread-safe; one instance is for one command.
 *
 * <p>The Redis backend has the same rules as Lua scripts; a test executes the same commands with both and compares the
 * results. Every rule prevents a particular failure, so no rule may be changed for style.
 *
 * @since 0.1.0
 */
public final class LockRules {
    /** Takes the place of the owner while a released lock is kept closed; no request has this id. */
    static final String KEPT = "-";

    private final ServerTime server;
    private final long micros;
    private final long idleMillis;
    private final int replicas;
    private final Predicate<Grant> publish;
    private final Consumer<HolderMessage> tell;
    private final WaitQueue.Budget budget = new WaitQueue.Budget();
    private final RetentionRules retention;

    /**
     * Creates the rules for one command.
     *
     * @param server when and where the command is executed
     * @param micros the same moment in microseconds since the epoch
     * @param idleMillis how long a record lives after its last use, in milliseconds
     * @param replicas how many replicas receive a change at once
     * @param publish sends a grant to the client of its request; returns whether that client listens
     * @param tell sends a message for the owner of a lock to the client of its request
     */
    public LockRules(
            ServerTime server,
            long micros,
            long idleMillis,
            int replicas,
            Predicate<Grant> publish,
            Consumer<HolderMessage> tell) {
        this.server = server;
        this.micros = micros;
        this.idleMillis = idleMillis;
        this.replicas = replicas;
        this.publish = publish;
        this.tell = tell;
        this.retention = new RetentionRules(server, budget, tell);
    }

    /**
     * Grants a lock to a request, or queues or refuses the request.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Acquired acquire(LockRecord record, Command.Acquire command) {
        Acquired answer = acquire(record, command, command.queue());
        if (answer.verdict() != Verdict.STALE) {
            touch(record, idleMillis, 0);
        }
        return answer;
    }

    /**
     * Releases a lock, asks for it on behalf of the next request if the command carries one, and grants it to the next
     * waiter.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Released release(LockRecord record, Command.Release command) {
        String request = command.request();
        Acquired next = null;
        Release outcome;
        leave(record, request);
        command.signals().forEach(record.conditions::signal);
        if (request.equals(record.owner)) {
            outcome = Release.RELEASED;
            if (record.token == command.firstToken() && record.fence == blockEnd(command.firstToken())) {
                record.fence = command.lastToken(); // no request has been given a token since
            } else {
                raiseFence(record, command.lastToken());
            }
            record.clearOwner();
            if (command.keepMillis() > 0) {
                record.owner = KEPT;
                record.until = now() + command.keepMillis();
            }
            moveSignalled(record);
            if (command.next() != null) {
                next = enter(record, command.next());
            }
        } else {
            outcome = forgotten(record, command.firstToken()) ? Release.FORGOTTEN : Release.NOT_HELD;
            raiseFence(record, command.lastToken()); // a late restore is refused
        }
        grant(command.lock(), record);
        if (next != null && (next.verdict() == Verdict.STALE || next.verdict() == Verdict.WAITING)) {
            next = outside(record, next.verdict(), 0, next.known()); // the grant may have changed the owner
        }
        touch(record, idleMillis, 0);
        return new Reply.Released(server, outcome, next, claimMillis(record), ownerOf(record));
    }

    /**
     * Withdraws a request, and grants a free lock to the next waiter.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Withdrawn withdraw(LockRecord record, Command.Withdraw command) {
        String request = command.request();
        boolean known = request != null && isKnown(record, request);
        if (request != null) {
            boolean isOwner = request.equals(record.owner);
            signal(record, isOwner ? record.signalled : record.queue.signalled(request)); // another waiter can use it
            known |= record.conditions.remove(request);
            leave(record, request);
            if (isOwner) {
                record.clearOwner();
            }
            raiseFence(record, command.lastToken());
        }
        command.signals().forEach(record.conditions::signal);
        grant(command.lock(), record);
        touch(record, idleMillis, 0);
        return new Reply.Withdrawn(server, known, claimMillis(record), ownerOf(record));
    }

    /**
     * Extends one of the leases of a {@link Command.Renew}.
     *
     * @param record the record of the lock
     * @param item the lease
     * @param notAfter the time of the server's clock after which nothing may be changed
     * @return the result for that lease
     */
    public Reply.Renewed.Item renew(LockRecord record, Command.Renew.Item item, long notAfter) {
        Renewal outcome = now() > notAfter ? Renewal.STALE : renew(record, item);
        if (outcome.isHeld()) {
            touch(record, idleMillis, 0);
        }
        return new Reply.Renewed.Item(outcome, ownerOf(record));
    }

    private Renewal renew(LockRecord record, Command.Renew.Item item) {
        if (item.request().equals(record.owner) && record.token == item.firstToken()) {
            extendTo(record, item.leaseMillis(), item.takeoverMillis());
            leave(record, item.request());
            return RetentionRules.held(record);
        }
        if (forgotten(record, item.firstToken())) {
            return Renewal.FORGOTTEN; // nothing is written: only a restore brings a hold back
        }
        leave(record, item.request());
        return Renewal.LOST;
    }

    /**
     * Extends a lease and counts the replicas that have it.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Replicated replicate(LockRecord record, Command.Replicate command) {
        Reply.Renewed.Item renewed = renew(record, command.item(), command.notAfter());
        int count = renewed.outcome().isHeld() ? replicas : 0;
        return new Reply.Replicated(server, renewed.outcome(), count, renewed.owner());
    }

    /**
     * Makes a request the owner again after the server forgot it.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Restored restore(LockRecord record, Command.Restore command) {
        if (now() > command.notAfter()) {
            return new Reply.Restored(server, Renewal.STALE, ownerOf(record));
        }
        boolean restored = forgotten(record, command.firstToken());
        if (restored) {
            lapse(record);
            moveSignalled(record);
        }
        leave(record, command.request()); // after lapse(), which may have queued the request again for its short claim
        if (restored) {
            record.owner = command.request();
            record.token = command.firstToken();
            record.fence = blockEnd(command.firstToken());
            extendTo(record, command.leaseMillis(), command.takeoverMillis());
        }
        touch(record, idleMillis, 0);
        return new Reply.Restored(server, restored ? RetentionRules.held(record) : Renewal.LOST, ownerOf(record));
    }

    /**
     * Takes a lock away from its owner.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Forced forceRelease(LockRecord record, ForceRelease command) {
        lapse(record);
        long takenToken = record.token;
        boolean released = false;
        String taken = null;
        boolean forced = command.expectedToken() <= 0 || holds(record, command.expectedToken());
        long closedMillis = forced && record.owner != null ? record.until - now() : 0;
        if (forced) {
            released = record.owner != null;
            taken = ownerOf(record);
            signal(record, record.signalled);
            record.clearOwner();
            // also without an owner: a holder that this server forgot must not restore its hold
            record.fence = nextToken(record);
        }
        grant(command.lock(), record);
        if (forced) {
            touch(record, Math.max(idleMillis, closedMillis + IdleLife.FORCED_MILLIS), closedMillis);
        } else {
            touch(record, idleMillis, 0);
        }
        if (taken == null) {
            return new Reply.Forced(server, released, claimMillis(record), ownerOf(record), null, 0);
        }
        tell.accept(new HoldTaken(command.lock(), taken, takenToken, server));
        return new Reply.Forced(server, released, claimMillis(record), ownerOf(record), taken, takenToken);
    }

    private void touch(LockRecord record, long lifeMillis, long closedMillis) {
        record.touch(now(), lifeMillis, closedMillis);
    }

    private Acquired acquire(LockRecord record, Command.Acquire wish, boolean queue) {
        String request = wish.request();
        if (now() > wish.notAfter()) {
            return outside(record, Verdict.STALE, 0, isKnown(record, request));
        }
        ConditionWait wait = wish.condition();
        if (wait != null && !wait.goesOn()) {
            record.conditions.remove(request);
        } else if (wait != null && record.conditions.contains(request)) {
            grant(wish.lock(), record); // perhaps to this request, or a signal that is due wakes it
            if (record.conditions.contains(request)) {
                long remaining = record.owner == null ? 0 : record.until - now();
                return outside(record, Verdict.WAITING, remaining, true);
            }
        }
        if (request.equals(record.owner)) { // a repetition, or a grant whose message was lost
            if (lapsed(record)) {
                setOwner(record, request, wish.leaseMillis(), wish.takeoverMillis(), false);
            } else {
                extendTo(record, wish.leaseMillis(), wish.takeoverMillis());
            }
            return granted(wish.lock(), record, request, true);
        }
        lapse(record);
        moveSignalled(record);
        // after lapse(): a claim of the same client that has lapsed may have removed the request
        boolean known = isKnown(record, request);
        boolean more = giveToOthers(wish.lock(), record, request);
        if (record.owner == null && !more) {
            setOwner(record, request, wish.leaseMillis(), wish.takeoverMillis(), false);
            return granted(wish.lock(), record, request, known);
        }
        long remaining = more ? 0 : record.until - now();
        boolean isRetained = !more && RetentionRules.isRetainedByAnother(record, request);
        boolean waits = queue || isRetained && retention.isNext(record, request);
        if (waits && !record.queue.contains(request)) {
            leave(record, request); // the remains of an entry that no longer counts
        }
        int position =
                waits ? record.queue.enter(request, wish.leaseMillis(), wish.takeoverMillis(), now(), budget) : 0;
        if (waits && isRetained) {
            retention.recall(wish.lock(), record, request);
        }
        Verdict verdict = more ? Verdict.AGAIN : waits ? Verdict.QUEUED : Verdict.REFUSED;
        return new Acquired(server, verdict, 0, remaining, position, known, ownerOf(record));
    }

    private Acquired granted(String lock, LockRecord record, String request, boolean known) {
        leave(record, request);
        retention.granted(lock, record);
        return new Acquired(server, Verdict.GRANTED, record.token, 0, 0, known, request);
    }

    /** Returns the answer to a request that neither has the lock nor is in its queue because of this command. */
    private Acquired outside(LockRecord record, Verdict verdict, long remaining, boolean known) {
        return new Acquired(server, verdict, 0, remaining, 0, known, ownerOf(record));
    }

    /** Lets the request that a release carries wait in the queue, or for its condition. */
    private Acquired enter(LockRecord record, Command.Acquire next) {
        String request = next.request();
        ConditionWait condition = next.condition();
        if (condition == null || !condition.goesOn() || record.queue.contains(request)) {
            return acquire(record, next, true);
        }
        if (now() > next.notAfter()) {
            return outside(record, Verdict.STALE, 0, false);
        }
        record.conditions.add(condition.name(), request, next.leaseMillis(), next.takeoverMillis());
        return outside(record, Verdict.WAITING, 0, false);
    }

    /** Gives a signal that was not used to the next request that waits for the condition. */
    private static void signal(LockRecord record, @Nullable String condition) {
        if (condition != null) {
            record.conditions.signal(new Signal(condition, 1));
        }
    }

    /** Moves signalled requests to the queue. Returns whether any was. */
    private boolean moveSignalled(LockRecord record) {
        record.queue.takeUnused().forEach(condition -> signal(record, condition));
        return record.conditions.areSignalsDue() && record.conditions.moveSignalled(record.queue, budget, now());
    }

    /** Grants a free lock to the next waiter. */
    private void grant(String lock, LockRecord record) {
        lapse(record);
        moveSignalled(record);
        giveToOthers(lock, record, null);
    }

    /**
     * Grants a free lock as {@link #giveToNext} does. If the queue has no more requests because signals were not used,
     * the next requests of their conditions follow.
     */
    private boolean giveToOthers(String lock, LockRecord record, @Nullable String self) {
        boolean more = false;
        boolean moved = true;
        while (record.owner == null && !more && moved) {
            more = giveToNext(lock, record, self);
            moved = moveSignalled(record);
        }
        return more;
    }

    /**
     * Grants a free lock to the first request in the queue whose client listens, unless that is {@code self}. Requests
     * of clients that do not listen are dropped. Returns whether the search must continue, because there are more of
     * them than one command examines.
     */
    private boolean giveToNext(String lock, LockRecord record, @Nullable String self) {
        boolean more = false;
        while (record.owner == null && !record.queue.isEmpty()) {
            WaitQueue.QueuedRequest head = record.queue.first(budget);
            if (head == null || head.request().equals(self)) {
                more = head == null;
                break;
            }
            record.queue.pop(head);
            boolean isShort = record.queue.areClaimsShort(now());
            long lease = claimLease(head, isShort);
            boolean signalled = head.signalled() != null;
            Grant message =
                    new Grant(lock, head.request(), nextToken(record), lease, server, LockKind.LOCK, 0, signalled);
            if (publish.test(message)) {
                setOwner(record, head.request(), lease, head.takeoverMillis(), true);
                record.shortClaim = isShort ? head : null;
                record.signalled = head.signalled();
                record.queue.first(budget);
            } else {
                budget.notListening(RequestId.clientOf(head.request()));
                record.queue.signalUnused(head);
            }
        }
        if (!record.queue.isEmpty()) {
            record.queue.looked(now());
        }
        retention.granted(lock, record);
        return more && !record.queue.isEmpty();
    }

    private void leave(LockRecord record, String request) {
        record.queue.remove(request, budget, now());
        if (record.queue.hasUnused()) {
            moveSignalled(record);
        }
    }

    private void setOwner(LockRecord record, String request, long leaseMillis, long takeoverMillis, boolean claim) {
        record.owner = request;
        record.token = nextToken(record);
        record.fence = blockEnd(record.token);
        record.until = now() + leaseMillis + takeoverMillis;
        record.confirmClaim();
        record.claim = claim;
    }

    /** Confirms the owner and extends its lease; the remaining time is never shortened. */
    private void extendTo(LockRecord record, long leaseMillis, long takeoverMillis) {
        record.until = Math.max(record.until, now() + leaseMillis + takeoverMillis);
        record.confirmClaim();
    }

    /**
     * Removes the owner if its lease has run out. A claim that lapses also removes all requests of its client from the
     * queue. The exception is the first short claim of an entry: it moves only that entry to the end of the queue.
     */
    private void lapse(LockRecord record) {
        if (record.owner != null && lapsed(record)) {
            WaitQueue.QueuedRequest entry = record.shortClaim;
            if (record.claim && entry != null && !entry.again()) {
                record.queue.lapsed(entry, now(), budget);
            } else if (record.claim) {
                record.queue.lapsed(record.owner, entry != null, now());
                budget.claimLapsed(RequestId.clientOf(record.owner));
                signal(record, record.signalled);
            }
            record.clearOwner();
        }
    }

    private boolean lapsed(LockRecord record) {
        return record.owner != null && now() >= record.until;
    }

    private static boolean holds(LockRecord record, long token) {
        return ownerOf(record) != null && token >= record.token && token <= blockEnd(record.token);
    }

    /**
     * Returns whether this server has lost the hold (failover, flush, eviction) and no request has held the lock since.
     */
    private boolean forgotten(LockRecord record, long firstToken) {
        return (record.owner == null || lapsed(record)) && record.fence < firstToken;
    }

    private long nextToken(LockRecord record) {
        return Math.max(record.fence + 1, micros);
    }

    private long now() {
        return server.millis();
    }

    /**
     * Returns how long until the claim of the owner runs out or a lock that is kept closed opens, 0 if neither applies;
     * {@link Reply#AGAIN} if more waiting requests must be examined.
     */
    private long claimMillis(LockRecord record) {
        if (record.owner == null && !record.queue.isEmpty() || record.conditions.areSignalsDue()) {
            return Reply.AGAIN;
        }
        return record.claim || KEPT.equals(record.owner) ? record.until - now() : 0;
    }

    private static void raiseFence(LockRecord record, long lastToken) {
        record.fence = Math.max(record.fence, lastToken);
    }

    static long blockEnd(long firstToken) {
        return firstToken + LockBackend.TOKENS_PER_HOLD - 1;
    }

    private static long claimLease(WaitQueue.QueuedRequest entry, boolean isShort) {
        return Math.min(isShort ? LockBackend.SHORT_CLAIM_MILLIS : LockBackend.CLAIM_MILLIS, entry.leaseMillis());
    }

    private static boolean isKnown(LockRecord record, String request) {
        return request.equals(record.owner) || record.queue.contains(request);
    }

    /** Returns the request that owns a lock; {@code null} if there is none, or the lock is kept closed. */
    static @Nullable String ownerOf(LockRecord record) {
        return KEPT.equals(record.owner) ? null : record.owner;
    }
}
