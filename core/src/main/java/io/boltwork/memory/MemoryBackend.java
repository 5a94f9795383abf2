// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import io.boltwork.BackendException;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A backend on a {@link MemoryServer}: locks between the clients of one JVM, for tests without Redis. Clients whose
 * backends use the same server share its locks.
 *
 * <p>Thread-safe. Replies are given on the sending thread, except for those that a frozen server has delayed.
 *
 * @since 0.1.0
 */
public final class MemoryBackend implements LockBackend {
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

    private final MemoryServer server;
    private final Duration commandTimeout;
    private final AtomicReference<Connection> connection = new AtomicReference<>();
    private volatile boolean closed;

    private MemoryBackend(MemoryServer server, Duration commandTimeout) {
        this.server = server;
        this.commandTimeout = commandTimeout;
    }

    /**
     * Creates a backend on a new server that is not shared, with a command timeout of 2 s.
     *
     * @return a new backend, not opened
     */
    public static MemoryBackend create() {
        return on(MemoryServer.create());
    }

    /**
     * Creates a backend on a server that others may share, with a command timeout of 2 s.
     *
     * @param server the server
     * @return a new backend, not opened
     */
    public static MemoryBackend on(MemoryServer server) {
        return on(server, COMMAND_TIMEOUT);
    }

    /**
     * Creates a backend on a server that others may share.
     *
     * @param server the server
     * @param commandTimeout how long the client of the backend waits for an answer
     * @return a new backend, not opened
     */
    public static MemoryBackend on(MemoryServer server, Duration commandTimeout) {
        return new MemoryBackend(server, commandTimeout);
    }

    /**
     * Returns the server, whose clock can be moved and on which faults can be caused.
     *
     * @return the server
     */
    public MemoryServer server() {
        return server;
    }

    /**
     * {@inheritDoc}
     *
     * @throws BackendException if the server is frozen
     */
    @Override
    public void open(String client, BackendListener listener) {
        Connection made = new Connection(client, listener);
        if (closed || !connection.compareAndSet(null, made)) {
            throw new IllegalStateException(
                    "A backend belongs to one client; this one has already been opened or closed");
        }
        try {
            ServerTime when = server.connect(made);
            if (closed) {
                server.close(made);
            } else {
                listener.connected(when);
            }
        } catch (BackendException e) {
            connection.set(null);
            throw e;
        }
    }

    @Override
    public void rename(String client) {
        Connection open = connection.get();
        if (open == null) {
            throw new IllegalStateException("The backend has not been opened");
        }
        server.rename(open, client);
    }

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        Connection open = connection.get();
        if (closed) {
            handler.accept(SentCommand.failed(false, "the backend is closed"));
        } else if (open == null) {
            throw new IllegalStateException("The backend has not been opened");
        } else {
            server.send(open, command, handler);
        }
    }

    @Override
    public Duration commandTimeout() {
        return commandTimeout;
    }

    @Override
    public void close() {
        closed = true;
        Connection open = connection.get();
        if (open != null) {
            server.close(open);
        }
    }

    @Override
    public String toString() {
        return "memory";
    }
}
