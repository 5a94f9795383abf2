// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Share;
import io.boltwork.spi.rules.ShareRecord.Entry;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The steps that the commands on a shared lock have in common: capacity, grants, the ends of holds, tokens. See {@link
 * ShareRules}.
 */
abstract class ShareSteps {

    final ServerTime server;
    final long micros;
    private final long idleMillis;
    private final Predicate<Grant> publish;
    private final Predicate<String> listens;
    final WaitQueue.Budget budget = new WaitQueue.Budget();
    private int grants;

    /** The latest end that the command has set, or now. */
    long latest;

    ShareSteps(ServerTime server, long micros, long idleMillis, Predicate<Grant> publish, Predicate<String> listens) {
        this.server = server;
        this.micros = micros;
        this.idleMillis = idleMillis;
        this.publish = publish;
        this.listens = listens;
    }

    // ================================================================ capacity

    /** Takes over the capacity that a client knows, if it is newer. Returns whether the capacity has grown. */
    static boolean adopt(ShareRecord record, Share share) {
        if (record.capacity > 0 && share.set() <= record.set) {
            return false;
        }
        boolean larger = record.capacity > 0 && share.of() > record.capacity;
        record.capacity = share.of();
        record.set = share.set();
        return larger;
    }

    static boolean fits(ShareRecord record, long weight) {
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
    boolean serve(Command.LockCommand<?> command, ShareRecord record, @Nullable String self) {
        return serve(command.lock(), command.kind(), record, self);
    }

    boolean serve(String lock, LockKind kind, ShareRecord record, @Nullable String self) {
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

    Entry hold(ShareRecord record, Command.Acquire wish) {
        Entry hold =
                put(record, wish.request(), wish.share().permits(), now() + wish.leaseMillis() + wish.takeoverMillis());
        hold.token = nextToken(record);
        hold.blockEnd = blockEnd(hold.token);
        hold.leaseMillis = wish.leaseMillis();
        raise(record, hold);
        return hold;
    }

    long serveAll(Command.LockCommand<?> command, ShareRecord record) {
        return claimMillis(record, serve(command, record, null));
    }

    long serveAll(String lock, Share share, ShareRecord record) {
        return claimMillis(record, serve(lock, share.kind(), record, null));
    }

    /**
     * Returns how long until all claims run out, and all markers end. Then a client must look after those that wait.
     */
    private long claimMillis(ShareRecord record, boolean more) {
        if (more) {
            return Reply.AGAIN;
        }
        return record.queue.isEmpty() ? 0 : Math.max(0, record.claims - now());
    }

    /** Raises the fences to the end of a hold's block. */
    static void raise(ShareRecord record, Entry hold) {
        record.fence = Math.max(record.fence, hold.blockEnd);
        if (takesAll(record, hold.weight, 0)) {
            record.all = Math.max(record.all, hold.blockEnd);
        }
    }

    /** Lowers the fences to the last token used of a block, where no token has been issued since. */
    static void lower(ShareRecord record, long blockEnd, long lastToken) {
        if (record.fence == blockEnd) {
            record.fence = lastToken;
        }
        if (record.all == blockEnd) {
            record.all = lastToken;
        }
    }

    // ================================================================ leases

    /** Confirms a hold and extends its lease; the remaining time is never shortened. */
    void extend(Entry mine, long leaseMillis, long takeoverMillis) {
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
    boolean lapse(ShareRecord record) {
        while (isLapsing(record)) {
            for (Entry ended; (ended = record.nextEnded(now(), budget)) != null; ) {
                removeEnded(record, ended);
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
    void removeEnded(ShareRecord record, Entry ended) {
        record.remove(ended.id);
        WaitQueue.QueuedRequest entry = ended.shortClaim;
        if (ended.claim && entry != null && !entry.again()) {
            record.queue.lapsed(entry, now(), budget);
        } else if (ended.claim) {
            record.queue.lapsed(ended.id, entry != null, now());
        }
    }

    /** Returns whether entries may have ended that are still there. */
    boolean isLapsing(ShareRecord record) {
        return now() >= record.soon;
    }

    /**
     * Returns whether this server has lost the hold (failover, flush, eviction) and no request that conflicts with it
     * has held the lock since. A hold that takes all conflicts with every other one.
     */
    static boolean forgotten(ShareRecord record, String request, long firstToken, Share share) {
        if (record.find(request) != null) {
            return false;
        }
        return (takesAll(record, share.permits(), share.of()) ? record.fence : record.all) < firstToken;
    }

    /** Leaves a tombstone, if a restore was sent that may still be executed. */
    void bury(ShareRecord record, String request, long restoredUntil) {
        if (restoredUntil >= now() && record.find(request) == null) {
            put(record, request, 0, restoredUntil + 1);
        }
    }

    /** Keeps the weight of a released hold for a while. */
    void keep(ShareRecord record, String request, long weight, long until) {
        put(record, ShareRecord.marker(request), weight, until);
        record.claims = Math.max(record.claims, until);
    }

    static boolean isKnown(ShareRecord record, String request) {
        return record.hold(request) != null || record.queue.contains(request);
    }

    void leave(ShareRecord record, String request) {
        record.queue.remove(request, budget, now());
    }

    /** Adds an entry. Its end counts as a use of the lock. */
    Entry put(ShareRecord record, String id, long weight, long until) {
        latest = Math.max(latest, until);
        return record.put(id, weight, until);
    }

    void touch(ShareRecord record) {
        touch(record, 0);
    }

    /**
     * Sets the expiry of the record that a command has changed. It lives for at least that long after the latest end.
     */
    void touch(ShareRecord record, long atLeast) {
        record.forgetBlocker();
        if (record.isBlank()) {
            return;
        }
        long life = Math.max(idleMillis, Math.max(record.set > 0 ? IdleLife.SET_MILLIS : 0, atLeast));
        if (IdleLife.isDue(record.expiresAt - latest, life)) {
            record.expiresAt = latest + life;
        }
    }

    long nextToken(ShareRecord record) {
        return Math.max(record.fence + 1, micros);
    }

    /** Returns the end of a block: it seldom is ahead of the clock, although holds overlap. */
    long blockEnd(long firstToken) {
        return Math.max(firstToken, micros + LockBackend.TOKENS_PER_HOLD - 1);
    }

    long now() {
        return server.millis();
    }
}
