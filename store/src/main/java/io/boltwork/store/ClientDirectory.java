// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.BackendException;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The records of clients in a store. Not thread-safe. */
final class ClientDirectory {

    /**
     * The attempts to write a record that others change at the same time. Only clients with equal ids do that, by
     * mistake.
     */
    private static final int ATTEMPTS = 10;

    private final RecordStore store;
    private final RecordSteps.WriteAttempt attempt;

    ClientDirectory(RecordStore store, RecordSteps.WriteAttempt attempt) {
        this.store = store;
        this.attempt = attempt;
    }

    /** Keeps the record of a client in place of an earlier one; one with a life of 0 counts as removed. */
    Reply.Announced announce(Announce command) {
        String id = command.card().id();
        RecordKey key = new RecordKey(RecordKey.Kind.CLIENT, id);
        for (int i = 0; i < ATTEMPTS; i++) {
            StoredText before = store.read(key);
            ServerTime server = before.clock().earliest();
            long expiresAt = server.millis() + command.lifeMillis();
            Optional<StoredClient> known = read(id, before.text(), before.clock());
            StoredClient client = new StoredClient(expiresAt, command.card(), command.nonce());
            attempt.begin();
            if (store.write(key, before, new RecordChange(client.text(), expiresAt, Long.MAX_VALUE))) {
                return new Reply.Announced(
                        server, known.map(StoredClient::nonce).orElse(""));
            }
            attempt.failed();
        }
        throw new BackendException("The record of the client " + id + " is changed by other clients", true, null);
    }

    /** Returns the records of those clients that have one. */
    QueryReply.Identified identify(Query.Identify command) {
        List<ClientRecord> found = new ArrayList<>();
        ServerTime server = null;
        for (String id : command.clients()) {
            StoredText stored = store.read(new RecordKey(RecordKey.Kind.CLIENT, id));
            server = server == null ? stored.clock().earliest() : server;
            read(id, stored.text(), stored.clock()).ifPresent(client -> found.add(client.card()));
        }
        return new QueryReply.Identified(Objects.requireNonNull(server, "clients must be named"), found);
    }

    /** Reads a record. */
    static Optional<StoredClient> read(String id, @Nullable String text, StoreClock clock) {
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(StoredClient.read(text))
                    .filter(client -> client.expiresAt() > clock.earliest().millis());
        } catch (IllegalArgumentException foreign) {
            throw RecordFormat.unreadable(new RecordKey(RecordKey.Kind.CLIENT, id), foreign);
        }
    }
}
