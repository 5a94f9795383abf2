// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.BackendException;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.spi.Printable;
import io.boltwork.store.AddressedMessage;
import io.boltwork.store.Extended;
import io.boltwork.store.LeaseExtension;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordExpiry;
import io.boltwork.store.RecordKey;
import io.boltwork.store.RecordMemory;
import io.boltwork.store.RecordStore;
import io.boltwork.store.StampedRecord;
import io.boltwork.store.StoreClock;
import io.boltwork.store.StoreListener;
import io.boltwork.store.StoredPage;
import io.boltwork.store.StoredText;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records as keys of etcd. Thread-safe.
 *
 * <p>A record is written by a transaction that compares the revision of its last change, and that puts messages into
 * the inboxes of other clients if these are alive. If a comparison fails, the same answer has the record as it is now
 * and tells which client is gone. Revisions of etcd never repeat. Only "there is no record" has none: so a record is
 * made only if no records have been deleted since its absence was read.
 */
final class EtcdStore implements RecordStore {
    /** A transaction has at most 128 operations by default. */
    static final int TOGETHER = 100;

    /** Each thread waits for one answer at a time, and the leader writes several requests to its disk together. */
    private static final int WORKERS = 8;

    /** The time for which a client counts as gone; it may come back. */
    private static final long GONE_FOR = TimeUnit.SECONDS.toNanos(1);

    /** The time for which a client counts as alive that was seen to be. A transaction that addresses it checks it. */
    private static final long ALIVE_FOR = TimeUnit.SECONDS.toNanos(5);

    /** The time for one sweep, which shares its thread with what keeps the client alive. The next sweep goes on. */
    private static final long SWEEP_BUDGET = TimeUnit.SECONDS.toNanos(1);

    /** A sign that a client is alive, or that it is not. */
    private record Sign(boolean isAlive, long since) {}

    private final List<URI> endpoints;
    private final EtcdOptions options;
    private final EtcdKeys keys;
    private final EtcdCalls calls;
    private final EtcdClock clock;
    private final RecordMemory memory = new RecordMemory();
    private final Map<String, Sign> signs = new ConcurrentHashMap<>();
    private final String sender = UUID.randomUUID().toString().substring(0, 8);
    private final AtomicLong messages = new AtomicLong();
    private final RecordExpiry expiry = new RecordExpiry();
    private byte[] sweptTo = new byte[0];
    private volatile @Nullable EtcdSession session;
    private volatile boolean closed;

    EtcdStore(List<URI> endpoints, HttpClient http, EtcdOptions options) {
        this.endpoints = endpoints;
        this.options = options;
        this.keys = new EtcdKeys(options.prefix());
        this.calls = new EtcdCalls(endpoints, http, options);
        this.clock = new EtcdClock(calls, keys, options.clockTolerance());
    }

    @Override
    public void open(String client, StoreListener listener) {
        EtcdSession opened = new EtcdSession(calls, keys, options, clock, client, listener, this::forgetAll);
        session = opened;
        try {
            opened.open();
        } catch (BackendException failed) {
            session = null;
            opened.close();
            throw failed;
        }
        if (closed) {
            opened.close();
        }
    }

    private void forgetAll() {
        memory.clear();
        signs.clear();
    }

    private EtcdSession session() {
        EtcdSession opened = session;
        if (opened == null || closed) {
            throw calls.closed();
        }
        return opened;
    }

    @Override
    public void rename(String client) {
        session().rename(client);
    }

    @Override
    public void beforeWaiting() {
        session().checkAlive();
    }

    @Override
    public void close() {
        closed = true;
        EtcdSession opened = session;
        if (opened != null) {
            opened.close();
        }
        calls.close();
    }

    // ================================================================ records

    /**
     * A version is twice the revision of the last change; one more if it comes from memory. A missing record has the
     * negative of the revision at which it was read.
     */
    private static long version(long revision, boolean fromMemory) {
        return revision * 2 + (fromMemory ? 1 : 0);
    }

    @Override
    public StoredText read(RecordKey key) {
        memory.remove(key);
        EtcdCalls.Answer answer = calls.call("kv/range", Map.of("key", keys.record(key)));
        List<Json> found = answer.body().list("kvs");
        if (found.isEmpty()) {
            return new StoredText(null, -answer.header().number("revision"), clock.now());
        }
        Json kv = found.get(0);
        StampedRecord record = record(key, kv);
        return new StoredText(record.text(), version(kv.number("mod_revision"), false), clock.now(), record.written());
    }

    private static StampedRecord record(RecordKey key, Json kv) {
        return StampedRecord.read("The record of " + key, kv.bytes("value"));
    }

    @Override
    public StoredText recall(RecordKey key) {
        RecordMemory.Remembered last = memory.remove(key);
        return last != null && last.isFresh()
                ? new StoredText(last.text(), last.version(), clock.now(), last.written())
                : read(key);
    }

    @Override
    public boolean isCurrent(RecordKey key, StoredText found) {
        return found.version() < 0
                || found.version() % 2 == 0
                || read(key).version() == version(found.version() / 2, false);
    }

    @Override
    public boolean write(RecordKey key, StoredText before, RecordChange change) {
        return write(key, before, change, List.of());
    }

    @Override
    public boolean write(RecordKey key, StoredText before, RecordChange change, List<AddressedMessage> addressed) {
        if (isLate(before, change, clock.now())) {
            return false; // the step is repeated with the new time
        }
        List<AddressedMessage> all =
                addressed.stream().filter(message -> !isGone(message.client())).toList();
        List<AddressedMessage> together = all.subList(0, Math.min(all.size(), TOGETHER / 2));
        List<String> clients =
                together.stream().map(AddressedMessage::client).distinct().toList();
        List<String> done = session().deliveredKeys(TOGETHER - together.size() - 1);
        List<Map<String, ?>> success = new ArrayList<>(deletions(done));
        success.add(
                put(keys.record(key), new StampedRecord(before.clock(), change.expiresAt(), change.text()).data(), 0));
        together.forEach(message -> success.add(message(message)));
        EtcdCalls.Answer answer = calls.call(
                "kv/txn",
                Map.of(
                        "compare", comparisons(key, before, clients),
                        "success", success,
                        "failure", questions(key, clients)));
        if (!answer.body().flag("succeeded")) {
            learn(key, clients, answer);
            return false;
        }
        session().deleted(done);
        memory.put(key, change.text(), version(answer.header().number("revision"), true), before.clock());
        all.subList(together.size(), all.size()).forEach(this::sendAfterwards);
        return true;
    }

    private static boolean isLate(StoredText before, RecordChange change, StoreClock now) {
        boolean isSameClock = now.run().equals(before.clock().run());
        return change.notAfter() != Long.MAX_VALUE
                && (!isSameClock || now.earliest().millis() > change.notAfter());
    }

    private List<Map<String, ?>> comparisons(RecordKey key, StoredText before, List<String> clients) {
        List<Map<String, ?>> compare = new ArrayList<>();
        boolean isAbsent = before.version() < 0;
        compare.add(lastChange(keys.record(key), "EQUAL", isAbsent ? 0 : before.version() / 2));
        if (isAbsent) {
            compare.add(lastChange(keys.swept(), "LESS", 1 - before.version()));
        }
        for (String client : clients) {
            compare.add(
                    Map.of("key", keys.alive(client), "target", "CREATE", "result", "GREATER", "create_revision", 0));
        }
        return compare;
    }

    private static Map<String, ?> lastChange(byte[] key, String result, long revision) {
        return Map.of("key", key, "target", "MOD", "result", result, "mod_revision", revision);
    }

    /** Asks for what {@link #learn} needs. */
    private List<Map<String, ?>> questions(RecordKey key, List<String> clients) {
        List<Map<String, ?>> questions = new ArrayList<>();
        questions.add(Map.of("request_range", Map.of("key", keys.record(key))));
        for (String client : clients) {
            questions.add(Map.of("request_range", Map.of("key", keys.alive(client), "keys_only", true)));
        }
        return questions;
    }

    /** Learns why a write has failed. */
    private void learn(RecordKey key, List<String> clients, EtcdCalls.Answer answer) {
        List<Json> found = answer.body().list("responses");
        remember(key, found.get(0));
        for (int i = 0; i < clients.size(); i++) {
            boolean isAlive =
                    !found.get(i + 1).object("response_range").list("kvs").isEmpty();
            signs.put(clients.get(i), new Sign(isAlive, System.nanoTime()));
        }
    }

    private static Map<String, ?> put(byte[] key, byte[] value, long lease) {
        return Map.of("request_put", Map.of("key", key, "value", value, "lease", lease));
    }

    /** Returns operations that delete keys, which are in base64. */
    static List<Map<String, ?>> deletions(List<String> encoded) {
        return encoded.stream()
                .<Map<String, ?>>map(key -> Map.of("request_delete_range", Map.of("key", key)))
                .toList();
    }

    @Override
    public Extended extendUnwanted(List<Command.Renew.Item> items, long notAfter, long idleMillis) {
        List<RecordKey> unknown = LeaseExtension.unknown(items, memory);
        for (int i = 0; i < unknown.size(); i += TOGETHER) {
            remember(unknown.subList(i, Math.min(unknown.size(), i + TOGETHER)));
        }
        StoreClock now = clock.now();
        List<LeaseExtension> extensions = LeaseExtension.of(items, memory, now, notAfter, idleMillis);
        Set<String> extended = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < extensions.size(); i += TOGETHER) {
            extend(extensions.subList(i, Math.min(extensions.size(), i + TOGETHER)), extended);
        }
        return extended.isEmpty() ? Extended.NONE : new Extended(extended, now.earliest());
    }

    /** Reads records together, such as those of all leases after a new connection. */
    private void remember(List<RecordKey> unknown) {
        List<Map<String, ?>> questions = unknown.stream()
                .<Map<String, ?>>map(key -> Map.of("request_range", Map.of("key", keys.record(key))))
                .toList();
        List<Json> found =
                calls.call("kv/txn", Map.of("success", questions)).body().list("responses");
        for (int i = 0; i < unknown.size(); i++) {
            remember(unknown.get(i), found.get(i));
        }
    }

    /** Remembers a record as it was read in a transaction. */
    private void remember(RecordKey key, Json response) {
        List<Json> found = response.object("response_range").list("kvs");
        if (found.isEmpty()) {
            memory.remove(key);
        } else {
            StampedRecord record = record(key, found.get(0));
            memory.put(key, record.text(), version(found.get(0).number("mod_revision"), true), record.written());
        }
    }

    /** Writes extended leases in one transaction; without those whose records were changed, if it fails. */
    private void extend(List<LeaseExtension> extensions, Set<String> extended) {
        List<LeaseExtension> left = extensions;
        while (!left.isEmpty()) {
            EtcdCalls.Answer answer = calls.call(
                    "kv/txn",
                    Map.of(
                            "compare",
                            left.stream()
                                    .map(extension -> lastChange(
                                            keys.record(extension.key()),
                                            "EQUAL",
                                            extension.before().version() / 2))
                                    .toList(),
                            "success",
                            left.stream()
                                    .map(extension -> put(
                                            keys.record(extension.key()),
                                            extension.stamped().data(),
                                            0))
                                    .toList(),
                            "failure",
                            left.stream()
                                    .map(extension ->
                                            Map.of("request_range", Map.of("key", keys.record(extension.key()))))
                                    .toList()));
            if (answer.body().flag("succeeded")) {
                long version = version(answer.header().number("revision"), true);
                for (LeaseExtension extension : left) {
                    memory.put(
                            extension.key(),
                            extension.text(),
                            version,
                            extension.before().clock());
                    extended.add(extension.key().name());
                }
                return;
            }
            left = unchanged(left, answer.body().list("responses"));
        }
    }

    private List<LeaseExtension> unchanged(List<LeaseExtension> extensions, List<Json> found) {
        List<LeaseExtension> unchanged = new ArrayList<>();
        for (int i = 0; i < extensions.size(); i++) {
            LeaseExtension extension = extensions.get(i);
            List<Json> now = found.get(i).object("response_range").list("kvs");
            long revision = now.isEmpty() ? 0 : now.get(0).number("mod_revision");
            if (revision == extension.before().version() / 2) {
                unchanged.add(extension);
            } else {
                remember(extension.key(), found.get(i));
            }
        }
        return unchanged.size() < extensions.size() ? unchanged : List.of();
    }

    // ================================================================ messages

    private Map<String, ?> message(AddressedMessage message) {
        return put(
                keys.message(message.client(), sender + "-" + messages.incrementAndGet()),
                EtcdKeys.bytes(message.text()),
                keys.lease(message.client()));
    }

    private void sendAfterwards(AddressedMessage message) {
        try {
            sendMessage(message.client(), message.text());
        } catch (BackendException lost) { // as good as a message that is lost on its way
        }
    }

    @Override
    public void sendMessage(String client, String message) {
        EtcdCalls.Answer answer = calls.call(
                "kv/txn",
                Map.of("success", List.of(message(new AddressedMessage(client, message)))),
                EtcdCalls.NOT_FOUND);
        if (!answer.isDone()) {
            signs.put(client, new Sign(false, System.nanoTime()));
        }
    }

    private boolean isGone(String client) {
        Sign last = signs.get(client);
        return last != null && !last.isAlive() && System.nanoTime() - last.since() < GONE_FOR;
    }

    @Override
    public boolean listens(String client) {
        Sign last = signs.get(client);
        if (last != null && System.nanoTime() - last.since() < (last.isAlive() ? ALIVE_FOR : GONE_FOR)) {
            return last.isAlive();
        }
        signs.values().removeIf(sign -> System.nanoTime() - sign.since() > ALIVE_FOR);
        boolean isAlive = !calls.call("kv/range", Map.of("key", keys.alive(client), "keys_only", true))
                .body()
                .list("kvs")
                .isEmpty();
        signs.put(client, new Sign(isAlive, System.nanoTime()));
        return isAlive;
    }

    // ================================================================ all records

    @Override
    public StoredPage scan(RecordKey.Kind kind, String after, int count) {
        byte[] folder = keys.records(kind);
        byte[] begin = after.isEmpty() ? folder : EtcdKeys.after(keys.record(new RecordKey(kind, after)));
        List<StoredPage.Named> found = new ArrayList<>();
        for (Json kv : range(begin, EtcdKeys.end(folder), count)) {
            String name = keys.name(kind, kv.bytes("key"));
            found.add(new StoredPage.Named(
                    name, record(new RecordKey(kind, name), kv).text()));
        }
        return new StoredPage(found, clock.now());
    }

    private List<Json> range(byte[] begin, byte[] end, int count) {
        return calls.call("kv/range", Map.of("key", begin, "range_end", end, "limit", count))
                .body()
                .list("kvs");
    }

    @Override
    public void sweep() {
        session().execute(this::sweepNow);
    }

    private void sweepNow() {
        long begun = System.nanoTime();
        byte[] end = EtcdKeys.end(keys.records());
        while (System.nanoTime() - begun < SWEEP_BUDGET) {
            byte[] begin = sweptTo.length == 0 ? keys.records() : EtcdKeys.after(sweptTo);
            List<Json> page = range(begin, end, TOGETHER);
            drop(page, clock.now());
            if (page.size() < TOGETHER) {
                sweptTo = new byte[0];
                return;
            }
            sweptTo = page.get(page.size() - 1).bytes("key");
        }
    }

    /** Drops those records that have expired. If one of them is written meanwhile, none is dropped. */
    private void drop(List<Json> page, StoreClock now) {
        List<Json> expired = page.stream().filter(kv -> isExpired(kv, now)).toList();
        if (expired.isEmpty()) {
            return;
        }
        List<Map<String, ?>> success = new ArrayList<>(
                deletions(expired.stream().map(kv -> kv.text("key")).toList()));
        success.add(put(keys.swept(), new byte[0], 0));
        calls.call(
                "kv/txn",
                Map.of(
                        "compare",
                        expired.stream()
                                .map(kv -> lastChange(kv.bytes("key"), "EQUAL", kv.number("mod_revision")))
                                .toList(),
                        "success",
                        success));
    }

    private boolean isExpired(Json kv, StoreClock now) {
        try {
            return expiry.isExpired(kv.text("key"), StampedRecord.read("A record", kv.bytes("value")), now);
        } catch (BackendException foreign) {
            return false;
        }
    }

    // ================================================================ the cluster

    @Override
    public String version() {
        Json status = calls.call("maintenance/status", Map.of()).body();
        return "etcd " + Printable.text(status.text("version"));
    }

    @Override
    public void checkWrites() {
        session().beAlive();
    }

    @Override
    public int workers() {
        return WORKERS;
    }

    @Override
    public boolean servesCallers() {
        return true;
    }

    @Override
    public Duration commandTimeout() {
        return options.commandTimeout();
    }

    @Override
    public Duration idleLife() {
        return options.idleLife();
    }

    @Override
    public Optional<String> refusal(Capability capability) {
        return capability == Capability.DEAD_WAITERS_AT_ONCE
                ? Optional.of("etcd notices that a client was killed when its session times out")
                : Optional.empty();
    }

    @Override
    public String namespace() {
        return options.prefix();
    }

    @Override
    public String address() {
        return "etcd://"
                + endpoints.stream().map(URI::getAuthority).collect(Collectors.joining(","))
                + options.prefix();
    }
}
