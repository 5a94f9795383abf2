// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import io.boltwork.BackendException;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.Reply;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.rules.LatchRules;
import io.boltwork.spi.rules.LockRules;
import io.boltwork.spi.rules.ShareRules;
import io.boltwork.spi.rules.VoteRules;
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
 * A lock server in memory. Any number of {@link MemoryBackend}s share it, as clients share a Redis server, and it
 * follows the same rules for owners, leases, queues, tokens and expiry. The record of a lock that has not been used for
 * 10 minutes is dropped ({@link #setIdleLife}), but never before its lease ends.
 *
 * <p>Tests can move its clock ({@link #advance}, or a clock of their own) and cause faults: {@link #flush},
 * {@link #delete}, {@link #restart}, {@link #failOver}, {@link #freeze}, {@link #disconnect}, {@link #cutOff}.
 *
 * <p>Thread-safe. No method blocks. Replies and messages are delivered on the thread whose call caused them; messages
 * may also be delivered on the thread of a concurrent call.
 *
 * @since 0.1.0
 */
public final class MemoryServer {
    /*
     * All state is guarded by one lock. Messages and events of listeners go through the outbox, in order and without
     * the lock. Replies are given by the thread that executed the command, without the lock.
     */
    private final ReentrantLock lock = new ReentrantLock();
    private final Outbox outbox = new Outbox();
    private final InstantSource clock;

    private final ServerData data = new ServerData();
    private final Map<String, Consumer<Grant>> subscribers = new HashMap<>();
    private final Map<String, Consumer<HolderMessage>> owners = new HashMap<>();
    private final Set<Connection> connections = new LinkedHashSet<>();

    /**
     * The connections that are up, by the id of the client whose grants they receive: two clients may have the same id
     * by mistake.
     */
    private final Map<String, Set<Connection>> listening = new HashMap<>();

    private final ArrayDeque<SentCommand> waiting = new ArrayDeque<>();

    private Duration offset = Duration.ZERO;
    private final Supplier<String> runs;
    private String run;
    private boolean frozen;
    private int replicas = Integer.MAX_VALUE;

    /** Creates a server; {@code runs} names each run of the server when it begins. */
    MemoryServer(InstantSource clock, Supplier<String> runs) {
        this.clock = clock;
        this.runs = runs;
        this.run = runs.get();
    }

    /**
     * Creates a server that uses the system clock.
     *
     * @return a new, empty server
     */
    public static MemoryServer create() {
        return create(InstantSource.system());
    }

    /**
     * Creates a server with another clock, such as that of a simulation.
     *
     * @param clock the server's clock, read once per command, to the microsecond
     * @return a new, empty server
     */
    public static MemoryServer create(InstantSource clock) {
        return new MemoryServer(clock, () -> UUID.randomUUID().toString());
    }

    /**
     * Executes a command at once, even while the server is frozen: the command is not sent through a connection. The
     * messages that it causes have been delivered when this method returns, unless a concurrent or an outer call is
     * delivering them.
     *
     * @param command the command
     * @return the answer
     * @param <R> the type of the answer
     */
    public <R extends Reply.Answer> R execute(Command<R> command) {
        R answer = atomically(() -> step(command));
        outbox.deliver();
        return answer;
    }

    /**
     * Subscribes to the grants for a client's requests, in place of an earlier subscriber, until {@link #unsubscribe}.
     * Faults do not end the subscription. Backends of that client receive the grants, too. When the lock becomes free,
     * waiting requests of a client without a subscriber or a connected backend are skipped and dropped.
     *
     * @param client the id of the client
     * @param subscriber receives the grants; it may execute commands and must not block
     */
    public void subscribe(String client, Consumer<Grant> subscriber) {
        subscribe(client, subscriber, message -> {});
    }

    /**
     * Subscribes to grants and to the messages for the owners of locks.
     *
     * @param client the id of the client
     * @param subscriber receives the grants; it may execute commands and must not block
     * @param holder receives the messages about locks that the client's requests own or have owned; the same
     *     restrictions apply
     */
    public void subscribe(String client, Consumer<Grant> subscriber, Consumer<HolderMessage> holder) {
        atomically(() -> {
            subscribers.put(client, subscriber);
            owners.put(client, holder);
        });
    }

    /**
     * Subscribes like {@link #subscribe(String, Consumer, Consumer)}, but to the messages for the owners of locks
     * alone.
     *
     * @param client the id of the client
     * @param holder receives the messages
     */
    public void subscribeAsOwner(String client, Consumer<HolderMessage> holder) {
        atomically(() -> {
            owners.put(client, holder);
        });
    }

    /**
     * Ends the subscriptions of a client. Idempotent.
     *
     * @param client the id of the client
     */
    public void unsubscribe(String client) {
        atomically(() -> {
            subscribers.remove(client);
            owners.remove(client);
        });
    }

    /**
     * Returns the server's clock and run.
     *
     * @return the time that the answer to a command would have if it were executed now
     */
    public ServerTime time() {
        return atomically(() -> at(micros()));
    }

    /**
     * Moves the server's clock. Leases end earlier or later accordingly.
     *
     * @param step how far to move it; negative to move it back
     */
    public void advance(Duration step) {
        atomically(() -> offset = offset.plus(step));
    }

    /** Drops all locks and client records, as FLUSHALL does. Connections stay open. */
    public void flush() {
        atomically(this::clear);
    }

    /**
     * Drops a lock, as DEL does.
     *
     * @param name the name of the lock
     */
    public void delete(String name) {
        atomically(() -> data.delete(name));
    }

    /**
     * Ends this run of the server and starts another one: empty, not frozen, with a new run id. All connections break
     * and are made again. Commands that were not executed never will be.
     */
    public void restart() {
        breakConnections("it was restarted", () -> {
            clear();
            beginRun();
        });
    }

    /**
     * Returns a replica of this server as it is now. The replica receives no later changes.
     *
     * @return a copy of all data
     */
    public MemoryReplica replica() {
        return atomically(() -> new MemoryReplica(data.copy()));
    }

    /**
     * Lets a replica take over: this server's data are replaced by those of the replica, so writes made after the
     * replica was taken are lost. Otherwise like {@link #restart}: a new run begins, and all connections break and are
     * made again. With a replica of this very moment nothing is lost, as when a server that keeps its data restarts.
     * The clock stays the same; use {@link #advance} for a replica whose clock differs.
     *
     * @param replica the replica that takes over; it can do so again
     */
    public void failOver(MemoryReplica replica) {
        Objects.requireNonNull(replica, "replica");
        breakConnections("a replica took over", () -> {
            data.become(replica.data());
            beginRun();
        });
    }

    /**
     * Sets how many replicas receive each write at once. Matters only to locks with {@link io.boltwork.Replication}.
     * Default: as many as a command asks for.
     *
     * @param count how many; 0 for none
     * @throws IllegalArgumentException if the count is negative
     */
    public void setReplicas(int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count must be 0 or more, but is " + count);
        }
        atomically(() -> replicas = count);
    }

    /**
     * Sets how long the record of a lock is kept when the lock is not in use: at least 7/8 of this time after its last
     * use. Applies to commands that are executed from now on, and never makes a record expire earlier. Default: 10
     * minutes.
     *
     * @param idleLife 1 minute to 7 days
     * @throws IllegalArgumentException if it is out of that range
     */
    public void setIdleLife(Duration idleLife) {
        long millis = IdleLife.millis(idleLife);
        atomically(() -> data.live(millis));
    }

    private void beginRun() {
        waiting.clear();
        run = runs.get();
        frozen = false;
    }

    /** Stops executing the commands of backends until {@link #thaw}. Connections stay open. Idempotent. */
    public void freeze() {
        atomically(() -> frozen = true);
    }

    /**
     * Executes the commands that were sent since {@link #freeze}, in order. Broken connections are made again.
     * Idempotent.
     */
    public void thaw() {
        while (executeWaiting()) {
            outbox.deliver();
        }
        outbox.deliver();
    }

    /**
     * Begins an outage: freezes the server and breaks every connection. Until {@link #thaw}, no backend can connect,
     * and commands fail at once. Commands that were not executed never will be. Keeps all data. Idempotent.
     */
    public void cutOff() {
        freeze();
        disconnect(false);
    }

    /**
     * Breaks every connection. The listeners of the backends are notified of this and of the new connection, which is
     * made at once, or when a frozen server thaws. Commands that a frozen server has not executed are answered with
     * {@link Reply.Failed}.
     *
     * @param executeLater whether the server executes these commands nevertheless when it thaws, as late bytes of a
     *     dead connection
     */
    public void disconnect(boolean executeLater) {
        breakConnections("the connection broke", () -> {
            if (!executeLater) {
                waiting.removeIf(sent -> !sent.isLate());
            }
        });
    }

    /** Connects a backend, and returns the time at which it was connected. */
    ServerTime connect(Connection connection) {
        return atomically(() -> {
            if (frozen) {
                throw SentCommand.failed(false, "it is frozen and accepts no connection")
                        .cause();
            }
            connections.add(connection);
            listen(connection);
            return at(micros());
        });
    }

    /** Gives a backend the grants of another client from now on. */
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

    /** Ends a backend's connection; commands that it has sent may still be executed. */
    void close(Connection connection) {
        List<Runnable> failures = new ArrayList<>();
        atomically(() -> {
            connections.remove(connection);
            cut(connection);
            for (SentCommand sent : waiting) {
                if (sent.connection == connection) {
                    failures.add(sent.breakOff("the backend was closed"));
                }
            }
        });
        failures.forEach(Runnable::run);
    }

    void send(Connection connection, Command<?> command, Consumer<Reply> handler) {
        Reply reply = atomically(() -> {
            if (!connection.up) {
                return SentCommand.failed(false, "not connected");
            }
            if (frozen) {
                waiting.add(new SentCommand(connection, command, handler));
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
            SentCommand sent = waiting.poll();
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
                    BackendException cause = SentCommand.failed(true, why).cause();
                    outbox.put(() -> connection.listener.disconnected(cause));
                }
            }
            List<SentCommand> before = List.copyOf(waiting);
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

    @SuppressWarnings("unchecked") // a RuleExecutor answers each kind of command by its type of answer
    private <R extends Reply.Answer> R step(Command<R> command) {
        long micros = micros();
        ServerTime now = at(micros);
        LockRules rules = new LockRules(now, micros, data.idleMillis(), replicas, this::publish, this::sendMessage);
        ShareRules shareRules = new ShareRules(
                now, micros, data.idleMillis(), replicas, this::publish, this::isListening, this::sendMessage);
        LatchRules latchRules = new LatchRules(now, micros, this::sendMessage);
        VoteRules voteRules = new VoteRules(now, micros, data.idleMillis(), this::sendMessage);
        return (R) command.accept(new RuleExecutor(data, now, rules, shareRules, latchRules, voteRules));
    }

    private void clear() {
        data.clear();
    }

    private boolean publish(Grant grant) {
        String client = RequestId.clientOf(grant.request());
        Consumer<Grant> subscriber = subscribers.get(client);
        if (subscriber != null) {
            outbox.put(() -> subscriber.accept(grant));
        }
        Set<Connection> connected = listening.getOrDefault(client, Set.of());
        connected.forEach(connection -> outbox.put(() -> connection.listener.granted(grant)));
        return subscriber != null || !connected.isEmpty();
    }

    private boolean isListening(String client) {
        return subscribers.containsKey(client) || listening.containsKey(client);
    }

    private void sendMessage(HolderMessage message) {
        String client = RequestId.clientOf(message.request());
        Consumer<HolderMessage> owner = owners.get(client);
        if (owner != null) {
            outbox.put(() -> owner.accept(message));
        }
        listening
                .getOrDefault(client, Set.of())
                .forEach(connection -> outbox.put(() -> connection.listener.told(message)));
    }

    private void sendMessage(String client, LatchOpened opened) {
        listening
                .getOrDefault(client, Set.of())
                .forEach(connection -> outbox.put(() -> connection.listener.opened(opened)));
    }

    private void sendMessage(String client, LockFreed freed) {
        listening
                .getOrDefault(client, Set.of())
                .forEach(connection -> outbox.put(() -> connection.listener.freed(freed)));
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
