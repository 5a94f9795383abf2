// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A Redis Cluster of real processes. Replicas take over by themselves. Slots are moved by methods of this class, either
 * at once or step by step, so that a test can examine a slot while it is moving. Kill, freeze, thaw and restart nodes
 * only through this class, so that it knows which nodes do not answer. One thread may do that while others move slots
 * and query the cluster.
 *
 * @since 0.1.0
 */
public final class ClusterGroup implements AutoCloseable {

    /** The number of slots of a cluster. */
    public static final int SLOTS = 16_384;

    /** The default time without an answer after which other nodes consider a node down. */
    public static final Duration PATIENCE = Duration.ofMillis(1_000);

    private static final Duration TAKEOVER = Duration.ofMinutes(1); // it may take several elections
    private static final Duration AGAIN =
            Duration.ofSeconds(6); // a replica that is asked to take over gives up after 5 s
    private static final int MASTERS = 3;
    private static final int BUS = 10_000;

    private final List<RedisServer> nodes;
    private final Map<String, RedisServer> byId = new HashMap<>();
    private final Set<RedisServer> silent = ConcurrentHashMap.newKeySet();

    private ClusterGroup(List<RedisServer> nodes) {
        this.nodes = nodes;
    }

    /**
     * Starts three masters with one replica each. The nodes run the binary of {@link RedisServer#start}.
     *
     * @param extraArgs further command-line arguments of each node
     * @return the cluster, with all slots covered and replicas in sync; this takes two seconds
     */
    public static ClusterGroup start(String... extraArgs) {
        return start(MASTERS, 1, PATIENCE, extraArgs);
    }

    /**
     * Starts a cluster.
     *
     * @param masters the number of masters; each gets the same share of the slots
     * @param replicas the number of replicas of each master
     * @param nodeTimeout the time without an answer after which other nodes consider a node down
     * @param extraArgs further command-line arguments of each node
     * @return the cluster, with all slots covered and replicas in sync
     */
    public static ClusterGroup start(int masters, int replicas, Duration nodeTimeout, String... extraArgs) {
        return start(RedisServer::start, masters, replicas, nodeTimeout, extraArgs);
    }

    /**
     * Starts a cluster like {@link #start(String...)} in which all nodes are Redis 6.2.
     *
     * @param extraArgs further command-line arguments of each node
     * @return the cluster, with all slots covered and replicas in sync
     */
    public static ClusterGroup startEmbedded(String... extraArgs) {
        return startEmbedded(MASTERS, 1, PATIENCE, extraArgs);
    }

    /**
     * Starts a cluster like {@link #start(int, int, Duration, String...)} in which all nodes are Redis 6.2.
     *
     * @param masters the number of masters; each gets the same share of the slots
     * @param replicas the number of replicas of each master
     * @param nodeTimeout the time without an answer after which other nodes consider a node down
     * @param extraArgs further command-line arguments of each node
     * @return the cluster, with all slots covered and replicas in sync
     */
    public static ClusterGroup startEmbedded(int masters, int replicas, Duration nodeTimeout, String... extraArgs) {
        return start(RedisServer::startEmbedded, masters, replicas, nodeTimeout, extraArgs);
    }

    /**
     * Starts a cluster without replicas as in the middle of an upgrade: every second node is Redis 6.2.
     *
     * @param masters the number of masters; each gets the same share of the slots
     * @return the cluster, with all slots covered
     */
    public static ClusterGroup startMixed(int masters) {
        AtomicInteger started = new AtomicInteger();
        return start(
                args -> started.getAndIncrement() % 2 == 0 ? RedisServer.start(args) : RedisServer.startEmbedded(args),
                masters,
                0,
                PATIENCE);
    }

    /**
     * Starts a cluster without replicas that uses TLS. All certificates are for the name {@code localhost} and for no
     * address. The nodes announce their addresses until {@link #announceNames} is called.
     *
     * @param certificates the certificates of the nodes
     * @param masters the number of masters; each gets the same share of the slots
     * @return the cluster, with all slots covered
     */
    public static ClusterGroup startNamed(Certificates certificates, int masters) {
        return start(
                args -> RedisServer.startNamed(certificates, args),
                masters,
                0,
                PATIENCE,
                "--tls-cluster",
                "yes",
                "--tls-replication",
                "yes");
    }

    /** Makes all nodes announce the name {@code localhost} instead of their addresses. Requires Redis 7. */
    public void announceNames() {
        nodes.forEach(node -> set(node, "cluster-announce-hostname", "localhost"));
        nodes.forEach(node -> set(node, "cluster-preferred-endpoint-type", "hostname"));
        Await.until(
                "all nodes report the names of all",
                () -> nodes.stream()
                        .allMatch(node -> nodes.stream()
                                .allMatch(other -> String.valueOf(node.command("CLUSTER", "SLOTS"))
                                                .contains("[localhost, " + other.tlsPort() + ",")
                                        || String.valueOf(node.command("CLUSTER", "SLOTS"))
                                                .contains("[localhost, " + other.port() + ","))));
    }

    private static ClusterGroup start(
            Function<String[], RedisServer> starter,
            int masters,
            int replicas,
            Duration nodeTimeout,
            String... extraArgs) {
        ClusterGroup group = new ClusterGroup(startNodes(starter, masters, replicas, nodeTimeout, List.of(extraArgs)));
        try {
            group.nodes.forEach(node -> group.byId.put(SlotCommands.id(node), node));
            group.awaitOk();
        } catch (RuntimeException | Error e) {
            group.close();
            throw e;
        }
        return group;
    }

    /** Returns nodes that have joined a cluster, and that may not have agreed on it yet. */
    private static List<RedisServer> startNodes(
            Function<String[], RedisServer> starter,
            int masters,
            int replicas,
            Duration nodeTimeout,
            List<String> extraArgs) {
        List<String> args = new ArrayList<>(List.of("--cluster-enabled", "yes", "--repl-diskless-sync-delay", "0"));
        // CLUSTER SLOTS omits replicas that have never heard from their master
        args.addAll(List.of("--repl-ping-replica-period", "1"));
        args.addAll(List.of("--cluster-node-timeout", Long.toString(nodeTimeout.toMillis())));
        // otherwise a master without slots becomes a replica
        args.addAll(List.of("--cluster-allow-replica-migration", "no"));
        args.addAll(extraArgs);
        List<RedisServer> nodes = new ArrayList<>();
        try {
            for (int i = 0; i < masters * (1 + replicas); i++) {
                nodes.add(starter.apply(args.toArray(String[]::new)));
            }
            join(nodes, masters);
        } catch (RuntimeException | Error e) {
            nodes.forEach(RedisServer::close);
            throw e;
        }
        return nodes;
    }

    /**
     * Creates the cluster as {@code redis-cli --cluster create} does, but introduces all nodes to each other instead of
     * waiting for gossip.
     */
    private static void join(List<RedisServer> nodes, int masters) {
        for (int i = 0; i < nodes.size(); i++) {
            RedisServer node = nodes.get(i);
            node.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            if (i < masters) {
                SlotCommands.send(node, "ADDSLOTS", IntStream.range(SLOTS * i / masters, SLOTS * (i + 1) / masters));
            }
            for (RedisServer other : nodes.subList(0, i)) {
                node.command("CLUSTER", "MEET", other.host(), Integer.toString(other.meetingPort()));
            }
        }
        Await.until(
                "the nodes know each other",
                () -> nodes.stream().allMatch(node -> ClusterView.of(node).isComplete(nodes.size())));
        for (int i = masters; i < nodes.size(); i++) {
            nodes.get(i).command("CLUSTER", "REPLICATE", SlotCommands.id(nodes.get(i % masters)));
        }
    }

    private Stream<RedisServer> answering() {
        return nodes.stream().filter(node -> !silent.contains(node));
    }

    /**
     * Returns all nodes, including those that do not run.
     *
     * @return the initial masters first, then one replica of each, and so on
     */
    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
    }

    /**
     * Returns the addresses of all nodes.
     *
     * @return an address for each, in the order of {@link #nodes()}
     */
    public List<String> uris() {
        return nodes.stream().map(RedisServer::uri).toList();
    }

    /** Returns the views of all nodes that answer. */
    private List<ClusterView> views() {
        return answering().map(ClusterView::orNull).filter(Objects::nonNull).toList();
    }

    private RedisServer server(ClusterView.Node node) {
        return Objects.requireNonNull(byId.get(node.id()), node.id());
    }

    /**
     * Returns the nodes that currently have slots. Ignores nodes that do not answer, and nodes that claim only slots
     * that others have taken over.
     *
     * @return the masters, in the order of {@link #nodes()}
     */
    public List<RedisServer> masters() {
        return ClusterView.masters(views()).stream()
                .map(this::server)
                .sorted(Comparator.comparing(nodes::indexOf))
                .toList();
    }

    /**
     * Returns the current master of a slot. Ignores nodes that do not answer.
     *
     * @param slot the slot
     * @return its master
     * @throws AssertionError if no node that answers has the slot
     */
    public RedisServer masterOf(int slot) {
        return ownerOf(slot).orElseThrow(() -> new AssertionError("No node that answers has slot " + slot));
    }

    /**
     * Returns the current master of a key's slot. Ignores nodes that do not answer.
     *
     * @param key the key
     * @return its master
     * @throws AssertionError if no node that answers has the slot
     */
    public RedisServer masterOf(String key) {
        RedisServer any = answering().findFirst().orElseThrow(() -> new AssertionError("No node answers"));
        return masterOf(((Long) Objects.requireNonNull(any.command("CLUSTER", "KEYSLOT", key))).intValue());
    }

    private Optional<RedisServer> ownerOf(int slot) {
        return ClusterView.masters(views()).stream()
                .filter(master -> master.slots().get(slot))
                .findFirst()
                .map(this::server);
    }

    /**
     * Returns the current replicas of a master. Ignores nodes that do not answer.
     *
     * @param master the master
     * @return its replicas, in the order of {@link #nodes()}
     */
    public List<RedisServer> replicasOf(RedisServer master) {
        return views().stream()
                .map(ClusterView::myself)
                .filter(node -> byId.get(node.master()) == master)
                .map(this::server)
                .toList();
    }

    /**
     * Kills a node (SIGKILL).
     *
     * @param node the node
     */
    public void kill(RedisServer node) {
        silent.add(node);
        node.kill();
    }

    /**
     * Suspends a node (SIGSTOP) until {@link #thaw}.
     *
     * @param node the node
     */
    public void freeze(RedisServer node) {
        silent.add(node);
        node.freeze();
    }

    /**
     * Resumes a frozen node (SIGCONT). For a moment, it may still act in its old role.
     *
     * @param node the node
     */
    public void thaw(RedisServer node) {
        node.thaw();
        silent.remove(node);
    }

    /**
     * Kills a node if it is alive and restarts it without data. The node remembers its identity and the addresses of
     * the others.
     *
     * @param node the node
     */
    public void restart(RedisServer node) {
        silent.add(node);
        node.restart();
        silent.remove(node);
    }

    /**
     * Waits until all nodes that answer report the cluster state as ok and agree on the owner of each slot, and until
     * their replicas are in sync.
     */
    public void awaitOk() {
        Await.within(TAKEOVER, "all of " + this + " agree that the cluster is well", () -> isAgreed(true));
    }

    /**
     * Waits until all nodes that answer agree on the owner and the epoch of each slot, even if some slots have no
     * owner.
     */
    private void awaitAgreement() {
        Await.until("all of " + this + " agree", () -> isAgreed(false));
    }

    private boolean isAgreed(boolean well) {
        List<RedisServer> asked = answering().toList();
        List<ClusterView> views = views();
        return views.size() == asked.size()
                && ClusterView.agree(views)
                && (!well || asked.stream().allMatch(ClusterView::isWell));
    }

    /**
     * Waits until another node has a slot, all nodes that answer agree on that, and the new owner accepts writes.
     *
     * @param slot the slot
     * @param before its previous owner
     * @return its new owner
     */
    public RedisServer awaitFailover(int slot, RedisServer before) {
        Await.within(
                TAKEOVER,
                "a node other than " + before + " has slot " + slot + " of " + this,
                () -> ownerOf(slot).filter(owner -> owner != before).isPresent() && isAgreed(false));
        RedisServer now = masterOf(slot);
        Await.within(TAKEOVER, now + " is well", () -> ClusterView.isWell(now));
        return now;
    }

    /**
     * Makes a replica take over although its master is healthy, and waits until that has happened.
     *
     * @param replica the replica
     */
    public void failover(RedisServer replica) {
        int slot = ClusterView.masterOf(replica).slots().nextSetBit(0);
        RedisServer before = masterOf(slot);
        long[] told = {System.nanoTime() - AGAIN.toNanos()};
        Await.within(TAKEOVER, replica + " takes over", () -> {
            if (System.nanoTime() - told[0] >= AGAIN.toNanos()) { // the others do not vote twice within a short time
                replica.command("CLUSTER", "FAILOVER");
                told[0] = System.nanoTime();
            }
            return ownerOf(slot).filter(owner -> owner != before).isPresent();
        });
        awaitFailover(slot, before);
    }

    /**
     * Starts to move a slot. The old master answers for keys that it has, and redirects clients to the new one with
     * {@code ASK} for other keys.
     *
     * @param slot the slot
     * @param from its master
     * @param to its future master
     */
    public void beginMove(int slot, RedisServer from, RedisServer to) {
        SlotCommands.beginMove(slot, from, to);
    }

    /**
     * Moves all existing keys of a slot.
     *
     * @param slot a slot that is moving
     * @param from its master
     * @param to its future master
     */
    public void moveKeys(int slot, RedisServer from, RedisServer to) {
        SlotCommands.moveKeys(slot, from, to);
    }

    /**
     * Assigns a slot to its new master, and waits until all nodes agree.
     *
     * @param slot a slot that is moving
     * @param to its new master
     * @throws RedisErrorException if the old master still has keys of the slot
     */
    public void endMove(int slot, RedisServer to) {
        awaitAgreement();
        SlotCommands.give(slot, to, this::masters);
        awaitAgreement();
    }

    /**
     * Moves a slot with its keys, and waits until all nodes agree.
     *
     * @param slot the slot
     * @param from its master
     * @param to its new master
     */
    public void moveSlot(int slot, RedisServer from, RedisServer to) {
        reshard(IntStream.of(slot), from, to);
    }

    /**
     * Moves slots with their keys, one after the other, and waits until all nodes agree.
     *
     * @param slots the slots
     * @param from their master
     * @param to their new master
     */
    public void reshard(IntStream slots, RedisServer from, RedisServer to) {
        awaitAgreement();
        slots.forEach(slot -> {
            beginMove(slot, from, to);
            moveKeys(slot, from, to);
            SlotCommands.give(slot, to, this::masters);
        });
        awaitAgreement();
    }

    /**
     * Removes a slot from its owner, and waits until all nodes agree. Also waits until they report that the cluster is
     * down, unless {@code cluster-require-full-coverage} is {@code no}.
     *
     * @param slot the slot
     */
    public void uncover(int slot) {
        Await.until("no node of " + this + " has slot " + slot, () -> {
            // a message of the former owner that was under way may assign the slot to it again
            answering()
                    .filter(node -> ClusterView.of(node).hasOwner(slot))
                    .forEach(node -> SlotCommands.send(node, "DELSLOTS", IntStream.of(slot)));
            return isAgreed(false) && views().stream().noneMatch(view -> view.hasOwner(slot));
        });
        Await.within(
                TAKEOVER,
                "all of " + this + " report that the cluster is down",
                () -> answering()
                        .filter(node ->
                                get(node, "cluster-require-full-coverage").equals("yes"))
                        .allMatch(node ->
                                String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:fail")));
    }

    /**
     * Assigns a slot without an owner to a master, and waits until the cluster is healthy.
     *
     * @param slot the slot
     * @param master its new master
     */
    public void cover(int slot, RedisServer master) {
        SlotCommands.send(master, "ADDSLOTS", IntStream.of(slot));
        awaitOk();
    }

    /**
     * Makes the cluster report another address of a node to its clients, such as one that they cannot reach, or that of
     * a {@code FaultyLink}. The nodes still find each other, but replicas connect to their master at the reported port.
     * A host other than {@link RedisServer#host} requires Redis 7; it need not be a name.
     *
     * @param node the node
     * @param host the host to report
     * @param port the port to report
     */
    public void announce(RedisServer node, String host, int port) {
        set(node, "cluster-announce-bus-port", Integer.toString(node.port() + BUS));
        set(node, "cluster-announce-port", Integer.toString(port));
        if (!host.equals(node.host())) {
            answering()
                    .filter(other -> get(other, "cluster-announce-hostname").isEmpty())
                    .forEach(other -> set(other, "cluster-announce-hostname", other.host()));
            set(node, "cluster-announce-hostname", host);
            answering().forEach(other -> set(other, "cluster-preferred-endpoint-type", "hostname"));
        }
        Await.until(
                "the others report that " + node + " is at " + host + ":" + port,
                () -> answering()
                        .filter(other -> other != node)
                        .allMatch(other -> String.valueOf(other.command("CLUSTER", "SLOTS"))
                                .contains("[" + host + ", " + port + ",")));
    }

    private static void set(RedisServer node, String name, String value) {
        node.command("CONFIG", "SET", name, value);
    }

    private static String get(RedisServer node, String name) {
        return (String) ((List<?>) Objects.requireNonNull(node.command("CONFIG", "GET", name))).get(1);
    }

    /** Ends all nodes. */
    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }

    @Override
    public String toString() {
        return "ClusterGroup " + nodes;
    }
}
