// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.spi.LockBackend;
import io.boltwork.spi.RequestId;
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
 * The queue of a lock: entries at ascending places from {@code head} to {@code tail - 1}. A request that leaves from
 * the middle leaves a hole, so a position is an upper bound. The places of an empty queue start again at 1.
 *
 * <p>The entries of a dead client are not searched for. Instead, a mark at the tail states that all entries of the
 * client below it no longer count; they are removed when the head reaches them.
 */
final class WaitQueue {

    /** A queue of at least this many places is shortened if it begins with holes. */
    private static final int LONG = 1_000;

    /** The number of places that are examined to shorten the queue. */
    private static final int WINDOW = 100;

    /**
     * At most one in this many new entries shortens the queue, by at least as many places, so an entry costs little on
     * average.
     */
    private static final int EVERY = WINDOW / 2;

    /**
     * A waiting request.
     *
     * @param leaseMillis the lease that it wants once it has confirmed its claim
     * @param takeoverMillis how much longer the lock stays closed if its lease ends without a release
     * @param sinceMillis the time at which it was queued
     * @param weight the part of a shared lock that it wants; 1 for a plain lock
     * @param again whether it is in the queue for the second time, after its first claim was short and has lapsed
     * @param signalled the condition of which it has taken a signal; {@code null} if it has taken none
     */
    record QueuedRequest(
            String request,
            long leaseMillis,
            long takeoverMillis,
            int weight,
            long sinceMillis,
            boolean again,
            @Nullable String signalled) {

        /** Adds the fields of this request to a line. */
        void write(RecordLines lines) {
            lines.more(RecordLines.field(request), leaseMillis, takeoverMillis, weight, sinceMillis)
                    .more(RecordLines.flag(again), RecordLines.field(signalled));
        }

        static QueuedRequest read(RecordLines.Line line) {
            return new QueuedRequest(
                    line.text(),
                    line.number(),
                    line.number(),
                    line.integer(),
                    line.number(),
                    line.flag(),
                    line.optional());
        }
    }

    /** The number of places that one command may still examine, and the clients that it has found not to listen. */
    static final class Budget {
        private int left = LockBackend.PLACES_PER_STEP;
        private Set<String> deaf = Set.of();
        private Set<String> silent = Set.of();

        boolean isLeft() {
            return left > 0;
        }

        /** Takes one place from the budget. Returns whether there was one. */
        boolean take() {
            if (left > 0) {
                left--;
                return true;
            }
            return false;
        }

        /** Returns whether a client is known to be gone: it does not listen, or a claim of it has lapsed. */
        boolean isGone(String client) {
            return deaf.contains(client) || silent.contains(client);
        }

        /** Counts a client as gone, with all its queued requests, because a claim of it has lapsed. */
        void claimLapsed(String client) {
            if (silent.isEmpty()) {
                silent = new HashSet<>();
            }
            silent.add(client);
        }

        void notListening(String client) {
            if (deaf.isEmpty()) {
                deaf = new HashSet<>();
            }
            deaf.add(client);
        }
    }

    private final NavigableMap<Long, QueuedRequest> entries = new TreeMap<>();
    private final Map<String, Long> places = new HashMap<>();

    /** The places below which a client's entries no longer count, by client. */
    private final Map<String, Long> gone = new HashMap<>();

    /** The inverse of {@link #gone}: by place, the client whose entries below that place no longer count. */
    private final NavigableMap<Long, String> marks = new TreeMap<>();

    /** The clients with an entry that is in the queue for the second time. */
    private final Set<String> late = new HashSet<>();

    /** The first place; 0 if no request waits. */
    private long head;

    /** The place after the last one. */
    private long tail;

    /** The server time until which claims are short. */
    private long shortUntil;

    /** The server time at which a claim of full length lapsed last. */
    private long lapsedAt;

    /** The place of the last mark, or a later one. */
    private long lastMark;

    /** The conditions of requests that have left the queue although they have taken signals. */
    private final List<String> unused = new ArrayList<>();

    boolean isEmpty() {
        return head == 0;
    }

    boolean contains(String request) {
        Long place = places.get(request);
        return place != null && !isGone(request, place);
    }

    /** Returns whether a request has the first place, provided that {@link #first} has just found the entry there. */
    boolean isFirst(String request) {
        Long place = places.get(request);
        return place != null && place == head;
    }

    private boolean isGone(String request, long place) {
        return place < gone.getOrDefault(RequestId.clientOf(request), 0L);
    }

    /**
     * Moves the head to the first entry that counts, and returns it; {@code null} if there is none, or if the budget is
     * used up first.
     */
    @Nullable
    QueuedRequest first(Budget budget) {
        while (head < tail && budget.left > 0) {
            budget.left--;
            QueuedRequest entry = entries.get(head);
            if (entry != null
                    && !isGone(entry.request(), head)
                    && !budget.deaf.contains(RequestId.clientOf(entry.request()))) {
                return entry;
            }
            if (entry != null) {
                takeOut(head, entry);
                signalUnused(entry);
            }
            String client = marks.remove(head);
            if (client != null) {
                gone.remove(client);
            }
            head++;
        }
        return null;
    }

    /**
     * Ends a search for the first entry: a queue without places becomes empty, and lapsed claims that no longer matter
     * are forgotten.
     */
    void looked(long now) {
        if (head >= tail) {
            head = 0;
            tail = 0;
        }
        if (head > lastMark) {
            forgetLapsed(now);
        } else {
            forgetPast(now);
        }
    }

    /** Forgets lapsed claims that no longer matter, if no request waits. */
    void forgetPast(long now) {
        if (isEmpty()) {
            forgetLapsed(now);
        }
    }

    private void forgetLapsed(long now) {
        if (now >= shortUntil) {
            shortUntil = 0;
            lapsedAt = 0;
            lastMark = 0;
        }
    }

    /** Removes the entry at the head. */
    void pop(QueuedRequest entry) {
        takeOut(head++, entry);
    }

    private void takeOut(long place, QueuedRequest entry) {
        entries.remove(place);
        places.remove(entry.request());
        if (entry.again()) {
            late.remove(RequestId.clientOf(entry.request()));
        }
    }

    /** Removes a request if it is in the queue, even if it no longer counts. */
    void remove(String request, Budget budget, long now) {
        Long place = places.remove(request);
        if (place == null) {
            return;
        }
        boolean wasGone = isGone(request, place);
        QueuedRequest entry = entries.remove(place);
        if (wasGone && entry != null) {
            signalUnused(entry);
        }
        late.remove(RequestId.clientOf(request));
        if (place == head) {
            first(budget);
            looked(now);
        } else if (place == tail - 1) {
            tail = place;
        }
    }

    /** Adds a request at the tail unless it is in the queue already. Returns its position, 1 or more. */
    int enter(String request, long leaseMillis, long takeoverMillis, long now, Budget budget) {
        return enter(request, leaseMillis, takeoverMillis, 1, now, budget);
    }

    /**
     * Adds a request for a part of a shared lock at the tail unless it is in the queue already. Returns its position.
     */
    int enter(String request, long leaseMillis, long takeoverMillis, int weight, long now, Budget budget) {
        Long place = places.get(request);
        if (place == null || isGone(request, place)) {
            remove(request, budget, now); // the remains of an entry that no longer counts
            if (!isEmpty() && tail - head >= LONG && tail % EVERY == 0 && budget.left >= WINDOW) {
                squeeze(budget);
            }
            place = append(new QueuedRequest(request, leaseMillis, takeoverMillis, weight, now, false, null));
        }
        return Math.toIntExact(place - head + 1);
    }

    /** Adds a request that has taken a signal of a condition, and is not in the queue, at the tail. */
    void enterSignalled(String request, long leaseMillis, long takeoverMillis, long now, String condition) {
        append(new QueuedRequest(request, leaseMillis, takeoverMillis, 1, now, false, condition));
    }

    /** Adds an entry at the tail, and returns its place. */
    private long append(QueuedRequest entry) {
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
            QueuedRequest entry = entries.remove(taken.get(i));
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

    /** Returns whether a client that gets the lock by message has only a short time to confirm it. */
    boolean areClaimsShort(long now) {
        return shortUntil > now && shortUntil - now <= LockBackend.SHORT_CLAIMS_LAST_MILLIS;
    }

    /**
     * Drops all entries of a client whose claim of full length, or second short claim, has lapsed. The client is dead
     * or will ask again.
     */
    void lapsed(String request, boolean wasShort, long now) {
        if (!wasShort) {
            lapsedAt = now;
            shortUntil = now + LockBackend.SHORT_CLAIMS_LAST_MILLIS;
        }
        drop(RequestId.clientOf(request));
    }

    /** Moves an entry to the end of the queue after its first short claim has lapsed. */
    void lapsed(QueuedRequest entry, long now, Budget budget) {
        if (entry.sinceMillis() <= lapsedAt) {
            shortUntil = now + LockBackend.SHORT_CLAIMS_LAST_MILLIS;
        }
        if (late.add(RequestId.clientOf(entry.request()))) {
            append(new QueuedRequest(
                    entry.request(),
                    entry.leaseMillis(),
                    entry.takeoverMillis(),
                    entry.weight(),
                    entry.sinceMillis(),
                    true,
                    entry.signalled()));
        } else {
            drop(RequestId.clientOf(entry.request()));
            budget.claimLapsed(RequestId.clientOf(entry.request()));
            signalUnused(entry);
        }
    }

    /** Invalidates all entries of a client. */
    void drop(String client) {
        if (isEmpty()) {
            return;
        }
        // A client has an earlier mark only if the lock is shared, so that several of its claims may lapse. For a plain
        // lock, the head passed the mark before the client got the claim that lapses now.
        Long earlier = gone.put(client, tail);
        if (earlier != null) {
            marks.remove(earlier);
        }
        marks.put(tail, client);
        lastMark = tail++;
    }

    // ================================================================ signals

    /**
     * Returns the condition of which a request has taken a signal; {@code null} if it has taken none, or is not here.
     */
    @Nullable
    String signalled(String request) {
        Long place = places.get(request);
        QueuedRequest entry = place == null || isGone(request, place) ? null : entries.get(place);
        return entry == null ? null : entry.signalled();
    }

    /** Gives back the signal that a request has taken and will not use, if there is one. */
    void signalUnused(QueuedRequest entry) {
        if (entry.signalled() != null) {
            unused.add(entry.signalled());
        }
    }

    /** Returns whether signals were not used. */
    boolean hasUnused() {
        return !unused.isEmpty();
    }

    /** Removes and returns the conditions whose signals were not used, one for each signal. */
    List<String> takeUnused() {
        List<String> taken = List.copyOf(unused);
        unused.clear();
        return taken;
    }

    // ================================================================ reading

    /** Adds the lines of this queue, none if it is as it was made. */
    void write(RecordLines lines) {
        if (head != 0 || shortUntil != 0 || lapsedAt != 0 || lastMark != 0) {
            lines.line("queue", head, tail, shortUntil, lapsedAt, lastMark);
        }
        entries.forEach((place, entry) -> {
            lines.line("waiting", place);
            entry.write(lines);
        });
        marks.forEach((place, client) -> lines.line("mark", place, RecordLines.field(client)));
        late.stream().sorted().forEach(client -> lines.line("late", RecordLines.field(client)));
        unused.forEach(condition -> lines.line("unused", RecordLines.field(condition)));
    }

    /** Reads a line that {@link #write} has added. Returns whether it was one. */
    boolean read(String kind, RecordLines.Line line) {
        switch (kind) {
            case "queue" -> {
                head = line.number();
                tail = line.number();
                shortUntil = line.number();
                lapsedAt = line.number();
                lastMark = line.number();
            }
            case "waiting" -> {
                long place = line.number();
                QueuedRequest entry = QueuedRequest.read(line);
                entries.put(place, entry);
                places.put(entry.request(), place);
            }
            case "mark" -> {
                long place = line.number();
                String client = line.text();
                marks.put(place, client);
                gone.put(client, place);
            }
            case "late" -> late.add(line.text());
            case "unused" -> unused.add(line.text());
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Returns the entries that count, in their order. */
    List<QueuedRequest> entries() {
        List<QueuedRequest> counting = new ArrayList<>();
        entries.forEach((place, entry) -> {
            if (!isGone(entry.request(), place)) {
                counting.add(entry);
            }
        });
        return counting;
    }

    /**
     * Returns an upper bound of the number of waiting requests, which includes holes and entries that no longer count.
     */
    int length() {
        return Math.toIntExact(tail - head);
    }
}
