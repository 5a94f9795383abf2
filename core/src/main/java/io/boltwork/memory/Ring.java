package io.boltwork.memory;

import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lock's queue. Entries have ascending places; who leaves from the middle leaves a hole, so that a position is an
 * upper bound. An empty ring begins anew.
 */
final class Ring {

    /**
     * A request that waits.
     *
     * @param leaseMillis the lease it wants once it has confirmed its claim
     * @param takeoverMillis how much longer the lock stays closed when its lease ends without a release
     * @param sinceMillis when it entered
     */
    record Entry(String request, long leaseMillis, long takeoverMillis, long sinceMillis, long place) {}

    private final LinkedHashMap<String, Entry> entries = new LinkedHashMap<>();
    private long tail;

    boolean isEmpty() {
        return entries.isEmpty();
    }

    boolean contains(String request) {
        return entries.containsKey(request);
    }

    @Nullable
    Entry head() {
        return entries.isEmpty() ? null : entries.values().iterator().next();
    }

    /** Enters a request at the tail unless it is there already; either way answers its position, from 1 on. */
    int enter(String request, long leaseMillis, long takeoverMillis, long now) {
        Entry entry = entries.get(request);
        if (entry == null) {
            entry = new Entry(request, leaseMillis, takeoverMillis, now, ++tail);
            entries.put(request, entry);
        }
        Entry head = head();
        return Math.toIntExact(entry.place() - (head == null ? entry : head).place() + 1);
    }

    /** Takes over the entries of another ring, which are values, and their places. */
    void enterAll(Ring other) {
        entries.putAll(other.entries);
        tail = other.tail;
    }

    void remove(String request) {
        Entry entry = entries.remove(request);
        if (entry != null && entry.place() == tail) {
            tail--;
        }
        resetIfEmpty();
    }

    void removeAllOf(String client) {
        entries.keySet().removeIf(request -> clientOf(request).equals(client));
        resetIfEmpty();
    }

    List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    /** How many wait, holes included as in a position. */
    int length() {
        Entry head = head();
        return head == null ? 0 : Math.toIntExact(tail - head.place() + 1);
    }

    static String clientOf(String request) {
        int colon = request.lastIndexOf(':');
        return colon < 0 ? request : request.substring(0, colon);
    }

    private void resetIfEmpty() {
        if (entries.isEmpty()) {
            tail = 0;
        }
    }
}
