// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The client records of one server by client id, each until it expires. */
final class ClientRecords {
    private record StoredRecord(ClientRecord card, String nonce, long expiresAt) {}

    private final Map<String, StoredRecord> entries = new TreeMap<>();

    /**
     * Stores a client record in place of an earlier one, and returns the nonce of the earlier one, or an empty text. A
     * record that is announced with a life of 0 is dropped.
     */
    String put(Announce announce, long millis) {
        dropExpired(millis);
        StoredRecord entry = new StoredRecord(announce.card(), announce.nonce(), millis + announce.lifeMillis());
        StoredRecord before = entries.put(announce.card().id(), entry);
        dropExpired(millis);
        return before == null ? "" : before.nonce;
    }

    /** Returns the records of those clients that have one, in the order of the ids. */
    List<ClientRecord> of(List<String> clients, long millis) {
        dropExpired(millis);
        return clients.stream().map(this::card).filter(Objects::nonNull).toList();
    }

    /** Returns the next records in the order of their client ids. */
    ScanPage<ClientRecord> page(String cursor, int count, long millis) {
        return ScanPage.of(entries, cursor, count, entry -> entry.expiresAt > millis)
                .map((client, entry) -> entry.card);
    }

    /** Returns a copy of these records. */
    ClientRecords copy() {
        ClientRecords copy = new ClientRecords();
        copy.entries.putAll(entries);
        return copy;
    }

    /** Replaces all records by others. */
    void become(ClientRecords others) {
        entries.clear();
        entries.putAll(others.entries);
    }

    void clear() {
        entries.clear();
    }

    /** Returns the number of records. */
    int size() {
        return entries.size();
    }

    private @Nullable ClientRecord card(String client) {
        StoredRecord entry = entries.get(client);
        return entry == null ? null : entry.card;
    }

    private void dropExpired(long millis) {
        entries.values().removeIf(entry -> entry.expiresAt <= millis);
    }
}
