package io.boltwork.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A master and its replicas, real processes. Nobody but the test promotes any of them. Not thread-safe, as {@link
 * RedisServer} is not.
 */
public final class ReplicaGroup implements AutoCloseable {
    private final List<RedisServer> servers = new ArrayList<>();

    private ReplicaGroup() {}

    /**
     * Starts a master and replicas that follow it. A replica syncs within a moment, without the delay that Redis has by
     * default.
     *
     * @param replicas how many
     * @param extraArgs further arguments of each server, as on the command line
     * @return the group, in step
     */
    public static ReplicaGroup start(int replicas, String... extraArgs) {
        return start(RedisServer::start, replicas, extraArgs);
    }

    /**
     * Starts a master and replicas like {@link #start}, all of them Redis 6.2.
     *
     * @param replicas how many
     * @param extraArgs further arguments of each server, as on the command line
     * @return the group, in step
     */
    public static ReplicaGroup startEmbedded(int replicas, String... extraArgs) {
        return start(RedisServer::startEmbedded, replicas, extraArgs);
    }

    /**
     * Starts a master and replicas like {@link #start} whose certificates are for the name {@code localhost}, which they announce; they
     * speak TLS with each other.
     *
     * @param certificates theirs
     * @param replicas how many
     * @return the group, in step
     */
    public static ReplicaGroup startNamed(Certificates certificates, int replicas) {
        return start(
                args -> RedisServer.startNamed(certificates, args),
                replicas,
                "--tls-replication",
                "yes",
                "--replica-announce-ip",
                "localhost");
    }

    private static ReplicaGroup start(Function<String[], RedisServer> starter, int replicas, String... extraArgs) {
        List<String> args = new ArrayList<>(List.of("--repl-diskless-sync-delay", "0"));
        args.addAll(List.of(extraArgs));
        ReplicaGroup group = new ReplicaGroup();
        try {
            for (int i = 0; i <= replicas; i++) {
                group.servers.add(starter.apply(args.toArray(String[]::new)));
            }
            for (RedisServer replica : group.servers.subList(1, replicas + 1)) {
                group.follow(replica, group.servers.get(0));
            }
        } catch (RuntimeException | Error e) {
            group.close();
            throw e;
        }
        return group;
    }

    /**
     * All of them.
     *
     * @return the first master first
     */
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /**
     * Where they are.
     *
     * @return an address for each, the first master's first
     */
    public List<String> uris() {
        return servers.stream().map(RedisServer::uri).toList();
    }

    /**
     * Makes a server follow another one, and waits until it is in step.
     *
     * @param replica who follows
     * @param master whom
     */
    public void follow(RedisServer replica, RedisServer master) {
        replica.command("REPLICAOF", master.meetingHost(), Integer.toString(master.meetingPort()));
        Await.until(
                replica + " follows " + master,
                () -> "up".equals(field(replica, "master_link_status")) && knows(master, replica));
    }

    /** Whether the master has had an answer of that replica. */
    private static boolean knows(RedisServer master, RedisServer replica) {
        master.command("PUBLISH", "in step", ""); // something to acknowledge
        Pattern acknowledged = Pattern.compile("port=" + replica.meetingPort() + ",state=online,offset=[1-9]");
        return acknowledged.matcher(info(master)).find();
    }

    /**
     * Makes a replica a master; the other servers are not told.
     *
     * @param replica which one
     */
    public void promote(RedisServer replica) {
        replica.command("REPLICAOF", "NO", "ONE");
    }

    /**
     * Puts a replica in the master's place as an operator would: first the master takes no more writes, so that there are never
     * two. What it has not replicated by then is lost. The other servers are not told.
     *
     * @param master who it is so far
     * @param replica who it shall be
     */
    public void replace(RedisServer master, RedisServer replica) {
        master.command("REPLICAOF", replica.host(), Integer.toString(replica.port()));
        promote(replica);
    }

    /**
     * A field of a server's {@code INFO replication}.
     *
     * @param server which one, answering
     * @param name the field's name
     * @return its value, {@code null} if there is none
     */
    public static @Nullable String field(RedisServer server, String name) {
        return info(server)
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse(null);
    }

    private static String info(RedisServer server) {
        return String.valueOf(Objects.requireNonNull(server.command("INFO", "replication")));
    }

    /** Ends all of them. */
    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }

    @Override
    public String toString() {
        return "ReplicaGroup " + servers;
    }
}
