package io.boltwork.memory;

import io.boltwork.spi.ClientCard;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.NamePattern;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Taken;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The execution of one command at one moment of a server's clock: the rules of the protocol, without a clock and
 * without threads.
 *
 * <p>The Redis backend has the same rules as Lua scripts; a test lets both execute the same commands and compares the
 * results. Each rule prevents a known trace that goes wrong without it, so no rule may be changed for the sake of
 * appearance.
 */
final class Step {
    /** Takes the place of the owner while a released lock is kept closed; no request equals it. */
    static final String KEPT = "-";

    private final Keys keys;
    private final Cards cards;
    private final ServerTime server;
    private final long micros;
    private final int replicas;
    private final Predicate<Grant> publish;
    private final Consumer<Taken> warn;
    private final Ring.Budget budget = new Ring.Budget();

    /**
     * Creates a step.
     *
     * @param keys the lock records
     * @param cards the client records
     * @param server the server and the time
     * @param micros the same time in microseconds since the epoch
     * @param replicas how many replicas receive each write at once
     * @param publish sends a grant to the client that it names; returns {@code false} if that client does not listen
     * @param warn sends a message to the client that it names
     */
    Step(
            Keys keys,
            Cards cards,
            ServerTime server,
            long micros,
            int replicas,
            Predicate<Grant> publish,
            Consumer<Taken> warn) {
        this.keys = keys;
        this.cards = cards;
        this.server = server;
        this.micros = micros;
        this.replicas = replicas;
        this.publish = publish;
        this.warn = warn;
    }

    Reply.Answer execute(Command command) {
        if (command instanceof Command.Acquire acquire) {
            return acquire(acquire);
        } else if (command instanceof Command.Release release) {
            return release(release);
        } else if (command instanceof Command.Withdraw withdraw) {
            return withdraw(withdraw);
        } else if (command instanceof Command.Renew renew) {
            return renew(renew);
        } else if (command instanceof Command.Replicate replicate) {
            return replicate(replicate);
        } else if (command instanceof Command.Restore restore) {
            return restore(restore);
        } else if (command instanceof Command.Inspect inspect) {
            return inspect(inspect);
        } else if (command instanceof Command.ForceRelease force) {
            return forceRelease(force);
        } else if (command instanceof Command.Announce announce) {
            return new Reply.Announced(server, cards.put(announce, now()));
        } else if (command instanceof Command.Identify identify) {
            return new Reply.Identified(server, cards.of(identify.clients(), now()));
        } else if (command instanceof Command.ScanLocks scan) {
            return scan(scan);
        } else if (command instanceof Command.ScanClients scan) {
            return scan(scan);
        }
        throw new IllegalArgumentException("Unknown command: " + command);
    }

    private Acquired acquire(Command.Acquire command) {
        Key key = keys.get(command.lock(), now());
        Acquired answer = acquire(key, command, command.queue());
        if (answer.verdict() != Verdict.STALE) {
            keys.touch(command.lock(), key, now());
        }
        return answer;
    }

    private Reply.Released release(Command.Release command) {
        Key key = keys.get(command.lock(), now());
        String request = command.request();
        Acquired next = null;
        Release outcome;
        leave(key, request);
        if (request.equals(key.owner)) {
            outcome = Release.RELEASED;
            if (key.token == command.firstToken() && key.fence == blockEnd(command.firstToken())) {
                key.fence = command.lastToken(); // no request has been given a token since
            } else {
                raiseFence(key, command.lastToken());
            }
            key.clearOwner();
            if (command.keepMillis() > 0) {
                key.owner = KEPT;
                key.until = now() + command.keepMillis();
            }
            if (command.next() != null) {
                next = acquire(key, command.next(), true);
            }
        } else {
            outcome = forgotten(key, command.firstToken()) ? Release.FORGOTTEN : Release.NOT_HELD;
            raiseFence(key, command.lastToken()); // a late restore is refused
        }
        grant(command.lock(), key);
        if (next != null && next.verdict() == Verdict.STALE) {
            next = stale(key, next.known()); // the grant may have changed the owner
        }
        keys.touch(command.lock(), key, now());
        return new Reply.Released(server, outcome, next, claimMillis(key), ownerOf(key));
    }

    private Reply.Withdrawn withdraw(Command.Withdraw command) {
        Key key = keys.get(command.lock(), now());
        String request = command.request();
        boolean known = request != null && isKnown(key, request);
        if (request != null) {
            leave(key, request);
            if (request.equals(key.owner)) {
                key.clearOwner();
            }
            raiseFence(key, command.lastToken());
        }
        grant(command.lock(), key);
        keys.touch(command.lock(), key, now());
        return new Reply.Withdrawn(server, known, claimMillis(key), ownerOf(key));
    }

    private Reply.Renewed renew(Command.Renew command) {
        List<Reply.Renewed.Item> items = new ArrayList<>(command.items().size());
        for (Command.Renew.Item item : command.items()) {
            Key key = keys.get(item.lock(), now());
            Renewal outcome = now() > command.notAfter() ? Renewal.STALE : renew(key, item);
            if (outcome == Renewal.OK) {
                keys.touch(item.lock(), key, now());
            }
            items.add(new Reply.Renewed.Item(outcome, ownerOf(key)));
        }
        return new Reply.Renewed(server, items);
    }

    private Renewal renew(Key key, Command.Renew.Item item) {
        if (item.request().equals(key.owner) && key.token == item.firstToken()) {
            extendTo(key, item.leaseMillis(), item.takeoverMillis());
            leave(key, item.request());
            return Renewal.OK;
        }
        if (forgotten(key, item.firstToken())) {
            return Renewal.FORGOTTEN; // nothing is written: only a restore brings a hold back
        }
        leave(key, item.request());
        return Renewal.LOST;
    }

    private Reply.Replicated replicate(Command.Replicate command) {
        Reply.Renewed.Item renewed = renew(new Command.Renew(List.of(command.item()), command.notAfter()))
                .items()
                .get(0);
        int count = renewed.outcome() == Renewal.OK ? replicas : 0;
        return new Reply.Replicated(server, renewed.outcome(), count, renewed.owner());
    }

    private Reply.Restored restore(Command.Restore command) {
        Key key = keys.get(command.lock(), now());
        if (now() > command.notAfter()) {
            return new Reply.Restored(server, Renewal.STALE, ownerOf(key));
        }
        boolean restored = forgotten(key, command.firstToken());
        if (restored) {
            lapse(key);
        }
        leave(key, command.request()); // after lapse(), which may have queued the request again for its short claim
        if (restored) {
            key.owner = command.request();
            key.token = command.firstToken();
            key.fence = blockEnd(command.firstToken());
            extendTo(key, command.leaseMillis(), command.takeoverMillis());
        }
        keys.touch(command.lock(), key, now());
        return new Reply.Restored(server, restored ? Renewal.OK : Renewal.LOST, ownerOf(key));
    }

    private Reply.Inspected inspect(Command.Inspect command) {
        Key key = keys.get(command.lock(), now());
        return new Reply.Inspected(
                server,
                ownerOf(key),
                key.token,
                key.until,
                key.claim,
                key.fence,
                key.queue.entries().stream()
                        .map(entry -> new Reply.Inspected.Waiting(entry.request(), entry.sinceMillis()))
                        .toList());
    }

    private Reply.Forced forceRelease(Command.ForceRelease command) {
        Key key = keys.get(command.lock(), now());
        lapse(key);
        long takenToken = key.token;
        boolean released = false;
        String taken = null;
        boolean forced = command.expectedToken() <= 0 || holds(key, command.expectedToken());
        long closedMillis = forced && key.owner != null ? key.until - now() : 0;
        if (forced) {
            released = key.owner != null;
            taken = ownerOf(key);
            key.clearOwner();
            key.fence = nextToken(key); // also without an owner: a holder that this server forgot must not restore
        }
        grant(command.lock(), key);
        if (forced) {
            keys.touchForced(command.lock(), key, now(), closedMillis);
        } else {
            keys.touch(command.lock(), key, now());
        }
        if (taken == null) {
            return new Reply.Forced(server, released, claimMillis(key), ownerOf(key), null, 0);
        }
        warn.accept(new Taken(command.lock(), taken, takenToken, server));
        return new Reply.Forced(server, released, claimMillis(key), ownerOf(key), taken, takenToken);
    }

    private Reply.ScannedLocks scan(Command.ScanLocks command) {
        NamePattern pattern = new NamePattern(command.pattern());
        Page<Key> page = keys.page(command.cursor(), command.count(), now());
        List<Reply.ScannedLocks.Lock> locks = new ArrayList<>();
        page.found().forEach((name, key) -> {
            boolean open = key.owner == null || lapsed(key);
            if (pattern.matches(name) && !(open && key.queue.isEmpty())) {
                locks.add(inShort(name, open ? new Key() : key, key.queue.length()));
            }
        });
        return new Reply.ScannedLocks(server, locks, page.cursor());
    }

    private static Reply.ScannedLocks.Lock inShort(String name, Key key, int waiting) {
        return new Reply.ScannedLocks.Lock(name, ownerOf(key), key.token, key.until, key.claim, waiting);
    }

    private Reply.ScannedClients scan(Command.ScanClients command) {
        Page<ClientCard> page = cards.page(command.cursor(), command.count(), now());
        return new Reply.ScannedClients(server, List.copyOf(page.found().values()), page.cursor());
    }

    private Acquired acquire(Key key, Command.Acquire wish, boolean queue) {
        String request = wish.request();
        if (now() > wish.notAfter()) {
            return stale(key, isKnown(key, request));
        }
        if (request.equals(key.owner)) { // a repetition, or a grant whose message was lost
            if (lapsed(key)) {
                setOwner(key, request, wish.leaseMillis(), wish.takeoverMillis(), false);
            } else {
                extendTo(key, wish.leaseMillis(), wish.takeoverMillis());
            }
            return granted(key, request, true);
        }
        lapse(key);
        // after lapse(): a claim of the same client that has lapsed may have removed the request
        boolean known = isKnown(key, request);
        boolean more = key.owner == null && giveToNext(wish.lock(), key, request);
        if (key.owner == null && !more) {
            setOwner(key, request, wish.leaseMillis(), wish.takeoverMillis(), false);
            return granted(key, request, known);
        }
        long remaining = more ? 0 : key.until - now();
        Verdict taken = queue ? Verdict.QUEUED : Verdict.REFUSED;
        int position = queue ? key.queue.enter(request, wish.leaseMillis(), wish.takeoverMillis(), now(), budget) : 0;
        return new Acquired(server, more ? Verdict.AGAIN : taken, 0, remaining, position, known, ownerOf(key));
    }

    private Acquired granted(Key key, String request, boolean known) {
        leave(key, request);
        return new Acquired(server, Verdict.GRANTED, key.token, 0, 0, known, request);
    }

    private Acquired stale(Key key, boolean known) {
        return new Acquired(server, Verdict.STALE, 0, 0, 0, known, ownerOf(key));
    }

    /** Grants a free lock to the next waiter. */
    private void grant(String lock, Key key) {
        lapse(key);
        if (key.owner == null) {
            giveToNext(lock, key, null);
        }
    }

    /**
     * Grants a free lock to the first request in the queue whose client listens, unless that is {@code self}. Requests
     * of clients that do not listen are dropped. Returns whether the search must continue, because there are more of
     * them than one command examines.
     */
    private boolean giveToNext(String lock, Key key, @Nullable String self) {
        boolean more = false;
        while (key.owner == null && !key.queue.isEmpty()) {
            Ring.Entry head = key.queue.first(budget);
            if (head == null || head.request().equals(self)) {
                more = head == null;
                break;
            }
            key.queue.pop(head);
            boolean isShort = key.queue.areClaimsShort(now());
            long lease = claimLease(head, isShort);
            if (publish.test(new Grant(lock, head.request(), nextToken(key), lease, server))) {
                setOwner(key, head.request(), lease, head.takeoverMillis(), true);
                key.shortClaim = isShort ? head : null;
                key.queue.first(budget);
            } else {
                budget.notListening(Ring.clientOf(head.request()));
            }
        }
        if (!key.queue.isEmpty()) {
            key.queue.looked(now());
        }
        return more && !key.queue.isEmpty();
    }

    private void leave(Key key, String request) {
        key.queue.remove(request, budget, now());
    }

    private void setOwner(Key key, String request, long leaseMillis, long takeoverMillis, boolean claim) {
        key.owner = request;
        key.token = nextToken(key);
        key.fence = blockEnd(key.token);
        key.until = now() + leaseMillis + takeoverMillis;
        key.claim = claim;
        key.shortClaim = null;
    }

    /** Confirms the owner and extends its lease; the remaining time is never shortened. */
    private void extendTo(Key key, long leaseMillis, long takeoverMillis) {
        key.until = Math.max(key.until, now() + leaseMillis + takeoverMillis);
        key.claim = false;
        key.shortClaim = null;
    }

    /**
     * Removes the owner if its lease has run out. A claim that lapses also removes all requests of its client from the
     * queue. The exception is the first short claim of an entry: it moves only that entry to the end of the queue.
     */
    private void lapse(Key key) {
        if (key.owner != null && lapsed(key)) {
            Ring.Entry entry = key.shortClaim;
            if (key.claim && entry != null && !entry.again()) {
                key.queue.lapsed(entry, now());
            } else if (key.claim) {
                key.queue.lapsed(key.owner, entry != null, now());
            }
            key.clearOwner();
        }
    }

    private boolean lapsed(Key key) {
        return key.owner != null && now() >= key.until;
    }

    /** Returns whether a token belongs to the owner's hold. */
    private static boolean holds(Key key, long token) {
        return ownerOf(key) != null && token >= key.token && token <= blockEnd(key.token);
    }

    /**
     * Returns whether this server has lost the hold (failover, flush, eviction) and no request has held the lock since.
     */
    private boolean forgotten(Key key, long firstToken) {
        return (key.owner == null || lapsed(key)) && key.fence < firstToken;
    }

    private long nextToken(Key key) {
        return Math.max(key.fence + 1, micros);
    }

    private long now() {
        return server.millis();
    }

    /** Returns how long until the claim of the owner runs out, or a lock that is kept closed opens. */
    private long claimMillis(Key key) {
        if (key.owner == null && !key.queue.isEmpty()) {
            return Reply.AGAIN;
        }
        return key.claim || KEPT.equals(key.owner) ? key.until - now() : 0;
    }

    private static void raiseFence(Key key, long lastToken) {
        key.fence = Math.max(key.fence, lastToken);
    }

    private static long blockEnd(long firstToken) {
        return firstToken + LockBackend.TOKENS_PER_HOLD - 1;
    }

    private static long claimLease(Ring.Entry entry, boolean isShort) {
        return Math.min(isShort ? LockBackend.SHORT_CLAIM_MILLIS : LockBackend.CLAIM_MILLIS, entry.leaseMillis());
    }

    private static boolean isKnown(Key key, String request) {
        return request.equals(key.owner) || key.queue.contains(request);
    }

    private static @Nullable String ownerOf(Key key) {
        return KEPT.equals(key.owner) ? null : key.owner;
    }
}
