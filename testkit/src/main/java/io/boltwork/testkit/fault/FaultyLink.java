// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.fault;

import io.boltwork.testkit.server.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import javax.net.ServerSocketFactory;

/**
 * The network between clients and a Redis server. A link has an address that leads to the server, and {@linkplain Fault
 * faults} that affect its connections. Several faults can be active at the same time.
 *
 * <pre>{@code
 * try (RedisServer redis = RedisServer.start();
 *         FaultyLink link = FaultyLink.to(redis);
 *         LockClient locks = LockClient.create(RedisBackend.connect(link.uri()))) {
 *     link.cut(FaultyLink.Kind.ALL).inject();
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 *
 * @since 0.1.0
 */
public final class FaultyLink implements AutoCloseable {
    private static final int BACKLOG = 500;

    private final ServerSocket listener;
    private final List<LinkedSockets> connections = new CopyOnWriteArrayList<>();
    private volatile int target;
    private volatile boolean refusing;
    private volatile Delay delay = new Delay(Duration.ZERO, Duration.ZERO);

    /** A kind of connection. */
    public enum Kind {
        /** All connections. */
        ALL,
        /** Connections on which the client has not subscribed to a channel. */
        COMMANDS,
        /** Connections on which the client has subscribed to a channel. */
        SUBSCRIPTIONS;

        boolean includes(LinkedSockets connection) {
            return this == ALL || (this == SUBSCRIPTIONS) == connection.isSubscription();
        }

        @Override
        public String toString() {
            return switch (this) {
                case ALL -> "connections";
                case COMMANDS -> "command connections";
                case SUBSCRIPTIONS -> "subscription connections";
            };
        }
    }

    /** The delay of each piece of data. */
    record Delay(Duration fixed, Duration jitter) {
        long nanos() {
            long random = jitter.isZero() ? 0 : ThreadLocalRandom.current().nextLong(jitter.toNanos());
            return fixed.toNanos() + random;
        }
    }

    private FaultyLink(int target, ServerSocketFactory listeners) {
        this.target = target;
        try {
            listener = listeners.createServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread thread = new Thread(this::accept, "faulty-link-" + port());
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Creates a link to a server.
     *
     * @param server the server
     * @return a link without faults
     */
    public static FaultyLink to(RedisServer server) {
        return to(server.port(), ServerSocketFactory.getDefault());
    }

    /**
     * Creates a link to a port of 127.0.0.1.
     *
     * @param port the port
     * @param listeners creates the socket that accepts clients, such as one that uses TLS
     * @return a link without faults
     */
    public static FaultyLink to(int port, ServerSocketFactory listeners) {
        return new FaultyLink(port, listeners);
    }

    /**
     * Returns the port to which clients connect.
     *
     * @return a port of 127.0.0.1
     */
    public int port() {
        return listener.getLocalPort();
    }

    /**
     * Returns the address for clients.
     *
     * @return {@code redis://127.0.0.1:<port>}
     */
    public String uri() {
        return "redis://127.0.0.1:" + port();
    }

    /**
     * Directs new connections to another server, as after a failover. Existing connections are not affected.
     *
     * @param server the new target
     */
    public void leadTo(RedisServer server) {
        target = server.port();
    }

    // ================================================================ faults

    /**
     * Breaks connections (by a reset). New ones can be made.
     *
     * @param kind the connections to break
     * @return the fault
     */
    public Fault cut(Kind kind) {
        return Fault.momentary(
                "the " + kind + " are cut", () -> those(kind::includes).forEach(LinkedSockets::reset));
    }

    /**
     * Breaks one of the connections (by a reset). New ones can be made.
     *
     * @param random chooses the connection
     * @return the fault
     */
    public Fault cutOne(RandomGenerator random) {
        return Fault.momentary("one of the connections is cut", () -> {
            List<LinkedSockets> all = List.copyOf(connections);
            if (!all.isEmpty()) {
                all.get(random.nextInt(all.size())).reset();
            }
        });
    }

    /**
     * Refuses new connections. Existing ones are not affected.
     *
     * @return the fault
     */
    public Fault refuse() {
        return Fault.lasting("new connections are refused", () -> refusing = true, () -> refusing = false);
    }

    /**
     * Breaks all connections and refuses new ones: the server cannot be reached.
     *
     * @return the fault
     */
    public Fault unreachable() {
        return Fault.lasting(
                "the server cannot be reached",
                () -> {
                    refusing = true;
                    connections.forEach(LinkedSockets::reset);
                },
                () -> refusing = false);
    }

    /**
     * Delays all data in both directions, and keeps its order.
     *
     * @param fixed the minimum delay
     * @param jitter the maximum of an additional random delay
     * @return the fault
     */
    public Fault delay(Duration fixed, Duration jitter) {
        return Fault.lasting(
                "everything arrives " + fixed.toMillis() + " to "
                        + fixed.plus(jitter).toMillis() + " ms later",
                () -> delay = new Delay(fixed, jitter),
                () -> delay = new Delay(Duration.ZERO, Duration.ZERO));
    }

    /**
     * Loses all data that the server sends on existing connections; data from clients arrives. New connections work.
     * Healing breaks the connections that have lost data, because TCP allows no gaps.
     *
     * @param kind the affected connections
     * @return the fault
     */
    public Fault loseReplies(Kind kind) {
        List<LinkedSockets> affected = new CopyOnWriteArrayList<>();
        return Fault.lasting(
                "replies on the " + kind + " are lost",
                () -> {
                    affected.addAll(those(kind::includes));
                    affected.forEach(LinkedSockets::loseReplies);
                },
                () -> {
                    affected.forEach(LinkedSockets::reset);
                    affected.clear();
                });
    }

    /**
     * Delivers nothing on existing connections, in either direction, without notifying either side, as if a firewall
     * had forgotten them. New connections work. After healing, all data that was sent in the meantime arrives late,
     * including the end of a connection that a client has closed.
     *
     * @param kind the affected connections
     * @return the fault
     */
    public Fault halfOpen(Kind kind) {
        List<LinkedSockets> affected = new CopyOnWriteArrayList<>();
        return Fault.lasting(
                "the " + kind + " are half open",
                () -> {
                    affected.addAll(those(kind::includes));
                    affected.forEach(connection -> connection.hold(true));
                },
                () -> {
                    affected.forEach(connection -> connection.hold(false));
                    affected.clear();
                });
    }

    /**
     * Breaks existing connections for clients, but not for the server. Data that clients have sent on them, and that
     * has not arrived because of {@link #delay} or {@link #halfOpen}, arrives after healing. New connections work.
     *
     * @param kind the affected connections
     * @return the fault
     */
    public Fault strand(Kind kind) {
        List<LinkedSockets> affected = new CopyOnWriteArrayList<>();
        return Fault.lasting(
                "the " + kind + " are broken for clients, and their last bytes are still in transit",
                () -> {
                    affected.addAll(those(kind::includes));
                    affected.forEach(LinkedSockets::strand);
                },
                () -> {
                    affected.forEach(connection -> connection.hold(false));
                    affected.clear();
                });
    }

    /**
     * Returns the number of connections.
     *
     * @param kind the connections to count
     * @return their number
     */
    public int connections(Kind kind) {
        return those(kind::includes).size();
    }

    private List<LinkedSockets> those(Predicate<LinkedSockets> which) {
        return connections.stream().filter(which).toList();
    }

    // ================================================================ the sockets

    private void accept() {
        while (!listener.isClosed()) {
            try {
                connect(listener.accept());
            } catch (IOException e) {
                // the listener was closed, or a client has already gone and others may come
            }
        }
    }

    private void connect(Socket near) throws IOException {
        if (refusing) {
            LinkedSockets.reset(near);
            return;
        }
        Socket far;
        try {
            far = new Socket(InetAddress.getLoopbackAddress(), target);
        } catch (IOException e) { // there is no server
            LinkedSockets.reset(near);
            return;
        }
        LinkedSockets connection = new LinkedSockets(near, far, () -> delay.nanos());
        connections.add(connection);
        if (refusing || listener.isClosed()) { // changed just now; a later change finds this one among the connections
            connections.remove(connection);
            connection.reset();
        } else {
            connection.start(() -> connections.remove(connection));
        }
    }

    /** Breaks all connections and closes the link. Idempotent. */
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        connections.forEach(LinkedSockets::reset);
    }

    @Override
    public String toString() {
        return "FaultyLink from port " + port() + " to port " + target;
    }
}
