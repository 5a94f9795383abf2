package io.boltwork.spi.rules;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.AcquiredShare;
import io.boltwork.spi.Reply.Inspected;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Share;
import io.boltwork.spi.Taken;
import io.boltwork.spi.rules.ShareRecord.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the protocol for locks that are shared, semaphores and read-write locks: changes the {@linkplain
 * ShareRecord record} of a lock as one command demands it at one moment of a server's clock, and returns the reply. Not
 * thread-safe; one instance is for one command.
 *
 * <p>The Redis backend has the same rules as Lua scripts; a test lets both execute the same commands and compares the
 * results. Every rule prevents a trace that goes wrong, so no rule may be changed for style.
 */
public final class ShareRules {

    private final ServerTime server;
    private final long micros;
    private final long idleMillis;
    private final int replicas;
    private final Predicate<Grant> publish;
    private final Predicate<String> listens;
    private final Consumer<Taken> warn;
    private final WaitQueue.Budget budget = new WaitQueue.Budget();
    private int grants;

    /** The latest end that the command has set, or now. */
    private long latest;

    /**
     * Creates the rules for one command.
     *
     * @param server when and where the command is executed
     * @param micros the same moment in microseconds since the epoch
     * @param idleMillis how long a record lives after its last use, in milliseconds
     * @param replicas how many replicas receive a change at once
     * @param publish sends a grant to the client of its request; returns whether that client listens
     * @param listens returns whether a client listens
     * @param warn sends a message to the client of its request
     */
    public ShareRules(
            ServerTime server,
            long micros,
            long idleMillis,
            int replicas,
            Predicate<Grant> publish,
            Predicate<String> listens,
            Consumer<Taken> warn) {
        this.server = server;
        this.micros = micros;
        this.idleMillis = idleMillis;
        this.replicas = replicas;
        this.publish = publish;
        this.listens = listens;
        this.warn = warn;
    }

    // ================================================================ commands

    /**
     * Asks for a part of a lock.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Acquired acquire(ShareRecord record, Command.Acquire command) {
        latest = now();
        Acquired answer = acquire(record, command, command.queue());
        if (answer.verdict() != Verdict.STALE) {
            touch(record);
        }
        return answer;
    }

    private Acquired acquire(ShareRecord record, Command.Acquire wish, boolean queue) {
        String request = wish.request();
        if (now() > wish.notAfter()) {
            return answer(record, Verdict.STALE, 0, 0, isKnown(record, request));
        }
        boolean larger = adopt(record, wish.share());
        record.asked(RequestId.clientOf(request), now());
        Entry mine = record.hold(request);
        if (mine != null && mine.until > now()) { // a repetition, or a grant whose message was lost
            extend(mine, wish.leaseMillis(), wish.takeoverMillis());
            leave(record, request);
            return granted(record, mine, larger && serve(wish, record, null) ? Reply.AGAIN : 0, true);
        }
        if (mine != null) {
            record.remove(request);
        }
        if (wish.share().permits() > record.capacity) {
            boolean known = isKnown(record, request);
            leave(record, request);
            serve(wish, record, null); // its place, or its hold that has ended, may have kept others waiting
            return answer(record, Verdict.TOO_LARGE, 0, 0, known || mine != null);
        }
        boolean more = serve(wish, record, request);
        boolean known = mine != null || record.queue.contains(request);
        if (!more && (record.queue.isEmpty() || record.queue.isFirst(request))) {
            if (fits(record, wish.share().permits())) {
                Entry hold = hold(record, wish);
                leave(record, request);
                return granted(record, hold, serve(wish, record, null) ? Reply.AGAIN : 0, known);
            }
            more = isLapsing(record);
        }
        long remaining = more || record.soon == ShareRecord.NEVER ? 0 : Math.max(0, record.soon - now());
        int position = queue
                ? record.queue.enter(
                        request,
                        wish.leaseMillis(),
                        wish.takeoverMillis(),
                        wish.share().permits(),
                        now(),
                        budget)
                : 0;
        Verdict taken = queue ? Verdict.QUEUED : Verdict.REFUSED;
        return answer(record, more ? Verdict.AGAIN : taken, remaining, position, known);
    }

    /**
     * Gives a part of a lock back and asks for another one for the next request, if there is one.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Released release(ShareRecord record, Command.Release command) {
        latest = now();
        String request = command.request();
        leave(record, request);
        Acquired next = null;
        Release outcome;
        Entry mine = record.hold(request);
        if (mine != null) {
            outcome = Release.RELEASED;
            if (mine.token == command.firstToken()) {
                lower(record, command.held().blockEnd(), command.lastToken());
            }
            record.remove(request);
            bury(record, request, command.held().restoredUntil());
            if (command.keepMillis() > 0) {
                keep(record, request, mine.weight, now() + command.keepMillis());
            }
            if (command.next() != null) {
                next = acquire(record, command.next(), true);
            }
        } else {
            outcome = forgotten(
                            record,
                            request,
                            command.firstToken(),
                            command.held().share())
                    ? Release.FORGOTTEN
                    : Release.NOT_HELD;
            bury(record, request, command.held().restoredUntil());
        }
        long claims = serveAll(command, record);
        touch(record);
        return new Reply.Released(server, outcome, next, claims, null);
    }

    /**
     * Takes a request back, and grants what is free to the next waiters.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Withdrawn withdraw(ShareRecord record, Command.Withdraw command) {
        latest = now();
        String request = command.request();
        boolean known = request != null && isKnown(record, request);
        if (request != null) {
            leave(record, request);
            if (record.hold(request) != null) {
                record.remove(request);
            }
            bury(record, request, command.held().restoredUntil());
        }
        long claims = serveAll(command, record);
        touch(record);
        return new Reply.Withdrawn(server, known, claims, null);
    }

    /**
     * Extends one of the leases of a {@link Command.Renew}. If the server knows a larger weight than the client, it
     * becomes as small.
     *
     * @param record the record of the lock
     * @param item the lease
     * @param notAfter the time of the server's clock after which nothing must be changed
     * @return the result for that lease
     */
    public Reply.Renewed.Item renew(ShareRecord record, Command.Renew.Item item, long notAfter) {
        latest = now();
        if (now() > notAfter) {
            return new Reply.Renewed.Item(Renewal.STALE, null);
        }
        Entry mine = record.hold(item.request());
        if (mine != null && mine.token == item.firstToken()) {
            long claims = renew(record, mine, item);
            touch(record);
            return new Reply.Renewed.Item(Renewal.OK, null, claims);
        }
        if (forgotten(record, item.request(), item.firstToken(), item.share())) {
            return new Reply.Renewed.Item(Renewal.FORGOTTEN, null); // nothing is written: only a restore brings it back
        }
        leave(record, item.request());
        return new Reply.Renewed.Item(Renewal.LOST, null);
    }

    private long renew(ShareRecord record, Entry mine, Command.Renew.Item item) {
        boolean larger = adopt(record, item.share());
        extend(mine, item.leaseMillis(), item.takeoverMillis());
        leave(record, mine.id);
        long less = mine.weight - item.share().permits();
        if (less > 0) {
            mine.weight -= less;
            record.used -= less;
        }
        return less > 0 || larger ? serveAll(item.lock(), item.share(), record) : 0;
    }

    /**
     * Extends a lease and counts the replicas that know of it.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Replicated replicate(ShareRecord record, Command.Replicate command) {
        Reply.Renewed.Item renewed = renew(record, command.item(), command.notAfter());
        int count = renewed.outcome() == Renewal.OK ? replicas : 0;
        return new Reply.Replicated(server, renewed.outcome(), count, null);
    }

    /**
     * Makes a request a holder again after the server forgot it.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Restored restore(ShareRecord record, Command.Restore command) {
        if (now() > command.notAfter()) {
            return new Reply.Restored(server, Renewal.STALE, null);
        }
        latest = now();
        String request = command.request();
        Share share = command.held().share();
        Entry mine = record.hold(request);
        if (mine != null && mine.token == command.firstToken()) { // by the late bytes of an earlier restore
            long claims = renew(
                    record,
                    mine,
                    new Command.Renew.Item(
                            command.lock(),
                            request,
                            command.firstToken(),
                            command.leaseMillis(),
                            command.takeoverMillis(),
                            share));
            touch(record);
            return new Reply.Restored(server, Renewal.OK, null, claims);
        }
        boolean larger = adopt(record, share);
        boolean forgotten = forgotten(record, request, command.firstToken(), share);
        boolean more = forgotten && !lapse(record);
        leave(record, request);
        Renewal outcome = more ? Renewal.STALE : Renewal.LOST;
        if (forgotten && fits(record, share.permits())) {
            Entry hold =
                    put(record, request, share.permits(), now() + command.leaseMillis() + command.takeoverMillis());
            hold.token = command.firstToken();
            hold.blockEnd = command.held().blockEnd();
            hold.leaseMillis = command.leaseMillis();
            raise(record, hold);
            outcome = Renewal.OK;
        }
        long claims = larger ? serveAll(command, record) : 0;
        touch(record);
        return new Reply.Restored(server, outcome, null, claims);
    }

    /**
     * Takes a lock away from all its holders, or from one.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Forced forceRelease(ShareRecord record, Command.ForceRelease command) {
        latest = now();
        long expected = command.expectedToken();
        List<Entry> ended = new ArrayList<>();
        List<Entry> taken = new ArrayList<>();
        for (Entry entry : record.entries()) {
            boolean isMeant =
                    expected <= 0 || !entry.isMarker() && entry.token <= expected && expected <= entry.blockEnd;
            if (isMeant && !entry.isTombstone()) {
                (entry.until > now() ? taken : ended).add(entry);
            }
        }
        for (Entry entry : ended) { // serveAll() may not reach it, and its holder could still renew it
            end(record, entry);
        }
        for (Entry entry : taken) {
            record.remove(entry.id);
            if (!entry.isMarker()) {
                // a failover may have lost a renewal, after which the holder's deadline is later than this end
                put(record, entry.id, 0, entry.until + entry.leaseMillis);
            }
        }
        if (!taken.isEmpty() || expected <= 0) {
            record.fence = nextToken(record);
            if (expected <= 0) { // also without a holder: one that this server forgot must not restore its hold
                record.all = record.fence;
            }
        }
        long claims = serveAll(command, record);
        if (taken.isEmpty() && expected > 0) {
            touch(record);
        } else {
            touch(record, IdleLife.FORCED_MILLIS);
        }
        for (Entry entry : taken) {
            if (!entry.isMarker()) {
                warn.accept(new Taken(command.lock(), entry.id, entry.token, server, command.kind()));
            }
        }
        return new Reply.Forced(server, !taken.isEmpty(), claims, null, null, 0);
    }

    /**
     * Sets the capacity of a lock.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Resized resize(ShareRecord record, Command.Resize command) {
        latest = now();
        record.capacity = command.permits();
        record.set = Math.max(record.set + 1, micros);
        long claims = serveAll(command, record);
        touch(record);
        return new Reply.Resized(server, record.capacity, record.set, claims);
    }

    /**
     * Returns the lock as the server sees it.
     *
     * @param record the record of the lock
     * @return the reply
     */
    public Inspected inspect(ShareRecord record) {
        List<Inspected.Holder> holders = new ArrayList<>();
        long kept = 0;
        for (Entry entry : record.entries()) {
            if (entry.isMarker()) {
                kept = Math.max(kept, entry.until);
            } else if (!entry.isTombstone()) {
                int permits = Math.toIntExact(entry.weight);
                holders.add(new Inspected.Holder(entry.id, permits, entry.token, entry.until, entry.claim));
            }
        }
        return new Inspected(server, holders, kept, record.fence, LockRules.waiting(record.queue), record.capacity);
    }

    // ================================================================ capacity

    /** Takes over the capacity that a client knows, if it is newer. Returns whether the capacity has grown. */
    private static boolean adopt(ShareRecord record, Share share) {
        if (record.capacity > 0 && share.set() <= record.set) {
            return false;
        }
        boolean larger = record.capacity > 0 && share.of() > record.capacity;
        record.capacity = share.of();
        record.set = share.set();
        return larger;
    }

    private static boolean fits(ShareRecord record, long weight) {
        return record.used + weight <= record.capacity;
    }

    /** Returns whether a hold with that weight leaves no room for another one. */
    private static boolean takesAll(ShareRecord record, long weight, int otherwise) {
        return weight >= (record.capacity > 0 ? record.capacity : otherwise);
    }

    // ================================================================ granting

    /**
     * Grants what is free to the first requests in the queue that fit and whose clients listen, until one does not fit
     * or is {@code self}. No request overtakes another one. Returns whether there is more to do than one command does.
     */
    private boolean serve(Command.LockCommand<?> command, ShareRecord record, @Nullable String self) {
        return serve(command.lock(), command.kind(), record, self);
    }

    private boolean serve(String lock, LockKind kind, ShareRecord record, @Nullable String self) {
        lapse(record); // if it uses the budget up, the queue finds no first entry
        boolean more = false;
        while (!record.queue.isEmpty()) {
            WaitQueue.QueuedRequest head = record.queue.first(budget);
            if (head == null || head.request().equals(self)) {
                more = head == null;
                break;
            }
            String client = RequestId.clientOf(head.request());
            if (head.weight() > record.capacity) {
                record.queue.pop(head); // it learns of it when it asks again
            } else if (fits(record, head.weight())) {
                if (grants >= LockBackend.GRANTS_PER_STEP) {
                    more = true;
                    break;
                }
                record.queue.pop(head);
                if (!grant(lock, kind, record, head)) {
                    budget.notListening(client);
                }
            } else if (!listens.test(client)) {
                record.queue.pop(head);
                budget.notListening(client);
            } else if (!record.isSilent(client, now())) {
                break;
            } else {
                record.queue.drop(client);
            }
        }
        if (!record.queue.isEmpty()) {
            record.queue.looked(now());
        }
        return more && !record.queue.isEmpty();
    }

    /** Grants a part of the lock to a request, as a claim. Returns whether its client listens. */
    private boolean grant(String lock, LockKind kind, ShareRecord record, WaitQueue.QueuedRequest head) {
        boolean isShort = record.queue.areClaimsShort(now());
        long lease = Math.min(isShort ? LockBackend.SHORT_CLAIM_MILLIS : LockBackend.CLAIM_MILLIS, head.leaseMillis());
        long token = nextToken(record);
        long blockEnd = blockEnd(token);
        if (!publish.test(new Grant(lock, head.request(), token, lease, server, kind, blockEnd))) {
            return false;
        }
        grants++;
        Entry hold = put(record, head.request(), head.weight(), now() + lease + head.takeoverMillis());
        hold.token = token;
        hold.blockEnd = blockEnd;
        hold.leaseMillis = head.leaseMillis();
        hold.claim = true;
        hold.shortClaim = isShort ? head : null;
        raise(record, hold);
        record.claims = Math.max(record.claims, hold.until);
        return true;
    }

    private Entry hold(ShareRecord record, Command.Acquire wish) {
        Entry hold =
                put(record, wish.request(), wish.share().permits(), now() + wish.leaseMillis() + wish.takeoverMillis());
        hold.token = nextToken(record);
        hold.blockEnd = blockEnd(hold.token);
        hold.leaseMillis = wish.leaseMillis();
        raise(record, hold);
        return hold;
    }

    private long serveAll(Command.LockCommand<?> command, ShareRecord record) {
        return claimMillis(record, serve(command, record, null));
    }

    private long serveAll(String lock, Share share, ShareRecord record) {
        return claimMillis(record, serve(lock, share.kind(), record, null));
    }

    /** Returns how long until all claims run out, and all markers end. Then somebody must look after those who wait. */
    private long claimMillis(ShareRecord record, boolean more) {
        if (more) {
            return Reply.AGAIN;
        }
        return record.queue.isEmpty() ? 0 : Math.max(0, record.claims - now());
    }

    /** Raises the fences to the end of a hold's block. */
    private static void raise(ShareRecord record, Entry hold) {
        record.fence = Math.max(record.fence, hold.blockEnd);
        if (takesAll(record, hold.weight, 0)) {
            record.all = Math.max(record.all, hold.blockEnd);
        }
    }

    /** Lowers the fences to the last token used of a block, where no token has been issued since. */
    private static void lower(ShareRecord record, long blockEnd, long lastToken) {
        if (record.fence == blockEnd) {
            record.fence = lastToken;
        }
        if (record.all == blockEnd) {
            record.all = lastToken;
        }
    }

    // ================================================================ leases

    /** Confirms a hold and extends its lease; the remaining time is never shortened. */
    private void extend(Entry mine, long leaseMillis, long takeoverMillis) {
        mine.until = Math.max(mine.until, now() + leaseMillis + takeoverMillis);
        mine.leaseMillis = Math.max(mine.leaseMillis, leaseMillis);
        mine.claim = false;
        mine.shortClaim = null;
        latest = Math.max(latest, mine.until);
    }

    /**
     * Removes the entries that have ended. Returns whether none is left; otherwise the budget is used up. A search that
     * an earlier command began is not enough if the least end that it found has passed since.
     */
    private boolean lapse(ShareRecord record) {
        while (isLapsing(record)) {
            for (Entry ended; (ended = record.nextEnded(now(), budget)) != null; ) {
                end(record, ended);
            }
            if (!record.isSearched()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Removes an entry that has ended. A claim that lapses also removes all requests of its client from the queue. The
     * exception is the first short claim of a queue entry: it moves only that entry to the end of the queue.
     */
    private void end(ShareRecord record, Entry ended) {
        record.remove(ended.id);
        WaitQueue.QueuedRequest entry = ended.shortClaim;
        if (ended.claim && entry != null && !entry.again()) {
            record.queue.lapsed(entry, now());
        } else if (ended.claim) {
            record.queue.lapsed(ended.id, entry != null, now());
        }
    }

    /** Returns whether entries may have ended that are still there. */
    private boolean isLapsing(ShareRecord record) {
        return now() >= record.soon;
    }

    /**
     * Returns whether this server has lost the hold (failover, flush, eviction) and no request that conflicts with it
     * has held the lock since. A hold that takes all conflicts with every other one.
     */
    private static boolean forgotten(ShareRecord record, String request, long firstToken, Share share) {
        if (record.find(request) != null) {
            return false;
        }
        return (takesAll(record, share.permits(), share.of()) ? record.fence : record.all) < firstToken;
    }

    /** Leaves a tombstone, if a restore was sent that may still be executed. */
    private void bury(ShareRecord record, String request, long restoredUntil) {
        if (restoredUntil >= now() && record.find(request) == null) {
            put(record, request, 0, restoredUntil + 1);
        }
    }

    /** Keeps the weight of a released hold for a while. */
    private void keep(ShareRecord record, String request, long weight, long until) {
        put(record, ShareRecord.marker(request), weight, until);
        record.claims = Math.max(record.claims, until);
    }

    // ================================================================ answers

    private Acquired granted(ShareRecord record, Entry hold, long remaining, boolean known) {
        AcquiredShare share =
                new AcquiredShare(Math.toIntExact(hold.weight), hold.blockEnd, 0, record.capacity, record.set);
        return new Acquired(server, Verdict.GRANTED, hold.token, remaining, 0, known, null, share);
    }

    private Acquired answer(ShareRecord record, Verdict verdict, long remaining, int position, boolean known) {
        int free = Math.toIntExact(Math.max(0, record.capacity - record.used));
        AcquiredShare share = new AcquiredShare(0, 0, free, record.capacity, record.set);
        return new Acquired(server, verdict, 0, remaining, position, known, null, share);
    }

    private static boolean isKnown(ShareRecord record, String request) {
        return record.hold(request) != null || record.queue.contains(request);
    }

    private void leave(ShareRecord record, String request) {
        record.queue.remove(request, budget, now());
    }

    /** Adds an entry. Its end counts as a use of the lock. */
    private Entry put(ShareRecord record, String id, long weight, long until) {
        latest = Math.max(latest, until);
        return record.put(id, weight, until);
    }

    private void touch(ShareRecord record) {
        touch(record, 0);
    }

    /** Sets the expiry of the record, which lives for at least that long after the latest end. */
    private void touch(ShareRecord record, long atLeast) {
        if (record.isBlank()) {
            return;
        }
        long life = Math.max(idleMillis, Math.max(record.set > 0 ? IdleLife.SET_MILLIS : 0, atLeast));
        if (IdleLife.isDue(record.expiresAt - latest, life)) {
            record.expiresAt = latest + life;
        }
    }

    private long nextToken(ShareRecord record) {
        return Math.max(record.fence + 1, micros);
    }

    /** Returns the end of a block: it seldom is ahead of the clock, although holds overlap. */
    private long blockEnd(long firstToken) {
        return Math.max(firstToken, micros + LockBackend.TOKENS_PER_HOLD - 1);
    }

    private long now() {
        return server.millis();
    }
}
