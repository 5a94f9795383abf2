// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.BackendException;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A store whose clock stands still unless moved, and that writes down what it is asked. For one thread. */
final class StillStore implements RecordStore {
    static final long BEGIN = 1_000_000_000;

    final List<String> calls = new ArrayList<>();
    final List<String> messages = new ArrayList<>();
    final Map<RecordKey, StoredText> records = new HashMap<>();
    final Map<RecordKey, RecordChange> changes = new HashMap<>();
    final Set<String> alive = new HashSet<>();
    long millis = BEGIN;

    @Nullable
    Runnable beforeWrite;

    boolean refusesToRead;
    boolean refusesToWrite;
    ShortForm<Reply.Acquired> acquireForm = ShortForm.none();
    ShortForm<Reply.Released> releaseForm = ShortForm.none();
    Extended extended = Extended.NONE;

    StoreClock clock() {
        return new StoreClock("run", millis * 1_000);
    }

    /** Writes a record as another client would. */
    void put(RecordKey key, String text) {
        records.put(key, new StoredText(text, version(key) + 1, clock()));
    }

    private long version(RecordKey key) {
        StoredText found = records.get(key);
        return found == null ? 0 : found.version();
    }

    @Override
    public void open(String client, StoreListener listener) {
        calls.add("open " + client);
    }

    @Override
    public void rename(String client) {
        calls.add("rename " + client);
    }

    @Override
    public StoredText read(RecordKey key) {
        calls.add("read");
        if (refusesToRead) {
            throw new BackendException("no read", true, null);
        }
        StoredText found = records.get(key);
        return new StoredText(found == null ? null : found.text(), version(key), clock());
    }

    @Override
    public boolean write(RecordKey key, StoredText before, RecordChange change) {
        Runnable action = beforeWrite;
        beforeWrite = null;
        if (action != null) {
            action.run();
        }
        calls.add("write");
        if (refusesToWrite) {
            throw new BackendException("no write", true, null);
        }
        if (before.version() != version(key) || millis > change.notAfter()) {
            return false;
        }
        put(key, change.text());
        changes.put(key, change);
        return true;
    }

    @Override
    public boolean listens(String client) {
        calls.add("listens " + client);
        return alive.contains(client);
    }

    @Override
    public void sendMessage(String client, String message) {
        calls.add("tell " + client);
        messages.add(client + ": " + message);
    }

    @Override
    public void beforeWaiting() {
        calls.add("before waiting");
    }

    @Override
    public ShortForm<Reply.Acquired> acquireFree(Command.Acquire command, long idleMillis) {
        return acquireForm;
    }

    @Override
    public ShortForm<Reply.Released> releaseUnwanted(Command.Release command, long idleMillis) {
        return releaseForm;
    }

    @Override
    public Extended extendUnwanted(List<Command.Renew.Item> items, long notAfter, long idleMillis) {
        return extended;
    }

    @Override
    public StoredPage scan(RecordKey.Kind kind, String after, int count) {
        List<StoredPage.Named> found = new ArrayList<>();
        records.forEach((key, record) -> {
            if (key.kind() == kind && key.name().compareTo(after) > 0) {
                found.add(new StoredPage.Named(key.name(), String.valueOf(record.text())));
            }
        });
        found.sort((a, b) -> a.name().compareTo(b.name()));
        return new StoredPage(found.subList(0, Math.min(count, found.size())), clock());
    }

    @Override
    public String version() {
        return "still";
    }

    @Override
    public Duration commandTimeout() {
        return Duration.ofSeconds(1);
    }

    @Override
    public String address() {
        return "still";
    }

    @Override
    public void close() {
        calls.add("close");
    }
}
