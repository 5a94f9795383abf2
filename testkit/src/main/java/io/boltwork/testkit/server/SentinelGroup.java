// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Three sentinels that watch a master and its two replicas, as real processes. They replace a master that has not
 * answered for {@link #PATIENCE}. Not thread-safe, like {@link RedisServer}.
 *
 * @since 0.1.0
 */
public final class SentinelGroup implements AutoCloseable {

    /** The time without an answer after which a sentinel considers a server down. */
    public static final Duration PATIENCE = Duration.ofMillis(1_000);

    /** The name that the sentinels have for the master. */
    public static final String NAME = "mymaster";

    private static final int SENTINELS = 3;

    /** The maximum time until there is another master; it may take several elections. */
    private static final Duration ELECTIONS = Duration.ofMinutes(3);

    private final ReplicaGroup data;
    private final List<RedisServer> sentinels = new ArrayList<>();

    private SentinelGroup(ReplicaGroup data) {
        this.data = data;
    }

    /**
     * Starts the group. The sentinels run the binary of {@link RedisServer#start} with {@code --sentinel}.
     *
     * @param extraArgs further command-line arguments of each server
     * @return the group; each sentinel knows the two others and both replicas
     */
    public static SentinelGroup start(String... extraArgs) {
        return watching(ReplicaGroup.start(2, extraArgs), List.of());
    }

    /**
     * Starts a group like {@link #start}, with Redis 6.2. It takes about ten seconds until its sentinels know each
     * other.
     *
     * @param extraArgs further command-line arguments of each server
     * @return the group; each sentinel knows the two others and both replicas
     */
    public static SentinelGroup startEmbedded(String... extraArgs) {
        return watching(
                lines -> RedisServer.startSentinel(true, lines), ReplicaGroup.startEmbedded(2, extraArgs), List.of());
    }

    /**
     * Starts sentinels for existing servers.
     *
     * @param data a master and its replicas; they end with this group
     * @param configuration further lines of each sentinel's configuration
     * @return the group
     */
    public static SentinelGroup watching(ReplicaGroup data, List<String> configuration) {
        return watching(lines -> RedisServer.startSentinel(false, lines), data, configuration);
    }

    /**
     * Starts a group like {@link #start} that uses TLS for all connections. All certificates are for the name {@code
     * localhost} and for no address. Servers and sentinels announce that name.
     *
     * @param certificates the certificates of servers and sentinels
     * @return the group; each sentinel knows the two others and both replicas
     */
    public static SentinelGroup startNamed(Certificates certificates) {
        return watching(
                lines -> RedisServer.startNamedSentinel(certificates, lines),
                ReplicaGroup.startNamed(certificates, 2),
                List.of("sentinel resolve-hostnames yes", "sentinel announce-hostnames yes", "tls-replication yes"));
    }

    private static SentinelGroup watching(
            Function<List<String>, RedisServer> starter, ReplicaGroup data, List<String> configuration) {
        SentinelGroup group = new SentinelGroup(data);
        try {
            RedisServer master = data.servers().get(0);
            Map<Boolean, List<String>> aboutMaster =
                    configuration.stream().collect(Collectors.partitioningBy(line -> line.contains(" " + NAME + " ")));
            List<String> lines = new ArrayList<>(aboutMaster.get(false));
            lines.addAll(List.of(
                    "sentinel monitor " + NAME + " " + master.meetingHost() + " " + master.meetingPort() + " "
                            + (SENTINELS / 2 + 1),
                    "sentinel down-after-milliseconds " + NAME + " " + PATIENCE.toMillis(),
                    "sentinel failover-timeout " + NAME + " 2000"));
            lines.addAll(aboutMaster.get(true)); // the last line counts
            for (int i = 0; i < SENTINELS; i++) {
                group.sentinels.add(starter.apply(lines));
            }
            group.sentinels.forEach(SentinelGroup::hurry);
            Await.until("the sentinels know each other and the replicas", group::isComplete);
        } catch (RuntimeException | Error e) {
            group.close();
            throw e;
        }
        return group;
    }

    /**
     * Makes a sentinel of Redis 7 communicate more often than every second, or every ten seconds. While a master is
     * down, a sentinel asks replicas for INFO every second, and promotes none whose INFO is older than five ping
     * periods. So these periods must be longer than 200 ms.
     */
    private static void hurry(RedisServer sentinel) {
        try {
            sentinel.command(
                    "SENTINEL",
                    "DEBUG",
                    "INFO-PERIOD",
                    "200",
                    "PING-PERIOD",
                    "300",
                    "PUBLISH-PERIOD",
                    "200",
                    "ASK-PERIOD",
                    "100",
                    "TILT-PERIOD",
                    "1000");
        } catch (RedisErrorException e) {
            // older versions cannot be configured
        }
    }

    private boolean isComplete() {
        int others = data.servers().size() - 1;
        return sentinels.stream().allMatch(sentinel -> {
            List<?> state = state(sentinel);
            return value(state, "num-slaves").equals(Integer.toString(others))
                    && value(state, "num-other-sentinels").equals(Integer.toString(SENTINELS - 1));
        });
    }

    private static List<?> state(RedisServer sentinel) {
        return (List<?>) Objects.requireNonNull(sentinel.command("SENTINEL", "MASTER", NAME));
    }

    private static String value(List<?> state, String field) {
        return String.valueOf(state.get(state.indexOf(field) + 1));
    }

    /**
     * Returns the address for clients.
     *
     * @return the address, such as {@code redis-sentinel://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3/0#mymaster}
     */
    public String uri() {
        return sentinels.stream()
                .map(sentinel -> sentinel.host() + ":" + sentinel.port())
                .collect(Collectors.joining(",", "redis-sentinel://", "/0#" + NAME));
    }

    /**
     * Returns the address for clients of a group that was started by {@link #startNamed}.
     *
     * @return the address, such as {@code rediss-sentinel://localhost:1,localhost:2,localhost:3/0#mymaster}
     */
    public String tlsUri() {
        return sentinels.stream()
                .map(sentinel -> "localhost:" + sentinel.tlsPort())
                .collect(Collectors.joining(",", "rediss-sentinel://", "/0#" + NAME));
    }

    /**
     * Returns the sentinels.
     *
     * @return the three sentinels
     */
    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /**
     * Returns the watched servers.
     *
     * @return the initial master and its replicas
     */
    public ReplicaGroup data() {
        return data;
    }

    /**
     * Returns the master according to a sentinel.
     *
     * @param sentinel the sentinel to ask
     * @return the server
     */
    public RedisServer master(RedisServer sentinel) {
        List<?> address =
                (List<?>) Objects.requireNonNull(sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME));
        return data.servers().stream()
                .filter(server -> Integer.toString(server.meetingPort()).equals(address.get(1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("Not of this group: " + address));
    }

    /**
     * Returns whether the sentinel would accept each of the replicas as the next master: it reaches them, and they are
     * connected to their master.
     */
    boolean isPromotable(RedisServer sentinel) {
        List<?> replicas = (List<?>) Objects.requireNonNull(sentinel.command("SENTINEL", "REPLICAS", NAME));
        return replicas.stream()
                .map(replica -> (List<?>) replica)
                .allMatch(state -> value(state, "flags").equals("slave")
                        && value(state, "master-link-status").equals("ok"));
    }

    /** Returns whether the sentinel is promoting a replica. */
    boolean isPromoting(RedisServer sentinel) {
        return value(state(sentinel), "flags").contains("failover_in_progress");
    }

    /**
     * Waits until all sentinels agree on another master, and it accepts writes.
     *
     * @param before the previous master
     * @return the new master
     */
    public RedisServer awaitOther(RedisServer before) {
        Await.within(ELECTIONS, "the sentinels agree on another master than " + before, () -> agreeOnOther(before));
        return master(sentinels.get(0));
    }

    private boolean agreeOnOther(RedisServer before) {
        return sentinels.stream().map(this::master).distinct().count() == 1
                && master(sentinels.get(0)) != before
                && "master".equals(ReplicaGroup.field(master(sentinels.get(0)), "role"));
    }

    /**
     * Makes the sentinels promote a replica although the master is healthy, and waits until they agree. A sentinel
     * abandons a promotion that takes longer than its {@code failover-timeout}. Because the master is healthy, the
     * sentinel does not try again by itself, so this method repeats the request.
     *
     * @return the new master
     */
    public RedisServer failover() {
        RedisServer teller = sentinels.get(0);
        RedisServer before = master(teller);
        Await.within(ELECTIONS, "a replica is promoted instead of " + before, () -> {
            if (master(teller) == before) {
                promoteOne(teller);
            }
            return agreeOnOther(before);
        });
        return master(teller);
    }

    private static void promoteOne(RedisServer sentinel) {
        try {
            sentinel.command("SENTINEL", "FAILOVER", NAME);
        } catch (RedisErrorException e) {
            // a promotion is in progress (INPROG), or the sentinel knows no suitable replica yet (NOGOODSLAVE)
        }
    }

    /** Ends all servers and sentinels. */
    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        data.close();
    }

    @Override
    public String toString() {
        return "SentinelGroup " + sentinels + " of " + data;
    }
}
