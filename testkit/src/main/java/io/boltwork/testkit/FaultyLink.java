package io.boltwork.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import javax.net.ServerSocketFactory;

/**
 * The network between clients and a Redis server: an address of its own that leads to the server, and the {@linkplain Fault
 * faults} of what goes through it. Several can befall it at once.
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
 */
public final class FaultyLink implements AutoCloseable {
    private static final int BACKLOG = 500;

    private final ServerSocket listener;
    private final List<LinkedSockets> connections = new CopyOnWriteArrayList<>();
    private volatile int target;
    private volatile boolean refusing;
    private volatile Delay delay = new Delay(Duration.ZERO, Duration.ZERO);

    /** Which connections. */
    public enum Kind {
        /** All of them. */
        ALL,
        /** Those on which no client has subscribed to a channel. */
        COMMANDS,
        /** Those on which a client has subscribed to a channel. */
        SUBSCRIPTIONS;

        boolean includes(LinkedSockets connection) {
            return this == ALL || (this == SUBSCRIPTIONS) == connection.isSubscription();
        }

        @Override
        public String toString() {
            return this == ALL ? "connections" : name().toLowerCase(Locale.ROOT) + "' connections";
        }
    }

    /** What a piece of data waits for on its way. */
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
     * A link to a server.
     *
     * @param server which one
     * @return a link without faults
     */
    public static FaultyLink to(RedisServer server) {
        return to(server.port(), ServerSocketFactory.getDefault());
    }

    /**
     * A link to a port of 127.0.0.1.
     *
     * @param port which one
     * @param listeners makes the socket on which clients are listened to, such as one that speaks TLS
     * @return a link without faults
     */
    public static FaultyLink to(int port, ServerSocketFactory listeners) {
        return new FaultyLink(port, listeners);
    }

    /**
     * Where clients are to connect.
     *
     * @return a port of 127.0.0.1
     */
    public int port() {
        return listener.getLocalPort();
    }

    /**
     * The address for clients.
     *
     * @return {@code redis://127.0.0.1:<port>}
     */
    public String uri() {
        return "redis://127.0.0.1:" + port();
    }

    /**
     * New connections lead elsewhere from now on, as after a failover. Those that have been made stay where they are.
     *
     * @param server where to
     */
    public void leadTo(RedisServer server) {
        target = server.port();
    }

    // ================================================================ faults

    /**
     * Connections break (a reset); new ones can be made.
     *
     * @param kind which ones
     * @return the fault
     */
    public Fault cut(Kind kind) {
        return Fault.momentary(
                "the " + kind + " are cut", () -> those(kind::includes).forEach(LinkedSockets::reset));
    }

    /**
     * One of the connections breaks (a reset); new ones can be made.
     *
     * @param random chooses it
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
     * New connections are refused; those that have been made live on.
     *
     * @return the fault
     */
    public Fault refuse() {
        return Fault.lasting("new connections are refused", () -> refusing = true, () -> refusing = false);
    }

    /**
     * Connections break and new ones are refused: the server cannot be reached.
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
     * All that is sent, in either direction, arrives later, in its order.
     *
     * @param fixed how much later at least
     * @param jitter how much may come on top, at random
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
     * What the server sends on the present connections is lost; what clients send arrives. New connections are sound. Healing
     * breaks those that have lost something, as TCP has no gaps.
     *
     * @param kind which connections
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
     * The present connections deliver nothing any more, in neither direction, and nobody is told, as when a firewall has
     * forgotten them. New connections are sound. Once healed, all that was sent meanwhile arrives late, a client's end of the
     * connection included.
     *
     * @param kind which connections
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
     * Clients are told that the present connections are broken, and the server is not. What they have sent on them and has not
     * arrived, because of {@link #delay} or {@link #halfOpen}, arrives once this is healed. New connections are sound.
     *
     * @param kind which connections
     * @return the fault
     */
    public Fault strand(Kind kind) {
        List<LinkedSockets> affected = new CopyOnWriteArrayList<>();
        return Fault.lasting(
                "the " + kind + " are broken for clients, and their last bytes are still on the way",
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
     * How many connections there are.
     *
     * @param kind which ones
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
                // the listener was closed; or a client is gone already, and others come
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
        if (refusing
                || listener.isClosed()) { // since a moment; what is refused from now on finds it among the connections
            connections.remove(connection);
            connection.reset();
        } else {
            connection.start(() -> connections.remove(connection));
        }
    }

    /** Breaks all connections and ends the link. Idempotent. */
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
