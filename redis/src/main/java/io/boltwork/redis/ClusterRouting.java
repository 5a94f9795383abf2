package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.redis.Redirection.Kind;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Taken;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The masters of a cluster, each with some of the slots, and so of the locks. Commands go to the master that has their slot, as far
 * as that is known, and wherever that master sends them. docs/cluster.md says what a cluster does, and what follows from it.
 */
final class ClusterRouting implements Routing, ClusterNode.Owner, Redirector {

    /*
     * What can happen, and who sees to it:
     *
     *   a slot has moved     MOVED: that command goes there at once. The map is read anew; when it says so, too, the slot's commands
     *                        go there, and the client is told that the slot is connected: its holds are verified, who waits asks
     *                        again. Before that is told, commands go by the new map.
     *   a slot is moving     ASK: that command goes there, once, with ASKING before it. The map stays as it is.
     *   a master is gone     its connections break, or its pings stay unanswered: the client is told that its slots are
     *                        disconnected. The map is read five times a second until a replica has its slots.
     *   a master is replaced the map says so while its connections look alive (it is frozen, or a replica now): as if all of
     *                        its slots had moved. It is closed when nothing can be under way there any more.
     *   too few masters      CLUSTERDOWN: as if that node were gone, until it says that the cluster is well.
     *
     * Maps are hints, of up to three nodes each time; what most say counts. Who has a slot is known by the node alone that is asked
     * for it.
     */

    /** Locks are to work again 2 s after a failover: the map is read so often, and more often when something is known to be wrong. */
    private static final long CALM_MILLIS = 1_000;

    private static final long RESTLESS_MILLIS = 200;

    /** Many commands are redirected at once when a slot moves; the map is read once for all of them. */
    private static final long SUSPICION_MILLIS = 50;

    /**
     * How long nodes are asked whether another one has taken the place of one that was silent, or whose connections are made
     * anew: longer than the silent are waited for when one has answered (0.2 s), and not so long that it matters when nobody
     * answers.
     */
    private static final long REPLACED_MILLIS = 500;

    /** The fewest of whom most can be right though one is wrong. */
    private static final int ASKED = 3;

    /** A slot is moved in less; who gets none in that time is not going to. */
    private static final long GRACE_SECONDS = 60;

    /** A command goes so often from node to node at once; then, while nodes disagree, with pauses. */
    private static final int HOPS_AT_ONCE = 3;

    private static final int HOPS = 12;
    private static final long HOP_MILLIS = 50;

    private final LettuceClient lettuce;
    private final RedisDeployment deployment;
    private final KeySpace keySpace;
    private final Errors errors;
    private final EventExecutor loop;
    private final ClusterMaps maps;
    private final Map<NodeAddress, ClusterNode> nodes = new ConcurrentHashMap<>();
    private volatile Topology topology = Topology.NONE;
    private volatile @Nullable BackendListener listener;

    private final MalformedMessages malformed = new MalformedMessages();
    private volatile boolean closed;

    /* What follows belongs to the clerk's thread. */
    private final Set<String> weaknesses = new HashSet<>();
    private String client = "";
    private final BitSet unheard = new BitSet(Slots.COUNT);
    private boolean looking;
    private boolean lookAgain;
    private boolean suspects;

    private ClusterRouting(LettuceClient lettuce, RedisDeployment deployment, KeySpace keySpace) {
        this.lettuce = lettuce;
        this.deployment = deployment;
        this.keySpace = keySpace;
        this.errors = new Errors(deployment);
        this.loop = lettuce.loop();
        this.maps = new ClusterMaps(deployment, lettuce);
    }

    /** Connects to all masters. Blocks. */
    static ClusterRouting connect(LettuceClient lettuce, RedisDeployment deployment, KeySpace keySpace) {
        lettuce.checkMayBlock();
        ClusterRouting cluster = new ClusterRouting(lettuce, deployment, keySpace);
        SlotMap map = LettuceClient.await(cluster.maps.first());
        if (!map.isCovered()) {
            throw new BackendException(
                    "Cannot use " + deployment.describe() + ": no master has the slots " + map.uncovered(), true, null);
        }
        List<CompletableFuture<?>> connects = new ArrayList<>();
        // one for each, though it may have several ranges of slots
        cluster.topology = Topology.of(
                map,
                master -> cluster.nodes.computeIfAbsent(master, address -> {
                    ClusterNode node = cluster.newNode(address);
                    connects.add(cluster.connect(node));
                    return node;
                }));
        LettuceClient.await(all(connects));
        cluster.loop.execute(cluster::lookLater);
        return cluster;
    }

    /** Connects to a node that others have told of. */
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
        long told = System.nanoTime();
        MasterFinder finder = new MasterFinder() {
            @Override
            public CompletableFuture<RedisAddress> find(long millis) {
                // the map that named the node is read that often, so until then nobody knows better
                boolean isNews = System.nanoTime() - told < TimeUnit.MILLISECONDS.toNanos(CALM_MILLIS);
                return isNews
                        ? CompletableFuture.completedFuture(there)
                        : notReplaced(address, itsErrors).thenApply(confirmed -> there);
            }

            @Override
            public boolean mayMove() {
                return false; // its slots may, and that is looked after here
            }

            @Override
            public boolean mayBeReplaced() {
                return true;
            }

            @Override
            public CompletableFuture<?> confirm(RedisAddress server, Errors errors) {
                return notReplaced(address, errors);
            }
        };
        return new ClusterNode(address, new Connector(lettuce, deployment, keySpace, finder, itsErrors, this), this);
    }

    /**
     * Fails if another node has taken the place of that one; it is not asked itself. One that had no slots may be about to get
     * some; and if nobody answers, nobody knows better.
     */
    private CompletableFuture<?> notReplaced(NodeAddress address, Errors itsErrors) {
        SlotMap known = topology.map(); // as it is now: it may be another one when the answers are here
        return maps.ask(known.masters(), address, ASKED, REPLACED_MILLIS)
                .exceptionally(nobodyAnswers -> known)
                .thenAccept(map -> {
                    if (known.masters().contains(address) && !map.masters().contains(address)) {
                        suspicion();
                        throw itsErrors.replaced("another node has its slots now");
                    }
                });
    }

    /** A node that is known, or is now. */
    private ClusterNode node(NodeAddress address) {
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
                first.completeExceptionally(Errors.unwrap(failure)); // the first: the others are not waited for
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
        if (command instanceof Command.ScanLocks || command instanceof Command.ScanClients) {
            ClusterScan.send(command, masters(), errors, handler);
        } else if (command instanceof Command.Identify identify) {
            ClusterScan.identify(
                    identify, client -> topology.node(Slots.of(keySpace.clientKey(client))), errors, handler);
        } else {
            send(command, slot(command), 0, handler);
        }
    }

    private void send(Command<?> command, int slot, int hops, Consumer<Reply> handler) {
        ClusterNode node = topology.node(slot);
        if (node == null) {
            handler.accept(new Reply.Failed(false, errors.notConnected(uncovered(slot))));
        } else {
            node.send(command, slot, hops, handler);
        }
    }

    private static BackendException uncovered(int slot) {
        return new BackendException("no master has slot " + slot, true, null);
    }

    private int slot(Command<?> command) {
        return command instanceof Command.Announce announce
                ? Slots.of(keySpace.clientKey(announce.card().id()))
                : keySpace.slot(lock(command));
    }

    private static String lock(Command<?> command) {
        if (command instanceof Command.Acquire acquire) {
            return acquire.lock();
        } else if (command instanceof Command.Release release) {
            return release.lock();
        } else if (command instanceof Command.Renew renew) {
            return renew.items().get(0).lock();
        } else if (command instanceof Command.Withdraw withdraw) {
            return withdraw.lock();
        } else if (command instanceof Command.Restore restore) {
            return restore.lock();
        } else if (command instanceof Command.Replicate replicate) {
            return replicate.item().lock();
        } else if (command instanceof Command.ForceRelease force) {
            return force.lock();
        } else if (command instanceof Command.Inspect inspect) {
            return inspect.lock();
        }
        throw new IllegalArgumentException("Unknown command " + command);
    }

    @Override
    public boolean redirected(
            ServerConnection from, Command<?> command, int slot, int hops, String error, Consumer<Reply> handler) {
        NodeAddress asked = NodeAddress.parse(from.where(), new NodeAddress("", 0));
        Redirection redirection = asked == null ? null : Redirection.parse(error, asked);
        if (redirection == null || closed) {
            return false;
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
                    renew, (part, answer) -> send(part, slot, hops, answer), handler); // some keys are here, some there
        } else if (redirection.to() == null || source == null) {
            send(command, slot, hops, handler);
        } else if (moved) {
            node(redirection.to()).send(command, slot, hops, handler);
        } else {
            node(redirection.to()).sendAsking(command, slot, hops, handler);
        }
    }

    // ================================================================ who has which slots

    private Set<ClusterNode> masters() {
        Set<ClusterNode> masters = new LinkedHashSet<>();
        Topology now = topology;
        for (NodeAddress address : now.map().masters()) {
            ClusterNode node = nodes.get(address);
            if (node != null) {
                masters.add(node);
            }
        }
        return masters;
    }

    private void lookLater() {
        if (!closed) {
            boolean calm = masters().stream().allMatch(ClusterNode::isUp) || listener == null;
            loop.schedule(
                    () -> {
                        look();
                        lookLater();
                    },
                    calm && topology.map().isCovered() ? CALM_MILLIS : RESTLESS_MILLIS,
                    TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void suspicion() {
        try {
            loop.execute(() -> {
                if (!suspects && !closed) {
                    suspects = true;
                    loop.schedule(
                            () -> {
                                suspects = false;
                                look();
                            },
                            SUSPICION_MILLIS,
                            TimeUnit.MILLISECONDS);
                }
            });
        } catch (RejectedExecutionException e) {
            // the user has shut his threads down
        }
    }

    @Override
    public int anySlot(ClusterNode node) {
        BitSet slots = topology.slots(node);
        int size = slots.cardinality();
        return size == 0
                ? -1
                : slots.stream()
                        .skip(ThreadLocalRandom.current().nextInt(size))
                        .findFirst()
                        .orElse(-1);
    }

    @Override
    public void unheard(int slot) {
        unheard.set(slot);
        suspicion();
    }

    private void look() {
        if (looking || closed) {
            lookAgain = looking; // what is being heard may be older than what there is to see
            return;
        }
        looking = true;
        maps.ask(topology.map().masters(), null, ASKED, CALM_MILLIS)
                .whenComplete((map, failure) -> loop.execute(() -> {
                    looking = false;
                    if (map != null && !closed) {
                        follow(map);
                    }
                    if (lookAgain) {
                        lookAgain = false;
                        look();
                    }
                }));
    }

    private void follow(SlotMap map) {
        Topology before = topology;
        boolean same = before.map().isSameAs(map);
        if (same && unheard.isEmpty()) {
            return;
        }
        Topology next = same ? before : Topology.of(map, this::node);
        topology = next;
        BitSet moved = next.movedSince(before);
        moved.or(unheard); // it may have moved and come back
        unheard.clear();
        Set<ClusterNode> targets = new LinkedHashSet<>(masters());
        for (ClusterNode target : targets) {
            BitSet gained = next.slots(target);
            gained.and(moved);
            if (!gained.isEmpty()) {
                gained(target, gained);
            }
        }
        BitSet orphaned = next.slots(null);
        orphaned.and(moved);
        BackendListener told = listener;
        if (!orphaned.isEmpty() && told != null) {
            told.disconnected(uncovered(orphaned.nextSetBit(0)), orphaned);
        }
        nodes.values().stream()
                .filter(node -> !targets.contains(node))
                .forEach(node -> retire(node, before.map().masters().contains(node.address())));
    }

    private void gained(ClusterNode target, BitSet slots) {
        BackendListener told = listener;
        if (told == null) {
            return;
        }
        CompletionStage<ServerTime> time = target.isUp() ? target.time() : null;
        if (time == null) {
            told.disconnected(errors.broken("slots have moved to " + target + ", which is not connected yet"), slots);
            return;
        }
        time.whenComplete((read, failure) -> loop.execute(() -> {
            BitSet still = topology.slots(target);
            still.and(slots);
            if (read != null && target.isUp() && !still.isEmpty()) {
                told.connected(read, still);
            }
        }));
    }

    /**
     * A node has no slots. If it had some, another one has taken its place: it may be frozen, and grant on waking what it was asked
     * for before, so what is under way there is given up. If it is about to get some, what is under way may still be answered.
     */
    private void retire(ClusterNode node, boolean replaced) {
        loop.schedule(
                () -> {
                    if (!topology.map().masters().contains(node.address()) && nodes.remove(node.address(), node)) {
                        node.close();
                    }
                },
                replaced ? 0 : 2 * deployment.commandTimeout().toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /** Closes channels that have not been used since the last time; nodes do so by themselves every half minute. */
    CompletableFuture<@Nullable Void> sweep() {
        return CompletableFuture.runAsync(() -> nodes.values().forEach(ClusterNode::sweep), loop);
    }

    // ================================================================ what nodes say

    @Override
    public void up(ClusterNode node, ServerTime time) {
        BackendListener told = listener;
        BitSet slots = topology.slots(node);
        if (told != null && !slots.isEmpty()) {
            told.connected(time, slots);
        }
    }

    @Override
    public void down(ClusterNode node, Throwable cause) {
        BackendListener told = listener;
        BitSet slots = topology.slots(node);
        if (slots.isEmpty()) {
            retire(node, true);
        } else if (told != null) {
            told.disconnected(cause, slots);
        }
        suspicion();
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
    public void taken(Taken taken) {
        BackendListener told = listener;
        if (told != null) {
            told.taken(taken);
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
                masters().stream().map(ClusterNode::status).toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .thenApply(done ->
                        asked.stream().flatMap(each -> each.join().stream()).toList());
    }
}
