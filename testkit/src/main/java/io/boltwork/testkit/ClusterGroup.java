package io.boltwork.testkit;

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
 * A Redis Cluster, real processes. Replicas take over by themselves, and slots move by hand: at once, or step by step, so that a
 * test can look at a slot that is on its way. Kill, freeze, thaw and restart nodes here and not by themselves, so that it is
 * known who is not to be asked. One thread may do that while others move slots and ask.
 */
public final class ClusterGroup implements AutoCloseable {

    /** How many slots a cluster has. */
    public static final int SLOTS = 16_384;

    /** After which time without an answer the others believe that a node is down, unless another one is given. */
    public static final Duration PATIENCE = Duration.ofMillis(1_000);

    private static final Duration TAKEOVER = Duration.ofMinutes(1); // it may take several elections
    private static final Duration AGAIN =
            Duration.ofSeconds(6); // a replica that is told to take over gives up after 5 s
    private static final int MASTERS = 3;
    private static final int BUS = 10_000;

    private final List<RedisServer> nodes = new ArrayList<>();
    private final Map<String, RedisServer> byId = new HashMap<>();
    private final Set<RedisServer> silent = ConcurrentHashMap.newKeySet();

    private ClusterGroup() {}

    /**
     * Starts three masters with a replica each. The nodes are the binary of {@link RedisServer#start}.
     *
     * @param extraArgs further arguments of each node, as on the command line
     * @return the cluster, all slots covered, replicas in step; that takes two seconds
     */
    public static ClusterGroup start(String... extraArgs) {
        return start(MASTERS, 1, PATIENCE, extraArgs);
    }

    /**
     * Starts a cluster.
     *
     * @param masters how many; each gets the same share of the slots
     * @param replicas how many each master has
     * @param nodeTimeout after which time without an answer the others believe that a node is down
     * @param extraArgs further arguments of each node, as on the command line
     * @return the cluster, all slots covered, replicas in step
     */
    public static ClusterGroup start(int masters, int replicas, Duration nodeTimeout, String... extraArgs) {
        return start(RedisServer::start, masters, replicas, nodeTimeout, extraArgs);
    }

    /**
     * Starts a cluster like {@link #start(String...)}, all of it Redis 6.2.
     *
     * @param extraArgs further arguments of each node, as on the command line
     * @return the cluster, all slots covered, replicas in step
     */
    public static ClusterGroup startEmbedded(String... extraArgs) {
        return startEmbedded(MASTERS, 1, PATIENCE, extraArgs);
    }

    /**
     * Starts a cluster like {@link #start(int, int, Duration, String...)}, all of it Redis 6.2.
     *
     * @param masters how many; each gets the same share of the slots
     * @param replicas how many each master has
     * @param nodeTimeout after which time without an answer the others believe that a node is down
     * @param extraArgs further arguments of each node, as on the command line
     * @return the cluster, all slots covered, replicas in step
     */
    public static ClusterGroup startEmbedded(int masters, int replicas, Duration nodeTimeout, String... extraArgs) {
        return start(RedisServer::startEmbedded, masters, replicas, nodeTimeout, extraArgs);
    }

    /**
     * Starts a cluster without replicas in the middle of an upgrade: every second node is Redis 6.2.
     *
     * @param masters how many; each gets the same share of the slots
     * @return the cluster, all slots covered
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
     * Starts a cluster without replicas that speaks TLS. All certificates are for the name {@code localhost} and no address; nodes
     * announce their addresses until {@link #announceNames} is called.
     *
     * @param certificates theirs
     * @param masters how many; each gets the same share of the slots
     * @return the cluster, all slots covered
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

    /** Makes all nodes announce the name {@code localhost} instead of their addresses. Needs Redis 7. */
    public void announceNames() {
        nodes.forEach(node -> set(node, "cluster-announce-hostname", "localhost"));
        nodes.forEach(node -> set(node, "cluster-preferred-endpoint-type", "hostname"));
        Await.until(
                "all nodes tell the names of all",
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
        List<String> args = new ArrayList<>(List.of("--cluster-enabled", "yes", "--repl-diskless-sync-delay", "0"));
        args.addAll(List.of("--repl-ping-replica-period", "1")); // CLUSTER SLOTS shows no replica that has never heard
        args.addAll(List.of("--cluster-node-timeout", Long.toString(nodeTimeout.toMillis())));
        args.addAll(List.of("--cluster-allow-replica-migration", "no")); // else a master without slots turns replica
        args.addAll(List.of(extraArgs));
        ClusterGroup group = new ClusterGroup();
        try {
            for (int i = 0; i < masters * (1 + replicas); i++) {
                group.nodes.add(starter.apply(args.toArray(String[]::new)));
            }
            group.join(masters);
        } catch (RuntimeException | Error e) {
            group.close();
            throw e;
        }
        return group;
    }

    /** Does what {@code redis-cli --cluster create} does, and does not wait for rumours: each is told of all. */
    private void join(int masters) {
        for (int i = 0; i < nodes.size(); i++) {
            RedisServer node = nodes.get(i);
            byId.put(id(node), node);
            node.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
            if (i < masters) {
                command(node, "ADDSLOTS", IntStream.range(SLOTS * i / masters, SLOTS * (i + 1) / masters));
            }
            for (RedisServer other : nodes.subList(0, i)) {
                node.command("CLUSTER", "MEET", other.host(), Integer.toString(other.meetingPort()));
            }
        }
        Await.until(
                "the nodes know each other",
                () -> answering().allMatch(node -> ClusterView.of(node).isComplete(nodes.size())));
        for (int i = masters; i < nodes.size(); i++) {
            nodes.get(i).command("CLUSTER", "REPLICATE", id(nodes.get(i % masters)));
        }
        awaitOk();
    }

    private static void command(RedisServer node, String name, IntStream slots) {
        List<String> command = new ArrayList<>(List.of("CLUSTER", name));
        slots.mapToObj(Integer::toString).forEach(command::add);
        node.command(command.toArray(String[]::new));
    }

    private static String id(RedisServer node) {
        return String.valueOf(Objects.requireNonNull(node.command("CLUSTER", "MYID")));
    }

    private Stream<RedisServer> answering() {
        return nodes.stream().filter(node -> !silent.contains(node));
    }

    /**
     * All of them, dead or alive.
     *
     * @return the first masters first, then a replica of each, and so on
     */
    public List<RedisServer> nodes() {
        return List.copyOf(nodes);
    }

    /**
     * Where they are.
     *
     * @return an address for each, in the order of {@link #nodes()}
     */
    public List<String> uris() {
        return nodes.stream().map(RedisServer::uri).toList();
    }

    /** What each of them says of itself and of the others, those that answer. */
    private List<ClusterView> views() {
        return answering().map(ClusterView::orNull).filter(Objects::nonNull).toList();
    }

    private RedisServer server(ClusterView.Node node) {
        return Objects.requireNonNull(byId.get(node.id()), node.id());
    }

    /**
     * Who has slots now. Who is silent does not count, nor who claims only what others have taken over.
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
     * Who has a slot now. Who is silent does not count.
     *
     * @param slot which one
     * @return its master
     * @throws AssertionError if nobody who answers has it
     */
    public RedisServer masterOf(int slot) {
        return ownerOf(slot).orElseThrow(() -> new AssertionError("Nobody who answers has slot " + slot));
    }

    /**
     * Who has the slot of a key now. Who is silent does not count.
     *
     * @param key which one
     * @return its master
     * @throws AssertionError if nobody who answers has it
     */
    public RedisServer masterOf(String key) {
        RedisServer any = answering().findFirst().orElseThrow(() -> new AssertionError("Nobody answers"));
        return masterOf(((Long) Objects.requireNonNull(any.command("CLUSTER", "KEYSLOT", key))).intValue());
    }

    private Optional<RedisServer> ownerOf(int slot) {
        return ClusterView.masters(views()).stream()
                .filter(master -> master.slots().get(slot))
                .findFirst()
                .map(this::server);
    }

    /**
     * Who follows a master now. Who is silent does not count.
     *
     * @param master whom
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
     * @param node which one
     */
    public void kill(RedisServer node) {
        silent.add(node);
        node.kill();
    }

    /**
     * Stops a node in its tracks (SIGSTOP) until {@link #thaw}.
     *
     * @param node which one
     */
    public void freeze(RedisServer node) {
        silent.add(node);
        node.freeze();
    }

    /**
     * Lets a frozen node go on (SIGCONT). It may believe for a moment that it is still what it was.
     *
     * @param node which one
     */
    public void thaw(RedisServer node) {
        node.thaw();
        silent.remove(node);
    }

    /**
     * Kills a node if it lives and starts it again, empty. It remembers who it is and where the others are.
     *
     * @param node which one
     */
    public void restart(RedisServer node) {
        silent.add(node);
        node.restart();
        silent.remove(node);
    }

    /**
     * Waits until all nodes that answer say that the cluster is well and agree on who has which slot, and their replicas are in
     * step.
     */
    public void awaitOk() {
        Await.within(TAKEOVER, "all of " + this + " agree that the cluster is well", () -> isAgreed(true));
    }

    /** Waits until all nodes that answer agree on who has which slot, and since which epoch, even if some have nobody. */
    private void awaitAgreement() {
        Await.until("all of " + this + " agree", () -> isAgreed(false));
    }

    private boolean isAgreed(boolean well) {
        List<RedisServer> asked = answering().toList();
        List<ClusterView> views = views();
        return views.size() == asked.size()
                && ClusterView.agree(views)
                && (!well || asked.stream().allMatch(ClusterGroup::isWell));
    }

    private static boolean isWell(RedisServer node) {
        String link = ReplicaGroup.field(node, "master_link_status");
        return String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok")
                && (link == null || link.equals("up"));
    }

    /**
     * Waits until another node has a slot, all nodes that answer agree on that, and it accepts writes.
     *
     * @param slot which slot
     * @param before who had it
     * @return who has it now
     */
    public RedisServer awaitFailover(int slot, RedisServer before) {
        Await.within(
                TAKEOVER,
                "another node than " + before + " has slot " + slot + " of " + this,
                () -> ownerOf(slot).filter(owner -> owner != before).isPresent() && isAgreed(false));
        RedisServer now = masterOf(slot);
        Await.within(TAKEOVER, now + " is well", () -> isWell(now));
        return now;
    }

    /**
     * Has a replica take over though its master is well; waits until that has happened.
     *
     * @param replica which one
     */
    public void failover(RedisServer replica) {
        int slot = masterOfReplica(replica).slots().nextSetBit(0);
        RedisServer before = masterOf(slot);
        long[] told = {System.nanoTime() - AGAIN.toNanos()};
        Await.within(TAKEOVER, replica + " takes over", () -> {
            if (System.nanoTime() - told[0] >= AGAIN.toNanos()) { // the others do not vote twice in a short time
                replica.command("CLUSTER", "FAILOVER");
                told[0] = System.nanoTime();
            }
            return ownerOf(slot).filter(owner -> owner != before).isPresent();
        });
        awaitFailover(slot, before);
    }

    private static ClusterView.Node masterOfReplica(RedisServer replica) {
        ClusterView view = ClusterView.of(replica);
        return view.nodes().stream()
                .filter(node -> node.id().equals(view.myself().master()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("Not a replica: " + replica));
    }

    /**
     * Marks a slot as on its way. The old master answers for keys that it has and sends those who ask for others to the new one
     * with {@code ASK}.
     *
     * @param slot which slot
     * @param from its master
     * @param to who shall be it
     */
    public void beginMove(int slot, RedisServer from, RedisServer to) {
        setSlot(to, slot, "IMPORTING", id(from));
        setSlot(from, slot, "MIGRATING", id(to));
    }

    /**
     * Takes the keys of a slot along, all that are there.
     *
     * @param slot a slot on its way
     * @param from its master
     * @param to who shall be it
     */
    public void moveKeys(int slot, RedisServer from, RedisServer to) {
        while (true) {
            List<?> keys = (List<?>)
                    Objects.requireNonNull(from.command("CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), "100"));
            if (keys.isEmpty()) {
                return;
            }
            List<String> command = new ArrayList<>(List.of("MIGRATE", to.host(), Integer.toString(to.port())));
            command.addAll(List.of("", "0", "5000", "KEYS"));
            keys.forEach(key -> command.add((String) key));
            from.command(command.toArray(String[]::new));
        }
    }

    /**
     * Gives a slot to its new master, and waits until all agree.
     *
     * @param slot a slot on its way
     * @param to who shall be its master
     * @throws RedisErrorException if the old one still has keys of the slot
     */
    public void endMove(int slot, RedisServer to) {
        awaitAgreement();
        give(slot, to);
        awaitAgreement();
    }

    private void give(int slot, RedisServer to) {
        setSlot(to, slot, "NODE", id(to)); // first, so that somebody has it in any case
        for (RedisServer other : masters()) {
            if (other != to) {
                setSlot(other, slot, "NODE", id(to));
            }
        }
    }

    private static void setSlot(RedisServer node, int slot, String state, String other) {
        node.command("CLUSTER", "SETSLOT", Integer.toString(slot), state, other);
    }

    /**
     * Moves a slot with its keys, and waits until all agree.
     *
     * @param slot which slot
     * @param from its master
     * @param to who shall be it
     */
    public void moveSlot(int slot, RedisServer from, RedisServer to) {
        reshard(IntStream.of(slot), from, to);
    }

    /**
     * Moves slots with their keys, one after the other, and waits until all agree.
     *
     * @param slots which slots
     * @param from their master
     * @param to who shall be it
     */
    public void reshard(IntStream slots, RedisServer from, RedisServer to) {
        awaitAgreement();
        slots.forEach(slot -> {
            beginMove(slot, from, to);
            moveKeys(slot, from, to);
            give(slot, to);
        });
        awaitAgreement();
    }

    /**
     * Takes a slot from everybody, and waits until all agree: the cluster is down unless {@code cluster-require-full-coverage}
     * is {@code no}.
     *
     * @param slot which slot
     */
    public void uncover(int slot) {
        answering()
                .filter(node -> ClusterView.of(node).hasOwner(slot))
                .forEach(node -> command(node, "DELSLOTS", IntStream.of(slot)));
        awaitAgreement();
    }

    /**
     * Gives a slot that nobody has to a master, and waits until all is well.
     *
     * @param slot which slot
     * @param master who shall have it
     */
    public void cover(int slot, RedisServer master) {
        command(master, "ADDSLOTS", IntStream.of(slot));
        awaitOk();
    }

    /**
     * Makes the cluster tell its clients another address of a node, such as one that they cannot reach, or that of a {@link
     * FaultyLink}. The nodes go on finding each other, but replicas follow their master at that port. A host other than
     * {@link RedisServer#host} needs Redis 7; it need not be a name.
     *
     * @param node which node
     * @param host what to tell
     * @param port what to tell
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
                "the others tell that " + node + " is at " + host + ":" + port,
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

    /** Ends all of them. */
    @Override
    public void close() {
        nodes.forEach(RedisServer::close);
    }

    @Override
    public String toString() {
        return "ClusterGroup " + nodes;
    }
}
