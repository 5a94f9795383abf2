// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.BackendException;
import io.boltwork.store.LeaderClock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;

/** The nodes of this client: one that lives as long as its session, and one for messages. Thread-safe. */
final class ClientNodes {
    /** Only clients with equal ids change these nodes at the same time, by mistake. */
    private static final int ATTEMPTS = 10;

    private static final long MICROS = 1_000;

    /** The upper half of a transaction's number is the epoch of its leader. */
    private static final int EPOCH_SHIFT = 32;

    private final ZooKeeperCalls calls;
    private final StorePaths paths;
    private final ZooKeeperOptions options;
    private final LeaderClock clock;
    private final Consumer<String> messages;
    private volatile String client;
    private volatile String store = "";

    ClientNodes(
            ZooKeeperCalls calls,
            StorePaths paths,
            ZooKeeperOptions options,
            LeaderClock clock,
            String client,
            Consumer<String> messages) {
        this.calls = calls;
        this.paths = paths;
        this.options = options;
        this.clock = clock;
        this.client = client;
        this.messages = messages;
    }

    /** Returns the text that identifies the data of the ensemble. */
    String store() {
        return store;
    }

    /** Makes the nodes in this session if they are missing, reads the leader's clock, and asks for messages. */
    void prepare() {
        calls.make(paths.folders(), options);
        String known = storeId();
        if (!known.equals(store)) {
            clock.forget();
            store = known;
        }
        beAlive();
        calls.await(collect(client));
    }

    private String storeId() {
        for (int i = 0; i < ATTEMPTS; i++) {
            ZooKeeperCalls.Node found = calls.await(calls.get(paths.id()));
            if (found != null) {
                return new String(found.data(), StandardCharsets.US_ASCII);
            }
            String id = UUID.randomUUID().toString().substring(0, 8);
            calls.multi(List.of(Op.create(
                    paths.id(), id.getBytes(StandardCharsets.US_ASCII), options.acl(), CreateMode.PERSISTENT)));
        }
        throw new BackendException("The node " + paths.id() + " is deleted again and again", true, null);
    }

    /**
     * Makes the node that shows that this client is alive, in place of one of an earlier session. The client has an
     * inbox as soon as others see that node.
     */
    private void beAlive() {
        String path = paths.alive(client);
        String inbox = paths.inbox(client);
        for (int i = 0; i < ATTEMPTS; i++) {
            Stat found = calls.await(calls.exists(path));
            List<Op> ops = new ArrayList<>();
            ops.add(
                    calls.await(calls.exists(inbox)) != null
                            ? Op.check(inbox, -1)
                            : Op.create(inbox, new byte[0], options.acl(), CreateMode.PERSISTENT));
            if (found != null && found.getEphemeralOwner() != calls.session()) {
                ops.add(Op.delete(path, found.getVersion()));
            }
            if (found == null || ops.size() > 1) {
                ops.add(Op.create(path, new byte[0], options.acl(), CreateMode.EPHEMERAL));
            }
            ops.add(Op.setData(path, new byte[0], -1));
            if (learn(calls.multi(ops), ops.size() - 1)) {
                return;
            }
        }
        throw new BackendException("The node " + path + " is changed by another client", true, null);
    }

    /** Writes to the own node, so that the leader tells its time. */
    void readClock() {
        if (!learn(calls.multi(List.of(Op.setData(paths.alive(client), new byte[0], -1))), 0)) {
            beAlive();
        }
    }

    /** Learns the leader's time from a part of a transaction. Returns whether the transaction was executed. */
    boolean learn(ZooKeeperCalls.Outcome outcome, int part) {
        if (outcome.isDone() && outcome.results().get(part) instanceof OpResult.SetDataResult written) {
            Stat stat = written.getStat();
            long time = stat.getMtime() * MICROS; // the leader's time, rounded down to milliseconds
            clock.learn(
                    store, stat.getMzxid() >>> EPOCH_SHIFT, time, time + MICROS, outcome.sent(), outcome.answered());
        }
        return outcome.isDone();
    }

    /** Is another client from now on, whose nodes are made by {@link #prepare}. */
    void become(String id) {
        String before = client;
        client = id;
        if (!before.equals(id)) {
            delete(before);
        }
    }

    /** Reads the messages that have come, and watches for more. */
    private CompletableFuture<List<String>> collect(String id) {
        String inbox = paths.inbox(id);
        Watcher watcher = event -> {
            if (event.getType() == Watcher.Event.EventType.NodeChildrenChanged && id.equals(client)) {
                try {
                    collect(id);
                } catch (BackendException later) { // when the connection is made again
                }
            }
        };
        return calls.children(inbox, watcher).thenApply(names -> {
            names.stream().sorted(Comparator.comparingLong(StorePaths::number)).forEach(name -> {
                delete(calls, inbox + "/" + name);
                messages.accept(StorePaths.message(name));
            });
            return names;
        });
    }

    /** Removes the nodes, without waiting. Returns when that is done. */
    CompletableFuture<?> delete() {
        return delete(client);
    }

    private CompletableFuture<?> delete(String id) {
        delete(calls, paths.inbox(id)); // if there are messages, it is swept later
        return delete(calls, paths.alive(id));
    }

    private static CompletableFuture<?> delete(ZooKeeperCalls calls, String path) {
        try {
            return calls.delete(path).exceptionally(failed -> null);
        } catch (BackendException later) { // what is left is swept
            return CompletableFuture.completedFuture(null);
        }
    }
}
