package io.boltwork.memory;

import io.boltwork.spi.LockBackend;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A lock's queue: entries at ascending places from {@code head} to {@code tail - 1}. A request that leaves from the middle leaves
 * a hole, so that a position is an upper bound. An empty ring begins anew.
 *
 * <p>What a client that is gone has entered is not searched for. A mark at the tail says that all entries of the client below it
 * do not count, and they are taken out when the head comes to them.
 */
final class Ring {

    /** From so many places on a ring that begins with holes is made shorter. */
    private static final int LONG = 1_000;

    /** So many places of it are looked at for that. */
    private static final int WINDOW = 100;

    /** One in so many entries makes it shorter, by as many places at least. So an entry costs little on average. */
    private static final int EVERY = WINDOW / 2;

    /**
     * A request that waits.
     *
     * @param leaseMillis the lease it wants once it has confirmed its claim
     * @param takeoverMillis how much longer the lock stays closed when its lease ends without a release
     * @param sinceMillis when it entered
     * @param again whether it stands there for the second time, since its first claim was short and has lapsed
     */
    record Entry(String request, long leaseMillis, long takeoverMillis, long sinceMillis, boolean again) {}

    /** How many places one command may still look at, and the clients that it has found not to listen. */
    static final class Budget {
        private int left = LockBackend.PLACES_PER_STEP;
        private Set<String> deaf = Set.of();

        void notListening(String client) {
            if (deaf.isEmpty()) {
                deaf = new HashSet<>();
            }
            deaf.add(client);
        }
    }

    private final NavigableMap<Long, Entry> entries = new TreeMap<>();
    private final Map<String, Long> places = new HashMap<>();

    /** By client, the place below which its entries do not count; and the same the other way round. */
    private final Map<String, Long> gone = new HashMap<>();

    private final NavigableMap<Long, String> marks = new TreeMap<>();

    /** Clients that have an entry for the second time. */
    private final Set<String> late = new HashSet<>();

    /** The first place; 0 if nobody waits. */
    private long head;

    /** The place behind the last one. */
    private long tail;

    /** Until when claims are short, and when one of full length has lapsed last; server times. */
    private long shortUntil;

    private long lapsedAt;

    /** No mark is at a later place. */
    private long lastMark;

    boolean isEmpty() {
        return head == 0;
    }

    boolean contains(String request) {
        Long place = places.get(request);
        return place != null && !isGone(request, place);
    }

    private boolean isGone(String request, long place) {
        return place < gone.getOrDefault(clientOf(request), 0L);
    }

    /** The first entry, which the head is moved to; {@code null} if there is none, or if the budget is used up before. */
    @Nullable
    Entry first(Budget budget) {
        while (head < tail && budget.left > 0) {
            budget.left--;
            Entry entry = entries.get(head);
            if (entry != null && !isGone(entry.request(), head) && !budget.deaf.contains(clientOf(entry.request()))) {
                return entry;
            }
            if (entry != null) {
                takeOut(head, entry);
            }
            String client = marks.remove(head);
            if (client != null) {
                gone.remove(client);
            }
            head++;
        }
        return null;
    }

    /** Ends a look at the first entries: a ring without places is empty. */
    void looked(long now) {
        if (head >= tail) {
            head = 0;
            tail = 0;
        }
        if (now >= shortUntil && (isEmpty() || head > lastMark)) {
            shortUntil = 0;
            lapsedAt = 0;
            lastMark = 0;
        }
    }

    /** Takes out the entry at the head. */
    void pop(Entry entry) {
        takeOut(head++, entry);
    }

    private void takeOut(long place, Entry entry) {
        entries.remove(place);
        places.remove(entry.request());
        if (entry.again()) {
            late.remove(clientOf(entry.request()));
        }
    }

    /** Takes a request out, if it is there, even if it does not count. */
    void remove(String request, Budget budget, long now) {
        Long place = places.remove(request);
        if (place == null) {
            return;
        }
        entries.remove(place);
        late.remove(clientOf(request));
        if (place == head) {
            first(budget);
            looked(now);
        } else if (place == tail - 1) {
            tail = place;
        }
    }

    /** Enters a request at the tail unless it is there already; either way answers its position, from 1 on. */
    int enter(String request, long leaseMillis, long takeoverMillis, long now, Budget budget) {
        Long place = places.get(request);
        if (place == null || isGone(request, place)) {
            remove(request, budget, now); // what is left of an entry that does not count
            if (!isEmpty() && tail - head >= LONG && tail % EVERY == 0 && budget.left >= WINDOW) {
                squeeze(budget);
            }
            place = append(new Entry(request, leaseMillis, takeoverMillis, now, false));
        }
        return Math.toIntExact(place - head + 1);
    }

    /** Puts an entry at the tail; returns its place. */
    private long append(Entry entry) {
        if (isEmpty()) {
            head = 1;
            tail = 1;
        }
        long place = tail++;
        places.put(entry.request(), place);
        entries.put(place, entry);
        return place;
    }

    /** Moves the first entries together if most of the first places are holes. */
    private void squeeze(Budget budget) {
        budget.left -= WINDOW;
        long end = head + WINDOW;
        List<Long> taken = new ArrayList<>(entries.subMap(head, end).keySet());
        taken.addAll(marks.subMap(head, end).keySet());
        taken.sort(null);
        if (taken.isEmpty() || taken.size() > WINDOW / 2) {
            return;
        }
        long to = end;
        for (int i = taken.size() - 1; i >= 0; i--) {
            to--;
            Entry entry = entries.remove(taken.get(i));
            if (entry != null) {
                entries.put(to, entry);
                places.put(entry.request(), to);
            } else {
                String client = marks.remove(taken.get(i));
                marks.put(to, client);
                gone.put(client, to);
            }
        }
        if (lastMark > 0 || shortUntil > 0) {
            lastMark = Math.max(lastMark, end - 1);
        }
        head = to;
    }

    // ================================================================ claims that lapse

    /** Whether who gets the lock by message has a short time only to confirm it. */
    boolean areClaimsShort(long now) {
        return shortUntil > now && shortUntil - now <= LockBackend.SHORT_CLAIMS_LAST_MILLIS;
    }

    /** A claim of full length, or the second short one of a request, has lapsed: its client is gone, or it asks again. */
    void lapsed(String request, boolean wasShort, long now) {
        if (!wasShort) {
            lapsedAt = now;
            shortUntil = now + LockBackend.SHORT_CLAIMS_LAST_MILLIS;
        }
        drop(clientOf(request));
    }

    /** A short claim has lapsed, the first one of that entry. */
    void lapsed(Entry entry, long now) {
        if (entry.sinceMillis() <= lapsedAt) {
            shortUntil = now + LockBackend.SHORT_CLAIMS_LAST_MILLIS;
        }
        if (late.add(clientOf(entry.request()))) {
            append(new Entry(entry.request(), entry.leaseMillis(), entry.takeoverMillis(), entry.sinceMillis(), true));
        } else {
            drop(clientOf(entry.request()));
        }
    }

    /** What a client has entered does not count any more. */
    private void drop(String client) {
        if (isEmpty()) {
            return;
        }
        Long before = gone.put(client, tail);
        if (before != null) {
            marks.remove(before);
        }
        marks.put(tail, client);
        lastMark = tail++;
    }

    // ================================================================ looks

    /** Takes over the entries of another ring, which are values, and their places. */
    void enterAll(Ring other) {
        entries.putAll(other.entries);
        places.putAll(other.places);
        gone.putAll(other.gone);
        marks.putAll(other.marks);
        late.addAll(other.late);
        head = other.head;
        tail = other.tail;
        shortUntil = other.shortUntil;
        lapsedAt = other.lapsedAt;
        lastMark = other.lastMark;
    }

    /** Those that count, in their order. */
    List<Entry> entries() {
        List<Entry> counting = new ArrayList<>();
        entries.forEach((place, entry) -> {
            if (!isGone(entry.request(), place)) {
                counting.add(entry);
            }
        });
        return counting;
    }

    /** How many wait at most: holes are included as in a position, and what does not count. */
    int length() {
        return Math.toIntExact(tail - head);
    }

    static String clientOf(String request) {
        int colon = request.lastIndexOf(':');
        return colon < 0 ? request : request.substring(0, colon);
    }
}
