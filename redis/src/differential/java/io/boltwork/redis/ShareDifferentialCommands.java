// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Resize;
import io.boltwork.spi.Share;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/** Random commands about a shared lock, of clients that remember what they were granted. */
final class ShareDifferentialCommands {

    /** Clients that listen. */
    static final List<String> LISTENERS = List.of("alice", "bob", "-carol");

    private static final List<String> CLIENTS = List.of("alice", "bob", "-carol", "ghost");

    /** Makes the first numbers of neighbouring seeds independent. */
    private static final long SCATTER = 0x9E3779B97F4A7C15L;

    /** A client's view of a request that was granted. */
    record Held(String lock, String request, long token, long blockEnd, int permits) {}

    final LockKind kind;
    final String lock;

    /** Another lock of the kind, which a renewal may have items of, too. */
    final String other;

    final int capacity;
    private final Random random;
    private final Map<String, Held> held = new LinkedHashMap<>();
    private final List<Held> past = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();
    private long set;

    ShareDifferentialCommands(long seed) {
        random = new Random(seed * SCATTER);
        kind = random.nextInt(3) == 0 ? LockKind.READ_WRITE : LockKind.SEMAPHORE;
        lock = "lock " + Long.toHexString(seed);
        other = "other " + lock;
        capacity = kind == LockKind.READ_WRITE ? Integer.MAX_VALUE : 1 + random.nextInt(4);
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    <T> T oneOf(List<T> some) {
        return some.get(random.nextInt(some.size()));
    }

    void shuffle(List<?> some) {
        Collections.shuffle(some, random);
    }

    // ================================================================ what clients learn

    void granted(String where, String request, long token, long blockEnd, int permits) {
        Held one = new Held(where, request, token, blockEnd, permits);
        held.put(request, one);
        past.add(one);
    }

    void resized(long when) {
        set = when;
    }

    // ================================================================ commands

    /** Returns any command about one of the locks, or a renewal of both. */
    Command<?> next(long now, Function<String, Inspected> states) {
        long lease = oneOf(List.of(200L, 3_000L, 5_000L, 60_000L));
        long takeover = oneIn(5) ? 700 : 0;
        long notAfter = oneIn(15) ? now - 1 + below(2) : Long.MAX_VALUE;
        String at = oneIn(4) ? other : lock;
        Held mine = oneIn(6) ? anyOf(past, at) : anyOf(held.values(), at);
        switch (below(24)) {
            case 0, 1, 2, 3, 4, 5, 6 -> {
                return new Command.Acquire(at, request(), !oneIn(4), lease, takeover, notAfter, share(weight()));
            }
            case 7, 8 -> {
                String again = again(states.apply(at), at);
                return new Command.Acquire(at, again, !oneIn(4), lease, takeover, notAfter, share(weight()));
            }
            case 9, 10, 11, 12 -> {
                return release(mine, now, lease, takeover, notAfter);
            }
            case 13, 14 -> {
                return withdrawal(again(states.apply(at), at), at, now);
            }
            case 15 -> {
                return nudge(at);
            }
            case 16, 17, 18, 19 -> {
                return renewal(mine, lease, takeover, notAfter);
            }
            case 20, 21 -> {
                return mine == null
                        ? nudge()
                        : new Command.Restore(
                                at, mine.request, token(mine), lease, takeover, notAfter, heldShare(mine, 0));
            }
            case 22 -> {
                long token = mine == null || oneIn(2) ? 0 : Math.min(mine.blockEnd, mine.token + below(3));
                return oneIn(4) ? new ForceRelease(at, token, kind) : nudge();
            }
            default -> {
                return kind == LockKind.READ_WRITE || !oneIn(3)
                        ? new Query.Inspect(at, kind)
                        : new Resize(at, kind, 1 + below(5));
            }
        }
    }

    /** Returns a command of clients that want the lock for long, and mostly forget it once they have it. */
    Command<?> nextOfFew(long now, Inspected state) {
        long lease = oneIn(5) ? 250 : 60_000;
        long takeover = oneIn(4) ? 5 : 0;
        Held mine = anyOf(held.values(), lock);
        switch (below(12)) {
            case 0, 1 -> {
                return release(mine, now, lease, takeover, Long.MAX_VALUE);
            }
            case 2 -> {
                return nudge();
            }
            case 3, 4 -> {
                String again = again(state, lock);
                return new Command.Acquire(lock, again, true, lease, takeover, Long.MAX_VALUE, share(weight()));
            }
            case 5 -> {
                return oneIn(2)
                        ? withdrawal(again(state, lock), lock, now)
                        : renewal(mine, lease, takeover, Long.MAX_VALUE);
            }
            case 6 -> {
                Held lost = anyOf(past, lock);
                return lost == null || !oneIn(3)
                        ? nudge()
                        : new Command.Restore(
                                lock, lost.request, token(lost), lease, 0, Long.MAX_VALUE, heldShare(lost, 0));
            }
            default -> {
                return new Command.Acquire(
                        lock, request(), !oneIn(4), lease, takeover, Long.MAX_VALUE, share(weight()));
            }
        }
    }

    Command.Acquire wish(String request, int permits) {
        return wish(request, permits, 60_000);
    }

    Command.Acquire wish(String request, int permits, long lease) {
        return wish(lock, request, permits, lease);
    }

    Command.Acquire wish(String at, String request, int permits, long lease) {
        return new Command.Acquire(at, request, true, lease, 0, Long.MAX_VALUE, new Share(kind, permits, capacity, 0));
    }

    /** Returns the wish of a client that knows of another capacity. */
    Command.Acquire wish(String request, int permits, int of, long when) {
        return new Command.Acquire(lock, request, !oneIn(4), 60_000, 0, Long.MAX_VALUE, known(permits, of, when));
    }

    /** Returns the renewal of a client that knows of another capacity, or a nudge if the request is not granted. */
    Command<?> renewal(String request, int of, long when) {
        Held mine = held.get(request);
        if (mine == null) {
            return nudge();
        }
        Share share = known(mine.permits, of, when);
        return new Command.Renew(
                List.of(new Command.Renew.Item(lock, request, mine.token, 60_000, 0, share)), Long.MAX_VALUE);
    }

    /** Returns the restore of a client that knows of another capacity, or a nudge if the request was not granted. */
    Command<?> restore(String request, int of, long when) {
        Held mine = held.get(request);
        if (mine == null) {
            return nudge();
        }
        HeldShare what = new HeldShare(known(oneIn(2) ? 1 : mine.permits, of, when), mine.blockEnd, 0);
        return new Command.Restore(lock, request, mine.token, 60_000, 0, Long.MAX_VALUE, what);
    }

    private Share known(int permits, int of, long when) {
        return new Share(kind, permits, kind == LockKind.READ_WRITE ? capacity : of, when);
    }

    Command.Withdraw nudge() {
        return nudge(lock);
    }

    private Command.Withdraw nudge(String at) {
        return new Command.Withdraw(at, null, 0, new HeldShare(share(1), 0, 0));
    }

    Command.Withdraw withdrawal(String request) {
        return new Command.Withdraw(lock, request, 0, new HeldShare(share(1), 0, 0));
    }

    private Command.Withdraw withdrawal(String request, String at, long now) {
        Held its = held.remove(request);
        HeldShare what = its == null ? new HeldShare(share(1), 0, restored(now)) : heldShare(its, restored(now));
        return new Command.Withdraw(at, request, its == null ? 0 : its.token, what);
    }

    /** Returns the release of any hold. */
    Command<?> release() {
        return release(anyOf(held.values(), lock), 0, 60_000, 0, Long.MAX_VALUE);
    }

    /** Returns the usual release of a request, which holds the lock. */
    Command.Release release(String request) {
        return release(held.remove(request), null);
    }

    /** Returns the release of a request, which holds the lock, with a next request. */
    Command.Release release(String request, String next, long notAfter) {
        return release(
                held.remove(request), new Command.Acquire(lock, next, true, 60_000, 0, notAfter, share(weight())));
    }

    private Command.Release release(Held mine, Command.Acquire next) {
        HeldShare what = new HeldShare(share(mine.permits), mine.blockEnd, 0);
        return new Command.Release(mine.lock, mine.request, mine.token, mine.token, 0, next, what);
    }

    /** Returns the release of a request, which holds the lock, that keeps its weight taken for a while. */
    Command.Release keep(String request, long millis) {
        Held mine = held.remove(request);
        HeldShare what = new HeldShare(share(mine.permits), mine.blockEnd, 0);
        return new Command.Release(mine.lock, request, mine.token, mine.token, millis, null, what);
    }

    /** Returns the forced release of a request's hold, by any token of its block, or of all holds. */
    ForceRelease force(String request) {
        Held mine = request == null ? null : held.get(request);
        long[] tokens = mine == null ? new long[] {0} : new long[] {mine.token, mine.token + 1, mine.blockEnd};
        return new ForceRelease(lock, tokens[below(tokens.length)], kind);
    }

    /** Returns a wish that arrives too late. */
    Command.Acquire late(String request, long notAfter) {
        return new Command.Acquire(lock, request, true, 60_000, 0, notAfter, share(1));
    }

    /** Returns the withdrawal of an unknown request, which leaves a tombstone. */
    Command.Withdraw burial(long restored) {
        return new Command.Withdraw(lock, request(), 0, new HeldShare(share(1), 0, restored));
    }

    /** Returns a renewal of the holds of both locks; {@code shrinks} makes most of them as small as possible. */
    Command<?> renewal(boolean shrinks) {
        List<Command.Renew.Item> items = new ArrayList<>();
        for (Held one : held.values()) {
            Share smaller = share(shrinks && !oneIn(3) ? 1 : one.permits);
            items.add(new Command.Renew.Item(one.lock, one.request, one.token, 60_000, 0, smaller));
        }
        shuffle(items);
        return items.isEmpty()
                ? nudge()
                : new Command.Renew(items.subList(0, Math.min(20, items.size())), Long.MAX_VALUE);
    }

    private Command<?> release(Held mine, long now, long lease, long takeover, long notAfter) {
        if (mine == null) {
            return nudge();
        }
        held.remove(mine.request);
        Command.Acquire following = null;
        if (oneIn(3)) {
            String request = oneIn(12) ? mine.request : oneIn(3) ? recent() : request();
            following = new Command.Acquire(mine.lock, request, true, lease, takeover, notAfter, share(weight()));
        }
        long last = Math.min(mine.blockEnd, mine.token + below(3));
        long keep = oneIn(6) ? 400 : 0;
        return new Command.Release(
                mine.lock, mine.request, token(mine), last, keep, following, heldShare(mine, restored(now)));
    }

    private Command<?> renewal(Held mine, long lease, long takeover, long notAfter) {
        List<Command.Renew.Item> items = new ArrayList<>();
        for (Held one : held.values()) {
            if (oneIn(2) && items.size() < 20) {
                items.add(item(one, lease, takeover));
            }
        }
        if (mine != null && items.stream().noneMatch(item -> item.request().equals(mine.request))) {
            items.add(item(mine, lease, takeover));
        }
        if (items.isEmpty()) {
            return nudge();
        }
        if (oneIn(30)) {
            items.add(
                    below(items.size() + 1),
                    new Command.Renew.Item(ShareDifferentialRun.BROKEN, "alice:1", 5, 1_000, 0, share(1)));
        }
        return new Command.Renew(items, notAfter);
    }

    private Command.Renew.Item item(Held one, long lease, long takeover) {
        boolean verifies = oneIn(4);
        int permits = oneIn(8) ? 1 : one.permits;
        return new Command.Renew.Item(
                one.lock, one.request, token(one), verifies ? 0 : lease, verifies ? 0 : takeover, share(permits));
    }

    // ================================================================ parts of commands

    String request() {
        return requestOf(CLIENTS.get(below(oneIn(3) ? 4 : 3)));
    }

    String requestOf(String client) {
        String request = client + ":" + (asked.size() + 1);
        asked.add(request);
        return request;
    }

    /** Returns one of the last requests, which may hold a lock or wait for it. */
    private String recent() {
        return asked.get(Math.max(0, asked.size() - 1 - below(10)));
    }

    /** Returns the first token of a hold, or a wrong one. */
    private long token(Held mine) {
        return oneIn(10) ? Math.min(mine.blockEnd, mine.token + below(3) - 1) : mine.token;
    }

    private long restored(long now) {
        return below(5) > 0 ? 0 : now - 1 + below(3) * below(600);
    }

    private HeldShare heldShare(Held mine, long restored) {
        return new HeldShare(share(mine.permits), mine.blockEnd, restored);
    }

    private Share share(int permits) {
        int of = kind == LockKind.READ_WRITE || !oneIn(10) ? capacity : 1 + below(6);
        return new Share(kind, permits, of, oneIn(20) ? set : 0);
    }

    private int weight() {
        if (kind == LockKind.READ_WRITE) {
            return oneIn(3) ? capacity : 1;
        }
        return oneIn(12) ? capacity + below(2) : 1 + below(capacity);
    }

    /** Returns a request that waits or holds, or one that did. */
    private String again(Inspected state, String at) {
        List<String> known = new ArrayList<>();
        state.queue().forEach(waiting -> known.add(waiting.request()));
        state.holders().forEach(holder -> known.add(holder.request()));
        known.sort(null);
        Held one = anyOf(past, at);
        if (known.isEmpty() || oneIn(6)) {
            return one == null ? request() : one.request;
        }
        return oneOf(known);
    }

    private Held anyOf(Collection<Held> some, String at) {
        List<Held> there = some.stream().filter(one -> one.lock.equals(at)).toList();
        return there.isEmpty() ? null : oneOf(there);
    }
}
