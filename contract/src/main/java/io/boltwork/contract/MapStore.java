// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract;

import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.RecordStore;
import io.boltwork.store.StoreClock;
import io.boltwork.store.StoreListener;
import io.boltwork.store.StoredPage;
import io.boltwork.store.StoredText;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A store of one's own: a map with versions, which the clients of one JVM share. A real store keeps the same few
 * promises with a database or a service; the comments say what to think of there. Thread-safe.
 *
 * @since 0.1.0
 */
public final class MapStore implements RecordStore {

    /** The records and the clients of all stores that share them. */
    public static final class Shared {
        private volatile String run = UUID.randomUUID().toString();
        private final AtomicLong versions = new AtomicLong();
        private final Map<RecordKey, Versioned> records = new ConcurrentHashMap<>();
        private final Map<String, StoreListener> clients = new ConcurrentHashMap<>();

        /** Creates an empty map. */
        public Shared() {}

        private record Versioned(String text, long version, long expiresAt) {}

        private StoreClock clock() {
            return new StoreClock(run, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
        }

        /** Forgets all records. */
        public void clear() {
            records.clear();
        }

        /**
         * Writes a record that never expires, whatever its version is.
         *
         * @param key the key
         * @param text the text
         */
        public void put(RecordKey key, String text) {
            records.put(key, new Versioned(text, versions.incrementAndGet(), Long.MAX_VALUE));
        }

        /** Forgets all records, as a server that has lost its data; its clock is another one. */
        public void restart() {
            clear();
            run = UUID.randomUUID().toString();
        }

        /**
         * Forgets all records with that name.
         *
         * @param name the name
         */
        public void remove(String name) {
            records.keySet().removeIf(key -> key.name().equals(name));
        }

        /**
         * Returns the number of clients that get messages.
         *
         * @return their number
         */
        public int listeners() {
            return clients.size();
        }
    }

    private final Shared shared;
    private volatile Optional<StoreListener> listener = Optional.empty();
    private volatile String client = "";

    /**
     * Creates the store of one client.
     *
     * @param shared what the stores of all clients share
     */
    public MapStore(Shared shared) {
        this.shared = shared;
    }

    @Override
    public void open(String id, StoreListener told) {
        listener = Optional.of(told);
        rename(id);
        told.connected(shared.clock().earliest());
    }

    @Override
    public void rename(String id) {
        shared.clients.remove(client);
        client = id;
        listener.ifPresent(told -> shared.clients.put(id, told));
    }

    // The clock must be that of the store, the same for all clients, and must not be read before the record.
    @Override
    public StoredText read(RecordKey key) {
        Shared.Versioned found = shared.records.get(key);
        return found == null
                ? new StoredText(null, 0, shared.clock())
                : new StoredText(found.text, found.version, shared.clock());
    }

    // The version, the time and the write are one atomic step of the store. A version is never used again, not even
    // after a record was dropped and made anew. Otherwise, a late write could replace a record that it has not seen.
    @Override
    public boolean write(RecordKey key, StoredText before, RecordChange change) {
        Shared.Versioned after =
                new Shared.Versioned(change.text(), shared.versions.incrementAndGet(), change.expiresAt());
        Shared.Versioned now = shared.records.compute(key, (name, found) -> {
            long version = found == null ? 0 : found.version;
            boolean isLate = shared.clock().earliest().millis() > change.notAfter();
            return version == before.version() && !isLate ? after : found;
        });
        return now == after;
    }

    // Errs in favour of a client that has died, for a few seconds at most: it would delay those that wait behind it.
    @Override
    public boolean listens(String id) {
        return shared.clients.containsKey(id);
    }

    // A message may be lost: a client that waits asks again after some seconds.
    @Override
    public void sendMessage(String id, String message) {
        Optional.ofNullable(shared.clients.get(id)).ifPresent(told -> told.message(message));
    }

    @Override
    public StoredPage scan(RecordKey.Kind kind, String after, int count) {
        List<StoredPage.Named> found = shared.records.entrySet().stream()
                .filter(entry -> entry.getKey().kind() == kind)
                .map(entry -> new StoredPage.Named(entry.getKey().name(), entry.getValue().text))
                .filter(entry -> entry.name().compareTo(after) > 0)
                .sorted((a, b) -> a.name().compareTo(b.name()))
                .limit(count)
                .toList();
        return new StoredPage(found, shared.clock());
    }

    @Override
    public void sweep() {
        long now = shared.clock().earliest().millis();
        shared.records.values().removeIf(record -> record.expiresAt < now);
    }

    @Override
    public String version() {
        return Runtime.version().toString();
    }

    @Override
    public boolean servesCallers() {
        return true; // an interrupt of a thread that uses the map does no harm
    }

    @Override
    public Duration commandTimeout() {
        return Duration.ofSeconds(1);
    }

    @Override
    public String address() {
        return "map";
    }

    @Override
    public void close() {
        listener = Optional.empty();
        shared.clients.remove(client);
    }
}
