// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.cluster;

import io.boltwork.BackendException;
import io.boltwork.redis.address.ErrorCodes;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.NodeAddress;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.call.Redirector;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.cluster.Redirection.Kind;
import io.boltwork.redis.connect.Connector;
import io.boltwork.redis.connect.LettuceClient;
import io.boltwork.redis.connect.MasterFinder;
import io.boltwork.redis.connect.Routing;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.MalformedMessages;
import io.boltwork.redis.wire.Slots;
import io.boltwork.spi.Announce;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Witness;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Routes commands to the masters of a cluster. Each master has some of the slots, and so some of the locks. A command
 * goes to the master that has its slot, as far as is known, and then wherever that master redirects it. See
 * docs/run/cluster.md.
 */
public final class ClusterRouting implements Routing, ClusterNode.NodeOwner, Redirector {

    /*
     * Events, and how they are handled:
     *
     *   a slot has moved     MOVED: the command goes to the new node at once. The map is read again. As soon as the map
     *                        confirms the move, all commands of the slot go to the new node. Then the client is told
     *                        that the slot is connected, so it verifies its holds and its waiters ask again.
     *   a slot is moving     ASK: the command goes to the new node once, after ASKING. The map stays as it is.
     *   a master is gone     Its connections break, or its pings are not answered: the client is told that its slots
     *                        are disconnected. The map is read five times a second until a replica has taken over the
     *                        slots.
     *   a master is replaced The map names another node, while the connections of the old master look alive because it
     *                        is frozen or now a replica: handled as if all of its slots had moved. Its connections are
     *                        closed at once.
     *   an error that may    Scripts of serverless servers fail with an ERR when a slot moves: the map is read again,
     *   pass, without code   and an acquire or a renewal is sent again. The machine repeats other commands.
     *   too few masters      CLUSTERDOWN: handled as if the node were gone, until the node accepts commands again.
     */

    /** The time for which a node without slots is kept. Moving a slot takes less time. */
    private static final long GRACE_SECONDS = 60;

    /**
     * The number of redirections of a command without pauses. Further ones, while nodes disagree, come after pauses.
     */
    private static final int HOPS_AT_ONCE = 3;

    private static final int HOPS = 12;
    private static final long HOP_MILLIS = 50;

    private final LettuceClient lettuce;
    private final RedisDeployment deployment;
    private final KeySpace keySpace;
    private final Errors errors;
    private final EventExecutor loop;
    private final ClusterMaps maps;
    private final SlotWatch watch;
    private final Map<NodeAddress, ClusterNode> nodes = new ConcurrentHashMap<>();
    private volatile @Nullable BackendListener listener;

    private final MalformedMessages malformed = new MalformedMessages();
    private volatile boolean closed;

    /* The following fields belong to the loop thread. */
    private final Set<String> weaknesses = new HashSet<>();
    private String client = "";

    private ClusterRouting(LettuceClient lettuce, RedisDeployment deployment, KeySpace keySpace) {
        this.lettuce = lettuce;
        this.deployment = deployment;
        this.keySpace = keySpace;
        this.errors = new Errors(deployment);
        this.loop = lettuce.loop();
        this.maps = new ClusterMaps(deployment, lettuce);
        this.watch = new SlotWatch(this, maps, errors, loop);
    }

    /** Connects to all masters. Blocks. */
    public static ClusterRouting connect(LettuceClient lettuce, RedisDeployment deployment, KeySpace keySpace) {
        ClusterRouting cluster = new ClusterRouting(lettuce, deployment, keySpace);
        SlotMap map = LettuceClient.await(cluster.maps.first());
        if (!map.isCovered()) {
            throw new BackendException(
                    "Cannot use " + deployment.describe() + ": no master has the slots " + map.uncovered(), true, null);
        }
        List<CompletableFuture<?>> connects = new ArrayList<>();
        // one connection for each master, which may have several ranges of slots
        cluster.watch.begin(Topology.of(
                map,
                master -> cluster.nodes.computeIfAbsent(master, address -> {
                    ClusterNode node = cluster.newNode(address);
                    connects.add(cluster.connect(node));
                    return node;
                })));
        LettuceClient.await(all(connects));
        cluster.loop.execute(cluster.watch::lookLater);
        return cluster;
    }

    /** Connects to a node. If the user has not named it, a failure mentions where its address comes from. */
    private CompletableFuture<@Nullable Void> connect(ClusterNode node) {
        boolean named = deployment.members().stream()
                .anyMatch(member -> member.hostAndPort().equals(node.toString()));
        return node.connect().exceptionally(failure -> {
            if (!named && Errors.unwrap(failure) instanceof BackendException cause) {
                throw new BackendException(
                        cause.getMessage()
                                + ". The cluster names this address as that of a master. If clients reach it at another"
                                + " address, set cluster-announce-ip and cluster-announce-port, or give RedisOptions"
                                + " client resources with a socket address resolver",
                        cause.isRetryable(),
                        cause);
            }
            throw new CompletionException(Errors.unwrap(failure));
        });
    }

    private ClusterNode newNode(NodeAddress address) {
        RedisAddress there = deployment.node().at(address.host(), address.port());
        Errors itsErrors = errors.at(there.hostAndPort());
        MasterFinder finder = new NodeConfirmation(address, there, itsErrors, maps, watch);
        return new ClusterNode(address, new Connector(lettuce, deployment, keySpace, finder, itsErrors, this), this);
    }

    /** Returns the node at an address if it is known. */
    @Nullable
    ClusterNode known(NodeAddress address) {
        return nodes.get(address);
    }

    /** Returns the node at an address, and connects to it if it was not known. */
    ClusterNode node(NodeAddress address) {
        return nodes.computeIfAbsent(address, unknown -> {
            ClusterNode node = newNode(unknown);
            node.keepConnecting();
            loop.execute(() -> {
                if (closed) {
                    node.close();
                } else if (listener != null) {
                    node.open(client, false); // the client works with the others
                }
                loop.schedule(() -> retire(node, false), GRACE_SECONDS, TimeUnit.SECONDS); // unless it gets slots
            });
            return node;
        });
    }

    private static CompletableFuture<@Nullable Void> all(Collection<? extends CompletableFuture<?>> each) {
        CompletableFuture<@Nullable Void> first = new CompletableFuture<>();
        each.forEach(one -> one.whenComplete((ignored, failure) -> {
            if (failure != null) {
                first.completeExceptionally(Errors.unwrap(failure)); // only the first failure counts
            }
        }));
        CompletableFuture.allOf(each.toArray(CompletableFuture<?>[]::new)).thenRun(() -> first.complete(null));
        return first;
    }

    // ================================================================ opening and closing

    @Override
    public void open(String whose, BackendListener told) {
        CompletableFuture<@Nullable Void> opened = new CompletableFuture<>();
        loop.execute(() -> {
            client = whose;
            listener = told;
            List<CompletableFuture<?>> opens = new ArrayList<>();
            nodes.values().forEach(node -> opens.add(node.open(whose, true)));
            all(opens).whenComplete((ignored, failure) -> {
                if (failure == null) {
                    opened.complete(null);
                } else {
                    opened.completeExceptionally(failure);
                }
            });
        });
        try {
            LettuceClient.await(opened);
        } catch (BackendException e) {
            loop.execute(() -> {
                listener = null;
                nodes.values().forEach(ClusterNode::unopen);
            });
            throw e;
        }
    }

    @Override
    public void rename(String whose) {
        loop.execute(() -> {
            client = whose;
            nodes.values().forEach(node -> node.rename(whose));
        });
    }

    @Override
    public CompletableFuture<@Nullable Void> close() {
        closed = true;
        List<CompletableFuture<?>> closes = new ArrayList<>();
        nodes.values().forEach(node -> closes.add(node.close()));
        return CompletableFuture.allOf(closes.toArray(CompletableFuture<?>[]::new));
    }

    // ================================================================ sending

    @Override
    public int partitions() {
        return Slots.COUNT;
    }

    @Override
    public int partition(String lock) {
        return keySpace.slot(lock);
    }

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        if (command instanceof Query.Identify identify) {
            ClusterScan.identify(
                    identify, client -> watch.topology().node(Slots.of(keySpace.clientKey(client))), errors, handler);
        } else if (command instanceof Query<?> scan && !(command instanceof Query.Inspect)) {
            ClusterScan.send(scan, watch.masters(), errors, handler);
        } else {
            send(command, slot(command), 0, handler);
        }
    }

    private void send(Command<?> command, int slot, int hops, Consumer<Reply> handler) {
        ClusterNode node = watch.topology().node(slot);
        if (node == null) {
            handler.accept(new Reply.Failed(false, errors.notConnected(SlotWatch.uncovered(slot))));
        } else {
            node.send(command, slot, hops, handler);
        }
    }

    @Override
    public @Nullable CallerRun offer(Command<?> command, Consumer<Reply> handler) {
        int slot = slot(command);
        ClusterNode node = watch.topology().node(slot);
        return node == null ? null : node.offer(command, slot, handler);
    }

    private int slot(Command<?> command) {
        if (command instanceof Command.LockCommand<?> one) {
            return keySpace.slot(one.lock());
        } else if (command instanceof Command.Renew renew) {
            return keySpace.slot(renew.items().get(0).lock()); // all of its locks have this slot
        } else if (command instanceof LatchCommand latch) {
            return keySpace.slot(latch.latch());
        } else if (command instanceof Announce announce) {
            return Slots.of(keySpace.clientKey(announce.card().id()));
        } else if (command instanceof Witness) {
            return Slots.of(keySpace.uptimeKey());
        }
        throw new IllegalArgumentException("Not about one slot: " + command);
    }

    @Override
    public boolean redirected(
            ServerConnection from, Command<?> command, int slot, int hops, String error, Consumer<Reply> handler) {
        NodeAddress asked = NodeAddress.parse(from.where(), new NodeAddress("", 0));
        Redirection redirection = asked == null ? null : Redirection.parse(error, asked);
        if (closed) {
            return false;
        } else if (redirection == null) {
            return askedAgain(command, slot, hops, error, handler);
        }
        ClusterNode source = nodes.get(asked);
        if (redirection.kind() == Kind.CLUSTERDOWN) {
            if (source != null && error.contains("The cluster is down")) {
                source.refuses(slot);
            }
            return false;
        }
        if (redirection.kind() == Kind.MOVED) {
            suspicion();
        }
        if (redirection.kind() == Kind.CROSSSLOT || hops >= HOPS) {
            return false;
        }
        if (hops < HOPS_AT_ONCE) {
            redirect(redirection, source, command, slot, hops + 1, handler);
        } else {
            loop.schedule(
                    () -> redirect(redirection, source, command, slot, hops + 1, handler),
                    HOP_MILLIS,
                    TimeUnit.MILLISECONDS);
        }
        return true;
    }

    /**
     * Reads the map and sends the command again, if that does no harm, after an error that may pass. One such error is
     * that of a node which has lost the slot while its script ran. The command may have been executed.
     */
    private boolean askedAgain(Command<?> command, int slot, int hops, String error, Consumer<Reply> handler) {
        if (!ErrorCodes.isPassingUnknown(error)) {
            return false;
        }
        suspicion();
        boolean again = (command instanceof Command.Acquire || command instanceof Command.Renew) && hops < HOPS;
        if (again) {
            loop.schedule(() -> send(command, slot, hops + 1, handler), HOP_MILLIS, TimeUnit.MILLISECONDS);
        }
        return again;
    }

    private void redirect(
            Redirection redirection,
            @Nullable ClusterNode source,
            Command<?> command,
            int slot,
            int hops,
            Consumer<Reply> handler) {
        boolean moved = redirection.kind() == Kind.MOVED;
        if (!moved && command instanceof Command.Renew renew && renew.items().size() > 1) {
            RenewParts.send(
                    renew,
                    (part, answer) -> send(part, slot, hops, answer),
                    handler); // some keys are at one node, some at the other
        } else if (redirection.to() == null || source == null) {
            send(command, slot, hops, handler);
        } else if (moved) {
            node(redirection.to()).send(command, slot, hops, handler);
        } else {
            node(redirection.to()).sendAsking(command, slot, hops, handler);
        }
    }

    // ================================================================ nodes without slots

    /** Retires all nodes except the given ones. Those that had slots before have been replaced. */
    void retireAllBut(Set<ClusterNode> targets, Set<NodeAddress> before) {
        nodes.values().stream()
                .filter(node -> !targets.contains(node))
                .forEach(node -> retire(node, before.contains(node.address())));
    }

    /**
     * Closes a node that has no slots, unless it gets some.
     *
     * @param replaced whether another node has taken its slots. If so, the node may be frozen and might execute the
     *     commands that wait in its sockets when it wakes, so it is closed at once. If not, commands under way may
     *     still be answered
     */
    void retire(ClusterNode node, boolean replaced) {
        loop.schedule(
                () -> {
                    if (!watch.topology().map().masters().contains(node.address())
                            && nodes.remove(node.address(), node)) {
                        node.close();
                    }
                },
                replaced ? 0 : 2 * deployment.commandTimeout().toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /** Closes channels that have not been used since the last sweep. Each node also does so every half minute. */
    public CompletableFuture<@Nullable Void> sweep() {
        return CompletableFuture.runAsync(() -> nodes.values().forEach(ClusterNode::sweep), loop);
    }

    /** Returns the listener of the client, or {@code null} if the backend is not open. */
    @Nullable
    BackendListener listener() {
        return listener;
    }

    boolean isClosed() {
        return closed;
    }

    // ================================================================ events of nodes

    @Override
    public void up(ClusterNode node, ServerTime time) {
        watch.up(node, time);
    }

    @Override
    public void down(ClusterNode node, Throwable cause) {
        watch.down(node, cause);
    }

    @Override
    public void suspicion() {
        watch.suspicion();
    }

    @Override
    public int anySlot(ClusterNode node) {
        return watch.anySlot(node);
    }

    @Override
    public void unheard(int slot) {
        watch.unheard(slot);
    }

    @Override
    public void granted(Grant grant) {
        BackendListener told = listener;
        if (told != null) {
            told.granted(grant);
        }
    }

    @Override
    public void malformed(IllegalArgumentException why) {
        malformed.met(why, this::weaker);
    }

    @Override
    public long malformedMessages() {
        return malformed.count();
    }

    @Override
    public void told(HolderMessage message) {
        BackendListener told = listener;
        if (told != null) {
            told.told(message);
        }
    }

    @Override
    public void opened(LatchOpened opened) {
        BackendListener told = listener;
        if (told != null) {
            told.opened(opened);
        }
    }

    @Override
    public void freed(LockFreed freed) {
        BackendListener told = listener;
        if (told != null) {
            told.freed(freed);
        }
    }

    @Override
    public void weaker(String what) {
        BackendListener told = listener;
        if (told != null && weaknesses.add(what)) {
            told.warned(what);
        }
    }

    @Override
    public CompletableFuture<List<NodeStatus>> nodes() {
        List<CompletableFuture<List<NodeStatus>>> asked =
                watch.masters().stream().map(ClusterNode::status).toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .thenApply(done ->
                        asked.stream().flatMap(each -> each.join().stream()).toList());
    }
}
