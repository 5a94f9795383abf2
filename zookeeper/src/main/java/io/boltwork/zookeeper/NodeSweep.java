// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.BackendException;
import io.boltwork.store.RecordExpiry;
import io.boltwork.store.RecordKey;
import io.boltwork.store.StampedRecord;
import io.boltwork.store.StoreClock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.jspecify.annotations.Nullable;

/**
 * Drops records that have expired, and the inboxes of clients that are gone. Looks at the buckets in random order for a
 * second, so that several clients share the work. Not thread-safe.
 */
final class NodeSweep {
    /** The time for one sweep, which shares its thread with the events of the connection. The next sweep goes on. */
    private static final long BUDGET = TimeUnit.SECONDS.toNanos(1);
    /** Reads that are sent together, and deletions of one transaction. */
    private static final int TOGETHER = 100;

    private final StorePaths paths;
    private final ZooKeeperOptions options;
    private final RecordExpiry expiry = new RecordExpiry();

    /** Inboxes that had no client the last time. */
    private final Set<String> abandoned = new HashSet<>();

    NodeSweep(StorePaths paths, ZooKeeperOptions options) {
        this.paths = paths;
        this.options = options;
    }

    void run(ZooKeeperCalls calls, StoreClock now) {
        long begun = System.nanoTime();
        sweepInboxes(calls);
        List<String> buckets = new ArrayList<>();
        for (RecordKey.Kind kind : RecordKey.Kind.values()) {
            for (String bucket : calls.await(calls.children(paths.kind(kind), null))) {
                buckets.add(paths.bucket(kind, bucket));
            }
        }
        Collections.shuffle(buckets);
        for (String bucket : buckets) {
            if (System.nanoTime() - begun > BUDGET) {
                return;
            }
            List<String> names = calls.await(calls.children(bucket, null));
            for (int i = 0; i < names.size(); i += TOGETHER) {
                sweep(calls, now, bucket, names.subList(i, Math.min(names.size(), i + TOGETHER)));
            }
        }
    }

    /** Drops those records of a bucket that have expired. If one of them is written meanwhile, none is dropped. */
    private void sweep(ZooKeeperCalls calls, StoreClock now, String bucket, List<String> names) {
        List<CompletableFuture<ZooKeeperCalls.@Nullable Node>> reads = new ArrayList<>();
        names.forEach(name -> reads.add(calls.get(bucket + "/" + name)));
        List<Op> ops = new ArrayList<>();
        ops.add(Op.setData(bucket, new byte[0], -1));
        for (int i = 0; i < names.size(); i++) {
            ZooKeeperCalls.Node node = calls.await(reads.get(i));
            String path = bucket + "/" + names.get(i);
            if (node != null && isExpired(path, node, now)) {
                ops.add(Op.delete(path, node.stat().getVersion()));
            }
        }
        if (ops.size() > 1) {
            calls.multi(ops);
        }
    }

    private boolean isExpired(String path, ZooKeeperCalls.Node node, StoreClock now) {
        try {
            return expiry.isExpired(path, StampedRecord.read("The node " + path, node.data()), now);
        } catch (BackendException foreign) {
            return false;
        }
    }

    /** Drops inboxes that have had no client for a minute. */
    private void sweepInboxes(ZooKeeperCalls calls) {
        Set<String> without = new HashSet<>(calls.await(calls.children(paths.inboxes(), null)));
        without.removeAll(calls.await(calls.children(paths.allAlive(), null)));
        abandoned.retainAll(without);
        for (String client : abandoned) {
            String inbox = paths.inboxes() + "/" + client;
            for (String message : calls.await(calls.children(inbox, null))) {
                calls.await(calls.delete(inbox + "/" + message));
            }
            String alive = paths.allAlive() + "/" + client;
            calls.multi(List.of( // not if the client has come back meanwhile
                    Op.create(alive, new byte[0], options.acl(), CreateMode.EPHEMERAL),
                    Op.delete(alive, -1),
                    Op.delete(inbox, -1)));
        }
        abandoned.addAll(without);
    }
}
