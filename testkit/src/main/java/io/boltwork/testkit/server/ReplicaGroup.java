// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import io.boltwork.testkit.wait.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A master and its replicas, as real processes. Only the test promotes replicas. Not thread-safe, like {@link
 * RedisServer}.
 *
 * @since 0.1.0
 */
public final class ReplicaGroup implements AutoCloseable {
    private final List<RedisServer> servers = new ArrayList<>();

    private ReplicaGroup() {}

    /**
     * Starts a master and its replicas. A replica synchronizes at once, without the default delay of Redis.
     *
     * @param replicas the number of replicas
     * @param extraArgs further command-line arguments of each server
     * @return the group, in sync
     */
    public static ReplicaGroup start(int replicas, String... extraArgs) {
        return start(RedisServer::start, replicas, extraArgs);
    }

    /**
     * Starts a master and its replicas like {@link #start}, with Redis 6.2.
     *
     * @param replicas the number of replicas
     * @param extraArgs further command-line arguments of each server
     * @return the group, in sync
     */
    public static ReplicaGroup startEmbedded(int replicas, String... extraArgs) {
        return start(RedisServer::startEmbedded, replicas, extraArgs);
    }

    /**
     * Starts a master and its replicas like {@link #start} that use TLS among themselves. Their certificates are for
     * the name {@code localhost}, which they announce.
     *
     * @param certificates the certificates of the servers
     * @param replicas the number of replicas
     * @return the group, in sync
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
     * Returns all servers.
     *
     * @return the servers, the initial master first
     */
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /**
     * Returns the addresses of all servers.
     *
     * @return an address for each, that of the initial master first
     */
    public List<String> uris() {
        return servers.stream().map(RedisServer::uri).toList();
    }

    /**
     * Makes a server a replica of another one, and waits until it is in sync.
     *
     * @param replica the replica
     * @param master its master
     */
    public void follow(RedisServer replica, RedisServer master) {
        replica.command("REPLICAOF", master.meetingHost(), Integer.toString(master.meetingPort()));
        Await.until(
                replica + " follows " + master,
                () -> "up".equals(field(replica, "master_link_status")) && knows(master, replica));
    }

    /** Returns whether the master has received an acknowledgement from the replica. */
    private static boolean knows(RedisServer master, RedisServer replica) {
        master.command("PUBLISH", "in step", ""); // data to acknowledge
        Pattern acknowledged = Pattern.compile("port=" + replica.meetingPort() + ",state=online,offset=[1-9]");
        return acknowledged.matcher(info(master)).find();
    }

    /**
     * Makes a replica a master. The other servers are not notified.
     *
     * @param replica the replica
     */
    public void promote(RedisServer replica) {
        replica.command("REPLICAOF", "NO", "ONE");
    }

    /**
     * Replaces the master by a replica, as an operator would: first the master stops accepting writes, so that there
     * are never two masters. Data that it has not replicated by then is lost. The other servers are not notified.
     *
     * @param master the current master
     * @param replica the new master
     */
    public void replace(RedisServer master, RedisServer replica) {
        master.command("REPLICAOF", replica.host(), Integer.toString(replica.port()));
        promote(replica);
    }

    /**
     * Returns a field of a server's {@code INFO replication}.
     *
     * @param server the server, answering
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

    /** Ends all servers. */
    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }

    @Override
    public String toString() {
        return "ReplicaGroup " + servers;
    }
}
