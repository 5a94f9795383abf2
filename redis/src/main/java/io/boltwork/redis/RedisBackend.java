package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Locks on one Redis server, 6.2 or later.
 *
 * <p>A lock is one key, {@code boltwork:{name}}; each command is one Lua script and one round trip. The backend keeps two
 * connections to the server, one for commands and one for grants, pings them every second and makes them anew when they
 * break. It never repeats a command.
 *
 * <p>A user with few rights needs these (in the words of {@code ACL SETUSER}, with the default prefix): {@code ~boltwork:*
 * &boltwork:grants:* +ping +info +time +eval +evalsha +hmget +hset +hget +hdel +hlen +hgetall +pexpire +publish +subscribe}.
 *
 * <p>Thread-safe. Replies and grants are delivered on Lettuce's I/O threads.
 *
 * <pre>{@code
 * try (LockClient locks = LockClient.create(RedisBackend.connect("redis://localhost:6379"))) {
 *     ...
 * }
 * }</pre>
 */
public final class RedisBackend implements LockBackend {
    private final Connector connector;
    private final Connections connections;
    private final AtomicBoolean opened = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();

    private RedisBackend(Connector connector, Connections connections) {
        this.connector = connector;
        this.connections = connections;
    }

    /**
     * Connects to a server with default options. Blocks, for about 5 s at most.
     *
     * @param uri {@code redis://[[user:]password@]host[:port][/database][?timeout=2s]}, or {@code rediss://} for TLS; the
     *     port is 6379, the database 0 and the command timeout 2 s by default
     * @return a backend for one client
     * @throws IllegalArgumentException if the URI is not of that form
     * @throws BackendException if the server cannot be reached, refuses the credentials, or is older than Redis 6.2
     */
    public static RedisBackend connect(String uri) {
        return connect(uri, RedisOptions.defaults());
    }

    /**
     * Connects to a server. Blocks, for about 5 s at most.
     *
     * @param uri as in {@link #connect(String)}
     * @param options how to use the server
     * @return a backend for one client
     * @throws IllegalArgumentException if the URI is not of that form
     * @throws BackendException if the server cannot be reached, refuses the credentials, or is older than Redis 6.2
     */
    public static RedisBackend connect(String uri, RedisOptions options) {
        Objects.requireNonNull(options, "options");
        Connector connector = new Connector(RedisAddress.parse(uri), options);
        try {
            return new RedisBackend(connector, Connections.connect(connector));
        } catch (RuntimeException e) {
            Connector.awaitEnd(connector.shutdown());
            throw e;
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Blocks for about 5 s at most. May be called again after it has failed.
     *
     * @throws IllegalArgumentException if there are blanks in the client's id
     */
    @Override
    public void open(String client, BackendListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (client.isEmpty() || client.chars().anyMatch(Character::isWhitespace)) {
            throw new IllegalArgumentException("client must not be empty and have no blanks, but is '" + client + "'");
        }
        if (closed.get() || !opened.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "A backend belongs to one client; this one has been opened or closed before");
        }
        try {
            connections.open(connector.keySpace().channel(client), listener);
        } catch (BackendException e) {
            opened.set(false);
            throw e;
        }
    }

    @Override
    public void send(Command command, Consumer<Reply> handler) {
        ServerConnection connection = connections.commands();
        if (connection == null || closed.get()) {
            BackendException why = closed.get() ? connector.errors().closed() : connections.absence();
            handler.accept(new Reply.Failed(false, connector.errors().notConnected(why)));
        } else if (command instanceof Command.Acquire acquire) {
            connection.send(new AcquireCall(connection, acquire, handler));
        } else if (command instanceof Command.Release release) {
            connection.send(new ReleaseCall(connection, release, handler));
        } else if (command instanceof Command.Renew renew) {
            connection.send(new RenewCall(connection, renew, handler));
        } else if (command instanceof Command.Withdraw withdraw) {
            connection.send(new WithdrawCall(connection, withdraw, handler));
        } else if (command instanceof Command.Restore restore) {
            connection.send(new RestoreCall(connection, restore, handler));
        } else if (command instanceof Command.Inspect inspect) {
            Inspection.send(connection, inspect, handler);
        } else {
            throw new IllegalArgumentException("Unknown command " + command);
        }
    }

    @Override
    public Duration commandTimeout() {
        return connector.address().commandTimeout();
    }

    /** {@inheritDoc} Blocks for about 2 s at most. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            Connector.awaitEnd(connections.close().thenCompose(ignored -> connector.shutdown()));
        }
    }

    /**
     * Where the server is.
     *
     * @return such as {@code redis://user@host:6379/0}, never the password
     */
    @Override
    public String toString() {
        return connector.address().toString();
    }
}
