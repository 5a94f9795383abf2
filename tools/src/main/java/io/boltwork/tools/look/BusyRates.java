// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import io.boltwork.BusyLock;
import io.boltwork.ClientInfo;
import io.boltwork.LockKind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Computes how busy locks are, from the numbers in the records of all clients: the difference between a look and
 * the one of ten seconds before. Clients write their records about every two seconds, so a shorter time would show
 * the rhythm of the writing. Not thread-safe.
 */
public final class BusyRates {
    private static final long WINDOW = TimeUnit.SECONDS.toNanos(10);

    private final Deque<Look> looks = new ArrayDeque<>();

    private record Look(long atNanos, Map<Source, BusyLock> locks) {}

    private record Source(String client, LockKind kind, String name) {}

    private record Name(LockKind kind, String name) {}

    /**
     * The use of a lock, over all clients that report it.
     *
     * @param kind its kind
     * @param name its name
     * @param clients how many clients report it
     * @param waiting how many callers wait now
     * @param turnsPerSecond how many turns ended in a second
     * @param meanWait how long a caller waited for a turn; zero if there was none
     * @param meanHold how long a turn was; zero if there was none
     * @param share the part of the time in which an owner held the lock; more than 1 if owners share it
     */
    public record Rate(
            LockKind kind,
            String name,
            int clients,
            int waiting,
            double turnsPerSecond,
            Duration meanWait,
            Duration meanHold,
            double share) {}

    /** Adds a look at the clients, and returns the rates of their locks, the busiest first. */
    public List<Rate> look(List<ClientInfo> clients, long nanos) {
        Map<Source, BusyLock> locks = new HashMap<>();
        for (ClientInfo client : clients) {
            client.busiest().forEach(lock -> locks.put(new Source(client.id(), lock.kind(), lock.name()), lock));
        }
        looks.addLast(new Look(nanos, locks));
        while (looks.size() > 2 && nanos - secondLook().atNanos >= WINDOW) {
            looks.removeFirst();
        }
        return rates(looks.getFirst(), looks.getLast());
    }

    private Look secondLook() {
        var all = looks.iterator();
        all.next();
        return all.next();
    }

    private static List<Rate> rates(Look from, Look to) {
        Map<Name, Sum> sums = new HashMap<>();
        to.locks.forEach((source, now) -> sums.computeIfAbsent(new Name(source.kind, source.name), name -> new Sum())
                .add(source.client, from.locks.get(source), now));
        double seconds = (to.atNanos - from.atNanos) / 1e9;
        List<Rate> rates = new ArrayList<>();
        sums.forEach((name, sum) -> rates.add(sum.rate(name, seconds)));
        rates.sort(Comparator.comparingDouble(Rate::turnsPerSecond)
                .thenComparingInt(Rate::waiting)
                .reversed()
                .thenComparing(Rate::name));
        return rates;
    }

    /** The turns, waits and holds of all clients between two looks. */
    private static final class Sum {
        final Set<String> clients = new HashSet<>();
        int waiting;
        long turns;
        Duration waited = Duration.ZERO;
        Duration held = Duration.ZERO;

        void add(String client, @Nullable BusyLock before, BusyLock now) {
            clients.add(client);
            waiting += now.waiting();
            if (before == null) {
                return; // its numbers may be older than the time between the looks
            }
            boolean isContinued = now.turns() >= before.turns();
            turns += now.turns() - (isContinued ? before.turns() : 0);
            waited = waited.plus(isContinued ? now.waited().minus(before.waited()) : now.waited());
            held = held.plus(isContinued ? now.held().minus(before.held()) : now.held());
        }

        Rate rate(Name name, double seconds) {
            boolean isKnown = seconds > 0;
            return new Rate(
                    name.kind,
                    name.name,
                    clients.size(),
                    waiting,
                    isKnown ? turns / seconds : 0,
                    turns == 0 ? Duration.ZERO : waited.dividedBy(turns),
                    turns == 0 ? Duration.ZERO : held.dividedBy(turns),
                    isKnown ? held.toNanos() / 1e9 / seconds : 0);
        }
    }
}
