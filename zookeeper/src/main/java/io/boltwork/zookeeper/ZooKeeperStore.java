// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.BackendException;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.store.AddressedMessage;
import io.boltwork.store.Extended;
import io.boltwork.store.LeaderClock;
import io.boltwork.store.LeaseExtension;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.RecordMemory;
import io.boltwork.store.RecordStore;
import io.boltwork.store.StampedRecord;
import io.boltwork.store.StoreClock;
import io.boltwork.store.StoreListener;
import io.boltwork.store.StoredPage;
import io.boltwork.store.StoredText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Version;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Records as nodes of ZooKeeper. Thread-safe.
 *
 * <p>The version of a record consists of the version of its node and the version of its bucket, the node above it. Each
 * transaction that deletes records also writes to their bucket. A write checks both in one transaction, so it fails if
 * the record was deleted and made anew since it was read, although the node's own versions begin at 0 again. The
 * bucket's version comes from memory. It may be older than the record: then the write fails and the step is repeated.
 *
 * <p>Reads of ZooKeeper may be late, since a follower answers them. A step may begin with such a read, or with what
 * this client has written last, because it ends with a transaction: its own write, or one that only checks the versions
 * ({@link #isCurrent}). So an answer that changes nothing costs one round trip more, and a step that changes something
 * costs none.
 */
final class ZooKeeperStore implements RecordStore {
    /** The version of a node that does not exist. */
    private static final int NONE = -1;

    /** The time for which a client counts as gone; it may come back with a new session. */
    private static final long GONE_FOR = TimeUnit.SECONDS.toNanos(1);

    /** Each thread waits for one answer at a time, and the ensemble writes several requests to its disks together. */
    private static final int WORKERS = 8;

    private final ZooKeeperConnector connector;
    private final ZooKeeperOptions options;
    private final StorePaths paths;
    private final LeaderClock clock;
    private final Map<String, Integer> buckets = new ConcurrentHashMap<>();
    private final RecordMemory memory = new RecordMemory();

    /** The times of failed attempts to send a message, by client. */
    private final Map<String, Long> gone = new ConcurrentHashMap<>();

    private volatile @Nullable ZooKeeperSession session;
    private volatile boolean closed;

    ZooKeeperStore(ZooKeeperConnector connector, ZooKeeperOptions options) {
        this.connector = connector;
        this.options = options;
        this.paths = new StorePaths(connector.prefix() + options.root());
        this.clock = new LeaderClock();
    }

    @Override
    public void open(String client, StoreListener listener) {
        ZooKeeperSession opened = new ZooKeeperSession(connector, paths, options, clock, listener);
        session = opened;
        try {
            opened.open(client, this::forgetAll, this::clock);
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
        buckets.clear();
        memory.clear();
        gone.clear();
    }

    private ZooKeeperSession session() {
        ZooKeeperSession opened = session;
        if (opened == null || closed) {
            throw new BackendException("The connection to ZooKeeper is closed", true, null);
        }
        return opened;
    }

    private ZooKeeperCalls calls() {
        return session().calls();
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
        ZooKeeperSession opened = session;
        if (opened != null) {
            opened.close();
        }
    }

    private StoreClock clock() {
        long begun = System.nanoTime();
        do {
            Optional<StoreClock> read = clock.read(options.clockTolerance());
            if (read.isPresent()) {
                return read.get();
            }
            session().nodes().readClock();
        } while (System.nanoTime() - begun < options.commandTimeout().toNanos());
        throw new BackendException(
                "ZooKeeper at " + address() + " answers too slowly to tell its time within "
                        + options.clockTolerance().toMillis() + " ms",
                true,
                null);
    }

    @Override
    public StoredText read(RecordKey key) {
        memory.remove(key);
        CompletableFuture<@Nullable Boolean> synced = calls().sync(paths.record(key));
        StoredText read = readLate(key);
        calls().await(synced);
        return read;
    }

    @Override
    public StoredText recall(RecordKey key) {
        RecordMemory.Remembered last = memory.remove(key);
        if (last != null && last.isFresh()) {
            return stored(last.text(), last.version(), last.written());
        }
        return readLate(key);
    }

    private StoredText readLate(RecordKey key) {
        int bucket = bucketVersion(key);
        ZooKeeperCalls.Node node = calls().await(calls().get(paths.record(key)));
        if (node == null) {
            return new StoredText(null, version(bucket, NONE), clock());
        }
        StampedRecord record = record(key, node);
        return stored(record.text(), version(bucket, node.stat().getVersion()), record.written());
    }

    /**
     * Returns a record with the present time. If it is of another clock, there may be a newer one than this client
     * knows.
     */
    private StoredText stored(String text, long version, StoreClock written) {
        StoreClock now = clock();
        if (!now.run().equals(written.run())) {
            session().nodes().readClock();
            now = clock();
        }
        return new StoredText(text, version, now, written);
    }

    /** Returns the version of a record's bucket; {@link #NONE} if there is no bucket. A read makes none. */
    private int bucketVersion(RecordKey key) {
        String path = paths.bucket(key);
        Integer known = buckets.get(path);
        if (known == null) {
            Stat found = calls().await(calls().exists(path));
            if (found == null) {
                return NONE;
            }
            known = found.getVersion();
            buckets.put(path, known);
        }
        return known;
    }

    /** Returns what was read, with a bucket. It is made if there was none. */
    private StoredText withBucket(RecordKey key, StoredText before) {
        if (bucketOf(before) != NONE) {
            return before;
        }
        calls().make(List.of(paths.bucket(key)), options);
        return new StoredText(before.text(), version(0, nodeOf(before)), before.clock(), before.written());
    }

    private static long version(int bucket, int node) {
        return (long) bucket << Integer.SIZE | node & 0xFFFF_FFFFL;
    }

    private static int bucketOf(StoredText stored) {
        return (int) (stored.version() >> Integer.SIZE);
    }

    private static int nodeOf(StoredText stored) {
        return (int) stored.version();
    }

    @Override
    public boolean write(RecordKey key, StoredText before, RecordChange change) {
        return write(key, before, change, List.of());
    }

    @Override
    public boolean write(RecordKey key, StoredText found, RecordChange change, List<AddressedMessage> messages) {
        StoredText before = withBucket(key, found);
        if (isLate(before, change, clock())) {
            return false; // the step is repeated with the new time
        }
        List<AddressedMessage> sent =
                messages.stream().filter(message -> !isGone(message.client())).toList();
        return isWritten(key, before, change, sent, calls().multi(operations(key, before, change, sent)));
    }

    private static boolean isLate(StoredText before, RecordChange change, StoreClock now) {
        boolean isSameClock = now.run().equals(before.clock().run());
        return change.notAfter() != Long.MAX_VALUE
                && (!isSameClock || now.earliest().millis() > change.notAfter());
    }

    private List<Op> operations(
            RecordKey key, StoredText before, RecordChange change, List<AddressedMessage> messages) {
        byte[] data = new StampedRecord(before.clock(), change.expiresAt(), change.text()).data();
        String path = paths.record(key);
        List<Op> ops = new ArrayList<>();
        ops.add(Op.check(paths.bucket(key), bucketOf(before)));
        ops.add(
                nodeOf(before) == NONE
                        ? Op.create(path, data, options.acl(), CreateMode.PERSISTENT)
                        : Op.setData(path, data, nodeOf(before)));
        for (AddressedMessage message : messages) {
            ops.add(Op.check(paths.alive(message.client()), -1));
            ops.add(message(message.client(), message.text()));
        }
        return ops;
    }

    /** Takes the outcome of {@link #operations}. */
    private boolean isWritten(
            RecordKey key,
            StoredText before,
            RecordChange change,
            List<AddressedMessage> messages,
            ZooKeeperCalls.Outcome outcome) {
        if (session().nodes().learn(outcome, 1)) {
            remember(key, before, change.text(), outcome.results().get(1));
            return true;
        }
        if (outcome.failed() == 0) {
            buckets.remove(paths.bucket(key));
        } else if (outcome.failed() > 1) {
            gone.put(messages.get((outcome.failed() - 2) / 2).client(), System.nanoTime());
        }
        return false;
    }

    private void remember(RecordKey key, StoredText before, String text, OpResult result) {
        int node = result instanceof OpResult.SetDataResult written
                ? written.getStat().getVersion()
                : 0;
        memory.put(key, text, version(bucketOf(before), node), before.clock());
    }

    @Override
    public boolean isCurrent(RecordKey key, StoredText found) {
        if (bucketOf(found) == NONE) {
            return calls().multi(absent(paths.bucket(key))).isDone();
        }
        String path = paths.record(key);
        List<Op> ops = new ArrayList<>();
        ops.add(Op.check(paths.bucket(key), bucketOf(found)));
        ops.addAll(nodeOf(found) == NONE ? absent(path) : List.of(Op.check(path, nodeOf(found))));
        ZooKeeperCalls.Outcome outcome = calls().multi(ops);
        if (outcome.failed() == 0) {
            buckets.remove(paths.bucket(key));
        }
        return outcome.isDone();
    }

    /** Returns operations that fail if there is a node, and change nothing. */
    private List<Op> absent(String path) {
        return List.of(Op.create(path, new byte[0], options.acl(), CreateMode.PERSISTENT), Op.delete(path, -1));
    }

    @Override
    public Extended extendUnwanted(List<Command.Renew.Item> items, long notAfter, long idleMillis) {
        remember(LeaseExtension.unknown(items, memory));
        StoreClock now = clock();
        List<LeaseExtension> extensions = LeaseExtension.of(items, memory, now, notAfter, idleMillis);
        while (!extensions.isEmpty()) {
            int failed = extend(extensions);
            if (failed < 0) {
                return new Extended(
                        extensions.stream()
                                .map(extension -> extension.key().name())
                                .collect(Collectors.toSet()),
                        now.earliest());
            }
            extensions.remove(failed);
        }
        return Extended.NONE;
    }

    /**
     * Reads records together, such as those of all leases after a new connection. A bucket is read before its records,
     * because the requests of a session keep their order.
     */
    private void remember(List<RecordKey> unknown) {
        ZooKeeperCalls calls = calls();
        List<CompletableFuture<@Nullable Stat>> stats =
                unknown.stream().map(key -> calls.exists(paths.bucket(key))).toList();
        List<CompletableFuture<ZooKeeperCalls.@Nullable Node>> nodes =
                unknown.stream().map(key -> calls.get(paths.record(key))).toList();
        boolean isOfAnotherClock = false;
        for (int i = 0; i < unknown.size(); i++) {
            Stat bucket = calls.await(stats.get(i));
            ZooKeeperCalls.Node node = calls.await(nodes.get(i));
            if (bucket != null && node != null) {
                StampedRecord record = record(unknown.get(i), node);
                long version = version(bucket.getVersion(), node.stat().getVersion());
                memory.put(unknown.get(i), record.text(), version, record.written());
                isOfAnotherClock |= !record.written().run().equals(clock().run());
            }
        }
        if (isOfAnotherClock) { // maybe a newer one than this client knows
            session().nodes().readClock();
        }
    }

    private StampedRecord record(RecordKey key, ZooKeeperCalls.Node node) {
        return StampedRecord.read("The node " + paths.record(key), node.data());
    }

    /**
     * Writes extended leases in one transaction. Returns the number of one whose record was changed; -1 if all are
     * written.
     */
    private int extend(List<LeaseExtension> extensions) {
        List<Op> ops = new ArrayList<>();
        for (LeaseExtension extension : extensions) {
            StoredText before = extension.before();
            ops.add(Op.check(paths.bucket(extension.key()), bucketOf(before)));
            ops.add(Op.setData(
                    paths.record(extension.key()), extension.stamped().data(), nodeOf(before)));
        }
        ZooKeeperCalls.Outcome outcome = calls().multi(ops);
        if (!outcome.isDone()) {
            int failed = outcome.failed() / 2;
            memory.remove(extensions.get(failed).key());
            return failed;
        }
        for (int i = 0; i < extensions.size(); i++) {
            session().nodes().learn(outcome, 2 * i + 1);
            LeaseExtension extension = extensions.get(i);
            remember(
                    extension.key(),
                    extension.before(),
                    extension.text(),
                    outcome.results().get(2 * i + 1));
        }
        return NONE;
    }

    private Op message(String client, String text) {
        return Op.create(paths.message(client, text), new byte[0], options.acl(), CreateMode.PERSISTENT_SEQUENTIAL);
    }

    private boolean isGone(String client) {
        Long since = gone.get(client);
        boolean isGone = since != null && System.nanoTime() - since < GONE_FOR;
        if (since != null && !isGone) {
            gone.remove(client, since);
        }
        return isGone;
    }

    @Override
    public boolean listens(String client) {
        return !isGone(client) && calls().await(calls().exists(paths.alive(client))) != null;
    }

    @Override
    public void sendMessage(String client, String message) {
        ZooKeeperCalls.Outcome outcome = calls().multi(List.of(message(client, message)));
        if (outcome.code() == Code.NONODE) {
            gone.put(client, System.nanoTime());
        }
    }

    @Override
    public StoredPage scan(RecordKey.Kind kind, String after, int count) {
        calls().await(calls().sync(paths.root()));
        String firstBucket = after.isEmpty() ? "" : StorePaths.bucketName(after);
        List<StoredPage.Named> found = new ArrayList<>();
        List<String> names = calls().await(calls().children(paths.kind(kind), null)).stream()
                .filter(bucket -> bucket.compareTo(firstBucket) >= 0)
                .sorted()
                .toList();
        for (String bucket : names) {
            String path = paths.bucket(kind, bucket);
            List<String> nodes = calls().await(calls().children(path, null)).stream()
                    .filter(node -> !bucket.equals(firstBucket) || node.compareTo(NodeName.of(after)) > 0)
                    .sorted()
                    .toList();
            for (int i = 0; i < nodes.size() && found.size() < count; i += count) {
                readAll(path, nodes.subList(i, Math.min(nodes.size(), i + count - found.size())), found);
            }
            if (found.size() >= count) {
                break;
            }
        }
        return new StoredPage(found, clock());
    }

    /** Reads records, whose requests are sent together. */
    private void readAll(String bucket, List<String> nodes, List<StoredPage.Named> found) {
        List<CompletableFuture<ZooKeeperCalls.@Nullable Node>> reads = new ArrayList<>();
        for (String node : nodes) {
            reads.add(calls().get(bucket + "/" + node));
        }
        for (int i = 0; i < nodes.size(); i++) {
            ZooKeeperCalls.Node node = calls().await(reads.get(i));
            if (node != null) {
                String text = StampedRecord.read("The node " + bucket + "/" + nodes.get(i), node.data())
                        .text();
                found.add(new StoredPage.Named(NodeName.text(nodes.get(i)), text));
            }
        }
    }

    @Override
    public void sweep() {
        session().sweep();
    }

    @Override
    public String version() {
        Stat stat = calls().await(calls().exists(paths.id()));
        String epoch = stat == null
                ? ""
                : clock.read(options.clockTolerance())
                        .map(now -> ", " + now.run())
                        .orElse("");
        return "ZooKeeper (client " + Version.getVersion() + epoch + ")";
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
                ? Optional.of("ZooKeeper notices that a client was killed when its session times out")
                : Optional.empty();
    }

    @Override
    public String namespace() {
        return paths.root();
    }

    @Override
    public String address() {
        return connector.address() + options.root();
    }
}
