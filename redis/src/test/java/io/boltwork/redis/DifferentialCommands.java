package io.boltwork.redis;

import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Inspected;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Random commands that hang together: most of them come from somebody who owns or waits, with the right token, and some
 * from somebody who is late, wrong or gone.
 */
final class DifferentialCommands {
    private static final List<String> LOCKS = List.of("stock:1001", "a{b}%7Bc", "lock ü");

    /** The last one listens to nothing. */
    static final List<String> CLIENTS = List.of("alice", "bob", "carol", "ghost");

    private static final int REQUESTS = 4;
    private static final int OLD_TOKENS = 32;
    private static final long[] LEASES = {2, 5, 10, 30, 100, 5_000, 3_600_000};
    private static final long[] DELAYS = {0, 0, 0, 0, 1, 5};

    private final SplittableRandom random;
    private final List<String> locks;
    private final Map<String, Inspected> seen = new HashMap<>();
    private final Map<String, List<Long>> tokens = new HashMap<>();
    private long millis;

    DifferentialCommands(long seed) {
        random = new SplittableRandom(seed);
        locks = LOCKS.subList(0, random.nextInt(1, LOCKS.size() + 1)); // the fewer, the longer the queues
    }

    /** One in {@code n} times. */
    boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    String lock() {
        return locks.get(random.nextInt(locks.size()));
    }

    /** Takes note of how a lock looks now. */
    void saw(String lock, Inspected snapshot) {
        seen.put(lock, snapshot);
        millis = snapshot.server().millis();
        if (snapshot.owner() != null) {
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

    Command next() {
        int dice = random.nextInt(100);
        if (dice < 48) {
            String lock = lock();
            return acquire(lock, asker(lock), random.nextInt(3) > 0, notAfter());
        } else if (dice < 66) {
            return release(lock());
        } else if (dice < 74) {
            String lock = lock();
            String request = someone(lock);
            return new Command.Withdraw(lock, request, oneIn(2) ? 0 : last(first(lock, request)));
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
        return new Command.Release(lock, request, first, last(first), oneIn(6) ? random.nextInt(1, 12) : 0, next);
    }

    private Command.Renew renew() {
        List<Command.Renew.Item> items = new ArrayList<>();
        for (String lock : locks) {
            if (items.isEmpty() || oneIn(2)) {
                String request = someone(lock);
                items.add(new Command.Renew.Item(lock, request, first(lock, request), lease(), delay()));
            }
        }
        return new Command.Renew(items, notAfter());
    }

    /** Mostly the owner, else as {@link #asker}. */
    private String someone(String lock) {
        Inspected snapshot = seen.get(lock);
        return snapshot != null && snapshot.owner() != null && random.nextInt(4) > 0 ? snapshot.owner() : asker(lock);
    }

    /** One who waits, if there is one, or anybody. */
    private String asker(String lock) {
        Inspected snapshot = seen.get(lock);
        if (snapshot != null && !snapshot.queue().isEmpty() && oneIn(3)) {
            return snapshot.queue().get(random.nextInt(snapshot.queue().size()));
        }
        return anyone();
    }

    private String anyone() {
        return CLIENTS.get(random.nextInt(CLIENTS.size())) + ":" + random.nextInt(1, REQUESTS + 1);
    }

    /** Mostly the owner's token, else an older one of the request, else any. */
    private long first(String lock, String request) {
        Inspected snapshot = seen.get(lock);
        if (snapshot != null && request.equals(snapshot.owner()) && random.nextInt(8) > 0) {
            return snapshot.token();
        }
        List<Long> known = tokens.getOrDefault(request, List.of());
        if (known.isEmpty() || oneIn(8)) {
            return millis * 1_000 + random.nextInt(-5_000, 5_000);
        }
        return known.get(random.nextInt(2) > 0 ? known.size() - 1 : random.nextInt(known.size()));
    }

    private long last(long first) {
        return first + random.nextInt(oneIn(8) ? 3 * LockBackend.TOKENS_PER_HOLD : LockBackend.TOKENS_PER_HOLD);
    }

    private long lease() {
        return LEASES[random.nextInt(LEASES.length)];
    }

    private long delay() {
        return DELAYS[random.nextInt(DELAYS.length)];
    }

    private long notAfter() {
        return oneIn(10) ? millis + random.nextInt(-3, 3) : Long.MAX_VALUE;
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
