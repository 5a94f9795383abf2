// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.AcquiredShare;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.Resize;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Share;
import io.boltwork.spi.Shrunk;
import io.boltwork.spi.rules.ShareRecord.Entry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The rules of the protocol for locks that are shared, semaphores and read-write locks: changes the {@linkplain
 * ShareRecord record} of a lock as one command demands it at one moment of a server's clock, and returns the reply. Not
 * thread-safe; one instance is for one command.
 *
 * <p>The Redis backend has the same rules as Lua scripts; a test lets both execute the same commands and compares the
 * results. Every rule prevents a trace that goes wrong, so no rule may be changed for style.
 *
 * @since 0.1.0
 */
public final class ShareRules extends ShareSteps {

    private final int replicas;
    private final Consumer<HolderMessage> tell;

    /**
     * Creates the rules for one command.
     *
     * @param server when and where the command is executed
     * @param micros the same moment in microseconds since the epoch
     * @param idleMillis how long a record lives after its last use, in milliseconds
     * @param replicas how many replicas receive a change at once
     * @param publish sends a grant to the client of its request; returns whether that client listens
     * @param listens returns whether a client listens
     * @param tell sends a message to the client of its request
     */
    public ShareRules(
            ServerTime server,
            long micros,
            long idleMillis,
            int replicas,
            Predicate<Grant> publish,
            Predicate<String> listens,
            Consumer<HolderMessage> tell) {
        super(server, micros, idleMillis, publish, listens);
        this.replicas = replicas;
        this.tell = tell;
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
            boolean overlaps = record.fence >= hold.token; // tokens of its block may be issued anew
            raise(record, hold);
            record.fence += overlaps ? 1 : 0; // neither hold's release lowers it below a token of the other
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
    public Reply.Forced forceRelease(ShareRecord record, ForceRelease command) {
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
            removeEnded(record, entry);
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
        long allEnded = expected <= 0 ? record.fence : 0; // before others are served
        long claims = serveAll(command, record);
        if (taken.isEmpty() && expected > 0) {
            touch(record);
        } else {
            touch(record, IdleLife.FORCED_MILLIS);
        }
        for (Entry entry : taken) {
            if (!entry.isMarker()) {
                tell.accept(new HoldTaken(command.lock(), entry.id, entry.token, server, command.kind()));
            }
        }
        return new Reply.Forced(server, !taken.isEmpty(), claims, null, null, 0, allEnded);
    }

    /**
     * Sets the capacity of a lock.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Resized resize(ShareRecord record, Resize command) {
        latest = now();
        List<String> affected = command.permits() < record.capacity ? requestsOfEachClient(record) : List.of();
        record.capacity = command.permits();
        record.set = Math.max(record.set + 1, micros);
        long claims = serveAll(command, record);
        touch(record);
        affected.forEach(
                request -> tell.accept(new Shrunk(command.lock(), request, command.permits(), server, command.kind())));
        return new Reply.Resized(server, record.capacity, record.set, claims);
    }

    /** Returns a request of each client that holds a part of the lock or waits for one. */
    private static List<String> requestsOfEachClient(ShareRecord record) {
        Map<String, String> byClient = new LinkedHashMap<>();
        for (Entry entry : record.entries()) {
            if (!entry.isMarker()) {
                byClient.putIfAbsent(RequestId.clientOf(entry.id), entry.id);
            }
        }
        LockReports.waiting(record.queue).forEach(waiting -> {
            byClient.putIfAbsent(RequestId.clientOf(waiting.request()), waiting.request());
        });
        return List.copyOf(byClient.values());
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
        return new Inspected(server, holders, kept, record.fence, LockReports.waiting(record.queue), record.capacity);
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
}
