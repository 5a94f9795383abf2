// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Printable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The record of one shared lock at a server: the fields of the hash in Redis. It has entries, in no particular order:
 * holds, markers, which keep the weight of a hold that was released before its minimum time, and tombstones, which keep
 * a late {@link io.boltwork.spi.Command.Restore} from bringing back a request that is over.
 *
 * @since 0.1.0
 */
public final class ShareRecord implements StoredRecord<ShareRecord> {

    /** The kind of the record, which begins its text. */
    private static final String KIND = "shared";

    /** Stands for a time that never comes. */
    static final long NEVER = Long.MAX_VALUE;

    /** Precedes the request in the id of a marker. The id of a client can begin with most other characters. */
    private static final String MARKER = ":";

    /**
     * A hold, a marker or a tombstone.
     *
     * <p>A hold has all fields. A marker has a weight and a time at which it ends, a tombstone only the latter.
     */
    static final class Entry {
        /** The request, or the id of a marker. */
        final String id;

        /** The weight; 0 for a tombstone. */
        long weight;

        /** The first token of the hold's block. */
        long token;

        /** The last token of the hold's block. */
        long blockEnd;

        /** The end of the lease and takeover delay, of the marker or of the tombstone. */
        long until;

        /** The lease that was last asked for. */
        long leaseMillis;

        /** {@code true} if the hold was granted by message and has not been confirmed yet. */
        boolean claim;

        /** The queue entry that a short claim was granted to, or {@code null}. */
        WaitQueue.@Nullable QueuedRequest shortClaim;

        Entry(String id) {
            this.id = id;
        }

        boolean isMarker() {
            return id.startsWith(MARKER);
        }

        boolean isTombstone() {
            return weight == 0;
        }
    }

    /** Creates the record of a lock that has never been used. */
    public ShareRecord() {}

    /** The capacity; 0 if it is not known. */
    int capacity;

    /**
     * The time at which the capacity was set, in microseconds of the server's clock; 0 if it comes from a client's
     * configuration.
     */
    long set;

    /** The sum of the weights of all entries. */
    long used;

    /** A lower bound of the ends of all holds and markers. */
    long soon = NEVER;

    /** An upper bound of the ends of all claims and markers. */
    long claims;

    /** No token larger than this has been issued. */
    long fence;

    /** No token larger than this has been issued to a request that took the whole capacity. */
    long all;

    /** The client whose request waits at the head and does not fit; {@code null} if none was seen, or none waits. */
    @Nullable
    String blocker;

    /** The time at which the blocker was first seen at the head, or has last asked since then. */
    long blockerAsked;

    final WaitQueue queue = new WaitQueue();

    /** The last millisecond of the server's clock at which the record exists. */
    long expiresAt;

    private final List<Entry> entries = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();

    /** The place at which the search for entries that have ended goes on; 0 if it begins anew. */
    private int next;

    /** The least end among the entries that the search has passed. */
    private long least = NEVER;

    // ================================================================ entries

    /** Returns the id of the marker of a request. */
    static String marker(String request) {
        return MARKER + request;
    }

    /** Returns all entries. */
    List<Entry> entries() {
        return List.copyOf(entries);
    }

    /** Returns the entry with that id, which may have ended; {@code null} if there is none. */
    @Nullable
    Entry find(String id) {
        Integer place = places.get(id);
        return place == null ? null : entries.get(place);
    }

    /** Returns the hold of a request, which may have ended; {@code null} if there is none. */
    @Nullable
    Entry hold(String request) {
        Entry entry = find(request);
        return entry == null || entry.isTombstone() ? null : entry;
    }

    /** Adds an entry in place of the one with the same id. */
    Entry put(String id, long weight, long until) {
        remove(id);
        Entry entry = new Entry(id);
        entry.weight = weight;
        entry.until = until;
        places.put(id, entries.size());
        entries.add(entry);
        used += weight;
        if (weight > 0) {
            soon = Math.min(soon, until);
        }
        return entry;
    }

    /** Removes the entry with that id, if there is one. The last entry takes its place. */
    void remove(String id) {
        Integer place = places.remove(id);
        if (place == null) {
            return;
        }
        used -= entries.get(place).weight;
        int end = entries.size() - 1;
        Entry last = entries.remove(end);
        if (place != end) {
            entries.set(place, last);
            places.put(last.id, place);
            if (place < next && end >= next && !last.isTombstone()) { // the search would not come by
                least = Math.min(least, last.until);
            }
        }
        next = Math.min(next, entries.size());
        if (entries.isEmpty()) {
            soon = NEVER;
            least = NEVER;
        }
    }

    /**
     * Returns the next entry that ended before {@code now}; {@code null} if there is none or the budget is used up.
     * {@link #isSearched} tells which.
     */
    @Nullable
    Entry nextEnded(long now, WaitQueue.Budget budget) {
        while (next < entries.size() && budget.take()) {
            Entry entry = entries.get(next);
            if (entry.until <= now) {
                return entry;
            }
            if (!entry.isTombstone()) {
                least = Math.min(least, entry.until);
            }
            next++;
        }
        return null;
    }

    /** Ends the search for entries that have ended if it has passed all. Returns whether it has. */
    boolean isSearched() {
        if (next < entries.size()) {
            return false;
        }
        soon = least;
        least = NEVER;
        next = 0;
        return true;
    }

    // ================================================================ the head of the queue

    /** Keeps the time of the request if the client is the blocker. */
    void asked(String client, long now) {
        if (client.equals(blocker)) {
            blockerAsked = now;
        }
    }

    /**
     * Returns whether a client, whose request is at the head and does not fit, has been silent for so long that it
     * counts as dead. The time begins when its request was first seen there.
     */
    boolean isSilent(String client, long now) {
        if (!client.equals(blocker)) {
            blocker = client;
            blockerAsked = now;
        }
        return now - blockerAsked >= LockBackend.SILENCE_MILLIS;
    }

    /** Forgets the client whose request was at the head if no request waits. */
    void forgetBlocker() {
        if (queue.isEmpty()) {
            blocker = null;
        }
    }

    // ================================================================ records

    @Override
    public ShareRecord copy() {
        return read(text());
    }

    @Override
    public void delay(long millis) {
        entries.forEach(entry -> entry.until += millis);
        soon += soon == NEVER ? 0 : millis;
        least += least == NEVER ? 0 : millis;
        claims += millis;
        blockerAsked += millis;
        expiresAt += millis;
    }

    @Override
    public boolean isBlank() {
        return entries.isEmpty() && fence == 0 && queue.isEmpty() && set == 0;
    }

    @Override
    public void forgetPast(long nowMillis) {
        queue.forgetPast(nowMillis);
    }

    @Override
    public long expiresAt() {
        return expiresAt;
    }

    /**
     * Returns the number of places of the queue, an upper bound of the requests that wait.
     *
     * @return their number
     */
    public int waiting() {
        return queue.length();
    }

    @Override
    public String text() {
        RecordLines lines = RecordLines.ofKind(KIND)
                .more(expiresAt, capacity, set, soon, claims, fence, all, RecordLines.field(blocker), blockerAsked)
                .more(next, least);
        for (Entry entry : entries) {
            lines.line("entry", RecordLines.field(entry.id), entry.weight, entry.token, entry.blockEnd)
                    .more(entry.until, entry.leaseMillis, RecordLines.flag(entry.claim));
            if (entry.shortClaim != null) {
                entry.shortClaim.write(lines);
            }
        }
        queue.write(lines);
        return lines.toString();
    }

    /**
     * Reads a record.
     *
     * @param text the text that {@link #text} has returned
     * @return the record
     * @throws IllegalArgumentException if it is not such a text, or is of another version
     */
    public static ShareRecord read(String text) {
        List<RecordLines.Line> lines = RecordLines.read(KIND, text);
        RecordLines.Line head = lines.get(0);
        ShareRecord record = new ShareRecord();
        record.expiresAt = head.number();
        record.capacity = head.integer();
        record.set = head.number();
        record.soon = head.number();
        record.claims = head.number();
        record.fence = head.number();
        record.all = head.number();
        record.blocker = head.optional();
        record.blockerAsked = head.number();
        record.next = head.integer();
        record.least = head.number();
        for (RecordLines.Line line : lines.subList(1, lines.size())) {
            String kind = line.word();
            if (kind.equals("entry")) {
                record.add(line);
            } else if (!record.queue.read(kind, line)) {
                throw new IllegalArgumentException(
                        "the record of a shared lock has no line '" + Printable.text(kind) + "'");
            }
        }
        return record;
    }

    private void add(RecordLines.Line line) {
        Entry entry = new Entry(line.text());
        entry.weight = line.number();
        entry.token = line.number();
        entry.blockEnd = line.number();
        entry.until = line.number();
        entry.leaseMillis = line.number();
        entry.claim = line.flag();
        entry.shortClaim = line.isMore() ? WaitQueue.QueuedRequest.read(line) : null;
        places.put(entry.id, entries.size());
        entries.add(entry);
        used += entry.weight;
    }
}
