// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.LockKind;
import io.boltwork.spi.Announce;
import io.boltwork.spi.BlockedThread;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockUsage;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.RequestId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Random commands that depend on each other. Most come from a request that owns the lock or waits for it, with the
 * right token, and some from a request that is late, wrong or gone.
 */
final class DifferentialCommands {
    private static final List<String> LOCKS = List.of("stock:1001", "a{b}%7Bc", "lock ü");

    private static final List<String> PATTERNS = List.of("*", "stock:*", "a{b}%*c", "??????", "*o?k*", "[a-z]*");
    private static final int PAGE = 1_000; // more than exist
    private static final long HOUR = 3_600_000;

    static final List<String> LISTENERS = List.of("alice", "bob", "carol");

    /** All clients, the last of which does not listen. */
    static final List<String> CLIENTS = List.of("alice", "bob", "carol", "ghost");

    private static final int REQUESTS = 4;
    private static final int OLD_TOKENS = 32;
    private static final long DAY = 24 * HOUR;
    private static final long YEAR = 365 * DAY;

    private static final long[] SHORT_LEASES = {1, 2, 5, 10, 30, 100};
    private static final long[] LONG_LEASES = {2_999, 3_000, 3_001, 5_000, HOUR, DAY, DAY + 1, 2 * DAY, YEAR};
    private static final long[] BLOCK_EDGES = {-1, 0, 1, 998, 999, 1_000};
    private static final long[] FENCE_EDGES = {-999, -1, 0, 1, 1};
    private static final long[] DELAYS = {0, 0, 0, 0, 1, 5};

    private final SplittableRandom random;
    private final List<String> locks;
    private final Map<String, Inspected> seen = new HashMap<>();
    private final Map<String, String> owners = new HashMap<>();
    private final Map<String, List<Long>> tokens = new HashMap<>();
    private final int longLeases;
    private long millis;

    DifferentialCommands(long seed) {
        random = new SplittableRandom(seed);
        longLeases = random.nextInt(2, 6); // one in this many
        locks = LOCKS.subList(0, random.nextInt(1, LOCKS.size() + 1)); // fewer locks have longer queues
    }

    /** Returns true one time in {@code n}. */
    boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    String lock() {
        return locks.get(random.nextInt(locks.size()));
    }

    List<String> locks() {
        return locks;
    }

    /** Returns a number below the bound. */
    int below(int bound) {
        return random.nextInt(bound);
    }

    /**
     * Returns the time of the next command if the test sets the clock: now, soon, at an edge (a millisecond before it,
     * at it, or after it), much later, or earlier.
     *
     * @param micros the clock
     * @param expiry the expiry times of keys
     */
    long moment(long micros, DifferentialExpiry expiry) {
        int dice = random.nextInt(100);
        if (dice < 45) {
            return micros;
        } else if (dice < 60) {
            return micros + random.nextInt(1, 3_000);
        } else if (dice < 90) {
            String lock = lock();
            long edge = edge(lock, expiry) + random.nextInt(-1, 2);
            return edge < micros / 1_000 - 2 * HOUR ? micros : edge * 1_000 + (oneIn(2) ? 0 : random.nextInt(1_000));
        } else if (dice < 92) {
            return micros - random.nextLong(2 * HOUR * 1_000);
        } else if (dice < 94) {
            return micros - random.nextLong(3_000);
        }
        return micros + 1_000 * random.nextLong(new long[] {301, 3_001, 30_000, HOUR, DAY, 3 * DAY}[random.nextInt(6)]);
    }

    /** Returns a moment on which the outcome depends: the end of a lease, or an expiry that is due to be set again. */
    private long edge(String lock, DifferentialExpiry expiry) {
        Inspected snapshot = seen.get(lock);
        int dice = random.nextInt(10);
        if (snapshot != null && snapshot.untilMillis() > 0 && dice < 7) {
            return snapshot.untilMillis();
        } else if (expiry.isKnown(lock)) {
            Duration life = DifferentialExpiry.LIVES.get(below(DifferentialExpiry.LIVES.size()));
            return expiry.expiresAt(lock) - (dice == 0 ? 0 : life.toMillis() / 8 * 7);
        }
        return millis;
    }

    /** Sets the clock for the next command. */
    void at(long now) {
        millis = now;
    }

    /** Records the present state of a lock. */
    void saw(String lock, Inspected snapshot) {
        seen.put(lock, snapshot);
        millis = snapshot.server().millis();
        if (snapshot.owner() != null) {
            owners.put(lock, snapshot.owner());
            token(snapshot.owner(), snapshot.token());
        }
    }

    void saw(Grant grant) {
        token(grant.request(), grant.token());
    }

    void saw(String request, @Nullable Acquired answer) {
        if (answer != null && answer.token() > 0) {
            token(request, answer.token());
        }
    }

    private int nonces;

    /** Returns a new nonce each time, without a random number, which would change all later commands. */
    private String nonce() {
        return "nonce " + ++nonces;
    }

    Command<?> next() {
        int dice = random.nextInt(118);
        if (dice >= 113) {
            return forceRelease(lock());
        } else if (dice == 112) {
            return broken();
        } else if (dice >= 106) {
            return look();
        } else if (dice >= 103) {
            return new Announce(clientRecord(), oneIn(3) ? 0 : oneIn(2) ? HOUR : 20 * HOUR, nonce());
        } else if (dice >= 100) {
            return forceRelease(lock());
        } else if (dice < 48) {
            String lock = lock();
            return acquire(lock, asker(lock), random.nextInt(3) > 0, notAfter());
        } else if (dice < 66) {
            return release(lock());
        } else if (dice < 74) {
            String lock = lock();
            String request = someone(lock);
            return new Command.Withdraw(
                    lock, request, oneIn(2) ? 0 : oneIn(2) ? raised(lock) : last(first(lock, request)));
        } else if (dice < 80) {
            return new Command.Withdraw(lock(), null, 0);
        } else if (dice < 93) {
            return renew();
        }
        String lock = lock();
        String request = someone(lock);
        return new Command.Restore(lock, request, first(lock, request), lease(), delay(), notAfter());
    }

    private Command.Acquire acquire(String lock, String request, boolean queue, long notAfter) {
        return new Command.Acquire(lock, request, queue, lease(), delay(), notAfter);
    }

    private Command.Release release(String lock) {
        String request = someone(lock);
        long first = first(lock, request);
        Command.Acquire next = null;
        String successor = asker(lock);
        if (oneIn(2) && !successor.equals(request)) { // no request follows itself
            next = acquire(lock, successor, true, oneIn(4) ? millis - 1 : notAfter());
        }
        return new Command.Release(lock, request, first, oneIn(8) ? raised(lock) : last(first), keep(), next);
    }

    private long keep() {
        return oneIn(5) ? oneIn(8) ? 2 * DAY : random.nextInt(1, 12) : 0;
    }

    /** Returns a command for the lock whose key is no hash. */
    private Command<?> broken() {
        String lock = DifferentialBed.BROKEN;
        return switch (random.nextInt(5)) {
            case 0 -> acquire(lock, anyone(), oneIn(2), notAfter());
            case 1 -> release(lock);
            case 2 -> new Command.Withdraw(lock, anyone(), 0);
            case 3 -> new ForceRelease(lock, 0);
            default -> new Command.Restore(lock, anyone(), millis * 1_000, lease(), delay(), notAfter());
        };
    }

    /** Returns a release by the owner, or a nudge if there is none. */
    Command<?> releaseOf(String lock) {
        Inspected snapshot = seen.get(lock);
        String owner = snapshot.owner();
        return owner == null
                ? new Command.Withdraw(lock, null, 0)
                : new Command.Release(lock, owner, snapshot.token(), snapshot.token(), 0, null);
    }

    /** A renewal by a request that owns the lock, owned it, or waits for it. */
    Command<?> renewalOf(String lock, String request) {
        return new Command.Renew(
                List.of(new Command.Renew.Item(lock, request, first(lock, request), 60_000, 0)), Long.MAX_VALUE);
    }

    /** Returns a restore with a token that the server has never seen. */
    Command<?> newerRestore(String lock) {
        return new Command.Restore(lock, "carol:0", seen.get(lock).fence() + 1, 3_000, 0, Long.MAX_VALUE);
    }

    private ForceRelease forceRelease(String lock) {
        if (oneIn(3)) {
            return new ForceRelease(lock, 0);
        }
        long first = first(lock, someone(lock));
        long token = oneIn(3) ? first + BLOCK_EDGES[random.nextInt(BLOCK_EDGES.length)] : last(first);
        return new ForceRelease(lock, Math.max(1, token)); // 0 or less would mean any token
    }

    private ClientRecord clientRecord() {
        return new ClientRecord(
                CLIENTS.get(random.nextInt(CLIENTS.size())),
                oneIn(2) ? "shop" : "desk",
                oneIn(2) ? "höst" : "h",
                random.nextInt(9),
                millis,
                random.nextInt(1, 3),
                blocked(),
                busiest());
    }

    private List<LockUsage> busiest() {
        List<LockUsage> locks = new ArrayList<>();
        while (oneIn(2) && locks.size() < 3) {
            LockKind kind = oneIn(2) ? LockKind.LOCK : LockKind.SEMAPHORE;
            String lock = oneIn(3) ? "two lines\n ü" : lock();
            locks.add(new LockUsage(kind, lock, random.nextInt(9), random.nextInt(9), millis, random.nextInt(9)));
        }
        return locks;
    }

    private List<BlockedThread> blocked() {
        List<BlockedThread> threads = new ArrayList<>();
        while (oneIn(2) && threads.size() < 3) {
            List<Long> holds =
                    random.longs(random.nextInt(1, 4), 1, 1_000).boxed().toList();
            LockKind kind = oneIn(2) ? LockKind.LOCK : LockKind.READ_WRITE;
            threads.add(new BlockedThread(holds, kind, oneIn(3) ? "two lines\n ü" : lock(), oneIn(2)));
        }
        return threads;
    }

    Command<?> lookAtAll() {
        return new Query.ScanLocks("*", "", PAGE);
    }

    private Command<?> look() {
        return switch (random.nextInt(3)) {
            case 0 -> new Query.Identify(CLIENTS);
            case 1 -> new Query.ScanClients("", PAGE);
            default -> new Query.ScanLocks(PATTERNS.get(random.nextInt(PATTERNS.size())), "", PAGE);
        };
    }

    private Command.Renew renew() {
        List<Command.Renew.Item> items = new ArrayList<>();
        boolean differ = oneIn(2);
        long lease = lease();
        long delay = delay();
        for (String lock : locks) {
            if (items.isEmpty() || oneIn(2)) {
                String request = someone(lock);
                items.add(new Command.Renew.Item(
                        lock, request, first(lock, request), differ ? lease() : lease, differ ? delay() : delay));
            }
        }
        if (oneIn(4)) {
            Command.Renew.Item broken =
                    new Command.Renew.Item(DifferentialBed.BROKEN, anyone(), millis * 1_000, lease, delay);
            items.add(random.nextInt(items.size() + 1), broken);
        }
        return new Command.Renew(items, notAfter());
    }

    /** Returns mostly the present or last owner, otherwise as {@link #asker}. */
    private String someone(String lock) {
        String owner = owners.get(lock);
        return owner != null && random.nextInt(3) > 0 ? owner : asker(lock);
    }

    /** Returns a waiting request if there is one, or any request; sometimes the owner. */
    private String asker(String lock) {
        Inspected snapshot = seen.get(lock);
        if (snapshot != null && snapshot.owner() != null && oneIn(10)) {
            return snapshot.owner();
        } else if (snapshot != null && !snapshot.queue().isEmpty() && oneIn(3)) {
            return snapshot.queue().get(random.nextInt(snapshot.queue().size())).request();
        }
        return anyone();
    }

    private String anyone() {
        String client = CLIENTS.get(random.nextInt(CLIENTS.size()));
        int number = random.nextInt(1, REQUESTS + 1);
        return RequestId.of(client, number > REQUESTS / 2 ? -number : number); // the client may retain half of them
    }

    /** Returns mostly the owner's token, otherwise an older one of the request, otherwise any token. */
    private long first(String lock, String request) {
        Inspected snapshot = seen.get(lock);
        if (snapshot != null && request.equals(snapshot.owner())) {
            boolean raised = snapshot.fence() >= snapshot.token() + LockBackend.TOKENS_PER_HOLD;
            if (raised && oneIn(4)) {
                return snapshot.fence() - LockBackend.TOKENS_PER_HOLD + 1; // as if the block were the last one
            }
        }
        if (snapshot != null && request.equals(snapshot.owner()) && random.nextInt(6) > 0) {
            return snapshot.token();
        }
        if (snapshot != null && snapshot.fence() > 1_000 && oneIn(3)) {
            return snapshot.fence() + FENCE_EDGES[random.nextInt(FENCE_EDGES.length)];
        }
        List<Long> known = tokens.getOrDefault(request, List.of());
        if (known.isEmpty() || oneIn(8)) {
            return millis * 1_000 + random.nextInt(-5_000, 5_000);
        }
        return known.get(random.nextInt(2) > 0 ? known.size() - 1 : random.nextInt(known.size()));
    }

    /** Returns a token above the fence. */
    private long raised(String lock) {
        Inspected snapshot = seen.get(lock);
        return random.nextInt(1, 2 * LockBackend.TOKENS_PER_HOLD) + (snapshot == null ? 0 : snapshot.fence());
    }

    private long last(long first) {
        if (oneIn(4)) {
            return first; // as without a handover
        }
        return first + random.nextInt(oneIn(8) ? 3 * LockBackend.TOKENS_PER_HOLD : LockBackend.TOKENS_PER_HOLD);
    }

    private long lease() {
        long[] leases = oneIn(longLeases) ? LONG_LEASES : SHORT_LEASES;
        return leases[random.nextInt(leases.length)];
    }

    private long delay() {
        return DELAYS[random.nextInt(DELAYS.length)];
    }

    private long notAfter() {
        return oneIn(8) ? millis + random.nextInt(-2, 3) : Long.MAX_VALUE;
    }

    private void token(String request, long token) {
        List<Long> known = tokens.computeIfAbsent(request, one -> new ArrayList<>());
        if (known.isEmpty() || known.get(known.size() - 1) != token) {
            known.add(token);
        }
        if (known.size() > OLD_TOKENS) {
            known.remove(0);
        }
    }
}
