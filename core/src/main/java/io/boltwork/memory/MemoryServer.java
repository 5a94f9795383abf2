package io.boltwork.memory;

import io.boltwork.BackendException;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Taken;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock server in memory, shared by any number of {@link MemoryBackend}s as a Redis server is by its clients, with
 * the same rules: owners, leases, queues, tokens, expiry. A lock that nobody has used for 10 minutes is forgotten ({@link
 * #setIdleLife}), and never before its lease ends.
 *
 * <p>Tests can move its clock ({@link #advance}, or a clock of their own) and cause faults: {@link #flush}, {@link
 * #delete}, {@link #restart}, {@link #failOver}, {@link #freeze}, {@link #disconnect}. An outage is a {@link #freeze}
 * followed by a {@link #disconnect}: from then until {@link #thaw} nobody can connect.
 *
 * <p>Thread-safe. Nothing blocks. Replies and messages are delivered on the thread whose call caused them or, for
 * messages, on that of a concurrent call.
 */
public final class MemoryServer {
    /*
     * All state is guarded by one lock. Messages and listeners' events go through the outbox, in order and without the
     * lock; replies are given by whoever executed the command, without the lock.
     */
    private final ReentrantLock lock = new ReentrantLock();
    private final Outbox outbox = new Outbox();
    private final InstantSource clock;

    private final Keys keys = new Keys();
    private final Cards cards = new Cards();
    private final Map<String, Consumer<Grant>> subscribers = new HashMap<>();
    private final Map<String, Consumer<Taken>> warned = new HashMap<>();
    private final Set<Connection> connections = new LinkedHashSet<>();

    /** The connections that are up, by the clients whose grants they get: two clients may have one id by mistake. */
    private final Map<String, Set<Connection>> listening = new HashMap<>();

    private final ArrayDeque<Sent> waiting = new ArrayDeque<>();

    private Duration offset = Duration.ZERO;
    private final Supplier<String> runs;
    private String run;
    private boolean frozen;
    private int replicas = Integer.MAX_VALUE;

    /** {@code runs} names each run of the server when it begins. */
    MemoryServer(InstantSource clock, Supplier<String> runs) {
        this.clock = clock;
        this.runs = runs;
        this.run = runs.get();
    }

    /**
     * A server with the system's clock.
     *
     * @return a new, empty server
     */
    public static MemoryServer create() {
        return create(InstantSource.system());
    }

    /**
     * A server with a clock of the caller's, such as a simulation's.
     *
     * @param clock the server's clock, read once per command, to the microsecond
     * @return a new, empty server
     */
    public static MemoryServer create(InstantSource clock) {
        return new MemoryServer(clock, () -> UUID.randomUUID().toString());
    }

    /**
     * Executes a command at once, even while frozen: it is not sent through any connection. Messages that it causes
     * have been delivered on return, unless a concurrent or an outer call is delivering them.
     *
     * @param command what to do
     * @return the answer
     */
    public Reply.Answer execute(Command command) {
        Reply.Answer answer = atomically(() -> step(command));
        outbox.deliver();
        return answer;
    }

    /**
     * Receives the grants for a client's requests, in place of an earlier subscriber, until {@link #unsubscribe};
     * faults do not end it. Backends of that client get them, too. Requests of a client without a subscriber are passed over and dropped when the lock
     * becomes free.
     *
     * @param client the client's id
     * @param subscriber who is told; it may execute commands, and does not block
     */
    public void subscribe(String client, Consumer<Grant> subscriber) {
        subscribe(client, subscriber, taken -> {});
    }

    /**
     * The same, and receives what is taken away from the client's requests by force.
     *
     * @param client the client's id
     * @param subscriber is told of grants; it may execute commands, and does not block
     * @param holder is told of what is taken away, likewise
     */
    public void subscribe(String client, Consumer<Grant> subscriber, Consumer<Taken> holder) {
        atomically(() -> {
            subscribers.put(client, subscriber);
            warned.put(client, holder);
        });
    }

    /**
     * Ends a subscription. Idempotent.
     *
     * @param client the client's id
     */
    public void unsubscribe(String client) {
        atomically(() -> {
            subscribers.remove(client);
            warned.remove(client);
        });
    }

    /**
     * The server's clock and run.
     *
     * @return what a command executed now would answer
     */
    public ServerTime time() {
        return atomically(() -> at(micros()));
    }

    /**
     * Moves the server's clock; leases end earlier or later accordingly.
     *
     * @param step how far, negative for back
     */
    public void advance(Duration step) {
        atomically(() -> offset = offset.plus(step));
    }

    /** Forgets all locks, and who the clients are, as FLUSHALL does; connections stay. */
    public void flush() {
        atomically(this::clear);
    }

    /**
     * Forgets a lock, as DEL does.
     *
     * @param name the lock's name
     */
    public void delete(String name) {
        atomically(() -> keys.delete(name));
    }

    /**
     * Ends this run of the server and starts another: empty, not frozen, with a new run id. All connections break and
     * come back; commands that were not executed never will be.
     */
    public void restart() {
        breakConnections("it was restarted", () -> {
            clear();
            beginRun();
        });
    }

    /**
     * What a replica of this server has now. It is not told of anything later; take another one for that.
     *
     * @return a copy of all data
     */
    public MemoryReplica replica() {
        return atomically(() -> new MemoryReplica(keys.copy(), cards.copy()));
    }

    /**
     * A replica takes over: this server's data become what the replica had, so the writes since then are lost. Else as
     * {@link #restart}: a new run, all connections break and come back. With a replica of this very moment nothing is lost,
     * as when a server restarts that keeps its data. The clock stays; {@link #advance} it for a replica whose clock differs.
     *
     * @param replica who takes over; it can do so again
     */
    public void failOver(MemoryReplica replica) {
        Objects.requireNonNull(replica, "replica");
        breakConnections("a replica took over", () -> {
            keys.become(replica.keys());
            cards.become(replica.cards());
            beginRun();
        });
    }

    /**
     * Sets how many replicas know of each write at once. Matters to locks with {@link io.boltwork.Replication} alone. Default: as
     * many as anybody asks for.
     *
     * @param count how many, 0 for none
     */
    public void setReplicas(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count must be 0 or more, but is " + count);
        }
        atomically(() -> replicas = count);
    }

    /**
     * Sets how long a lock that nobody uses is remembered, at least 7/8 of it from the last use on. Counts for what is executed
     * from now on, and never makes a lock be forgotten earlier. Default: 10 minutes.
     *
     * @param idleLife 1 minute to 7 days
     * @throws IllegalArgumentException if it is out of that range
     */
    public void setIdleLife(Duration idleLife) {
        long millis = IdleLife.millis(idleLife);
        atomically(() -> keys.live(millis));
    }

    private void beginRun() {
        waiting.clear();
        run = runs.get();
        frozen = false;
    }

    /** Stops executing what backends send, until {@link #thaw}; connections stay open. Idempotent. */
    public void freeze() {
        atomically(() -> frozen = true);
    }

    /** Executes what was sent since {@link #freeze}, in order; broken connections come back. Idempotent. */
    public void thaw() {
        while (executeWaiting()) {
            outbox.deliver();
        }
        outbox.deliver();
    }

    /**
     * Breaks every connection. The backends' listeners hear of it, and that they are connected again: at once, or when
     * a frozen server thaws. Commands that a frozen server has not executed are answered as {@link Reply.Failed}.
     *
     * @param executeLater whether the server nevertheless executes these when it thaws: the late bytes of a dead
     *     connection
     */
    public void disconnect(boolean executeLater) {
        breakConnections("the connection broke", () -> {
            if (!executeLater) {
                waiting.removeIf(sent -> !sent.isLate());
            }
        });
    }

    /** Connects a backend; answers when that was. */
    ServerTime connect(Connection connection) {
        return atomically(() -> {
            if (frozen) {
                throw Sent.failed(false, "it is frozen and accepts no connection")
                        .cause();
            }
            connections.add(connection);
            listen(connection);
            return at(micros());
        });
    }

    /** A backend gets the grants of another client from now on. */
    void rename(Connection connection, String client) {
        atomically(() -> {
            boolean up = connection.up;
            cut(connection);
            connection.client = client;
            if (up) {
                listen(connection);
            }
        });
    }

    /** Ends a backend's connection; what it has sent may still be executed. */
    void close(Connection connection) {
        List<Runnable> failures = new ArrayList<>();
        atomically(() -> {
            connections.remove(connection);
            cut(connection);
            for (Sent sent : waiting) {
                if (sent.connection == connection) {
                    failures.add(sent.breakOff("the backend was closed"));
                }
            }
        });
        failures.forEach(Runnable::run);
    }

    void send(Connection connection, Command command, Consumer<Reply> handler) {
        Reply reply = atomically(() -> {
            if (!connection.up) {
                return Sent.failed(false, "not connected");
            }
            if (frozen) {
                waiting.add(new Sent(connection, command, handler));
                return null;
            }
            return step(command);
        });
        outbox.deliver();
        if (reply != null) {
            handler.accept(reply);
        }
    }

    private boolean executeWaiting() {
        Runnable reply = atomically(() -> {
            Sent sent = waiting.poll();
            if (sent == null) {
                frozen = false;
                reconnect();
                return null;
            }
            Reply.Answer answer = step(sent.command);
            return () -> sent.reply(answer);
        });
        if (reply != null) {
            reply.run();
        }
        return reply != null;
    }

    private void breakConnections(String why, Runnable change) {
        List<Runnable> failures = new ArrayList<>();
        atomically(() -> {
            for (Connection connection : connections) {
                if (connection.up) {
                    cut(connection);
                    BackendException cause = Sent.failed(true, why).cause();
                    outbox.put(() -> connection.listener.disconnected(cause));
                }
            }
            List<Sent> before = List.copyOf(waiting);
            change.run();
            before.forEach(sent -> failures.add(sent.breakOff(why)));
            if (!frozen) {
                reconnect();
            }
        });
        failures.forEach(Runnable::run);
        outbox.deliver();
    }

    private void listen(Connection connection) {
        connection.up = true;
        listening
                .computeIfAbsent(connection.client, client -> new LinkedHashSet<>())
                .add(connection);
    }

    private void cut(Connection connection) {
        connection.up = false;
        listening.computeIfPresent(connection.client, (client, those) -> {
            those.remove(connection);
            return those.isEmpty() ? null : those;
        });
    }

    private void reconnect() {
        ServerTime now = at(micros());
        for (Connection connection : connections) {
            if (!connection.up) {
                listen(connection);
                outbox.put(() -> connection.listener.connected(now));
            }
        }
    }

    private Reply.Answer step(Command command) {
        long micros = micros();
        return new Step(keys, cards, at(micros), micros, replicas, this::publish, this::warn).execute(command);
    }

    private void clear() {
        keys.clear();
        cards.clear();
    }

    private boolean publish(Grant grant) {
        String client = Ring.clientOf(grant.request());
        Consumer<Grant> subscriber = subscribers.get(client);
        if (subscriber != null) {
            outbox.put(() -> subscriber.accept(grant));
        }
        Set<Connection> connected = listening.getOrDefault(client, Set.of());
        connected.forEach(connection -> outbox.put(() -> connection.listener.granted(grant)));
        return subscriber != null || !connected.isEmpty();
    }

    private void warn(Taken taken) {
        String client = Ring.clientOf(taken.request());
        Consumer<Taken> holder = warned.get(client);
        if (holder != null) {
            outbox.put(() -> holder.accept(taken));
        }
        listening
                .getOrDefault(client, Set.of())
                .forEach(connection -> outbox.put(() -> connection.listener.taken(taken)));
    }

    private long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, clock.instant().plus(offset));
    }

    private ServerTime at(long micros) {
        return new ServerTime(Math.floorDiv(micros, 1_000), run);
    }

    private void atomically(Runnable change) {
        lock.lock();
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }

    private <T extends @Nullable Object> T atomically(Supplier<T> step) {
        lock.lock();
        try {
            return step.get();
        } finally {
            lock.unlock();
        }
    }
}
