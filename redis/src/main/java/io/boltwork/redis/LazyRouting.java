// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.connect.Probe;
import io.boltwork.redis.connect.Routing;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.Slots;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Routes commands to servers that may be down when the client starts. A background thread tries to connect until it
 * succeeds, and then ends. Until then, the client is in an outage, with the reason of the last attempt. The connected
 * backend handles later outages by itself.
 */
final class LazyRouting implements Routing {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LAST_PAUSE_MILLIS = 2_000;
    private static final long END_MILLIS = 2_000;

    private final RedisDeployment deployment;
    private final KeySpace keySpace;
    private final Errors errors;
    private final Supplier<RedisBackend> connector;
    private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

    /** A connected backend that has not been opened yet. */
    private @Nullable RedisBackend made;

    /** The opened backend, from which grants can arrive. */
    private volatile @Nullable RedisBackend opened;

    /** The id of the client that receives the grants. */
    private volatile String client = "";

    private volatile BackendException absence;
    private volatile @Nullable Thread thread;
    private volatile boolean closed;

    private LazyRouting(RedisDeployment deployment, KeySpace keySpace, Supplier<RedisBackend> connector) {
        this.deployment = deployment;
        this.keySpace = keySpace;
        this.errors = new Errors(deployment);
        this.connector = connector;
        this.absence = errors.notConnected();
    }

    /**
     * Tries once to connect. Blocks.
     *
     * @param connector connects, or throws
     * @throws BackendException if a server was reached but refuses the client
     */
    static LazyRouting connect(RedisDeployment deployment, KeySpace keySpace, Supplier<RedisBackend> connector) {
        LazyRouting servers = new LazyRouting(deployment, keySpace, connector);
        try {
            servers.made = connector.get();
        } catch (BackendException e) {
            if (!e.isRetryable()) {
                throw e;
            }
            servers.absence = e;
        }
        return servers;
    }

    @Override
    public void open(String whose, BackendListener listener) {
        client = whose;
        RedisBackend first = made;
        made = null;
        if (first != null && open(first, listener)) {
            ended.complete(null);
            return;
        }
        listener.disconnected(absence);
        Thread connecting = new Thread(() -> keepConnecting(listener), "boltwork-connect");
        connecting.setDaemon(true);
        thread = connecting;
        connecting.start();
    }

    private void keepConnecting(BackendListener listener) {
        try {
            long pause = FIRST_PAUSE_MILLIS;
            while (!closed && !tryOnce(listener)) {
                LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(pause));
                pause = Math.min(2 * pause, LAST_PAUSE_MILLIS);
            }
        } finally {
            ended.complete(null);
        }
    }

    private boolean tryOnce(BackendListener listener) {
        try {
            return open(connector.get(), listener);
        } catch (BackendException e) {
            absence = e;
        } catch (RuntimeException e) { // such as resources of the application that have been shut down
            absence = errors.connecting(e);
        }
        return false;
    }

    private boolean open(RedisBackend backend, BackendListener listener) {
        String whose = client;
        try {
            backend.open(whose, new FirstNews(backend, listener));
            opened = backend;
            if (!whose.equals(client)) { // rename() may have missed it
                backend.rename(client);
            }
        } catch (BackendException e) {
            absence = e;
            opened = null;
            backend.close();
            if (!closed) {
                listener.disconnected(e);
            }
            return false;
        }
        if (closed) { // close() may have missed it
            backend.close();
        }
        return true;
    }

    @Override
    public @Nullable CallerRun offer(Command<?> command, Consumer<Reply> handler) {
        RedisBackend backend = opened;
        return backend == null ? null : backend.offer(command, handler);
    }

    @Override
    public void together(Runnable sends) {
        RedisBackend backend = opened;
        if (backend == null) {
            sends.run();
        } else {
            backend.together(sends);
        }
    }

    @Override
    public void rename(String whose) {
        client = whose;
        RedisBackend backend = opened;
        if (backend != null) {
            backend.rename(whose);
        }
    }

    /**
     * Passes events on to the client. Sets the opened backend before the client learns that it is connected, because
     * the client then sends commands.
     */
    private final class FirstNews implements BackendListener {
        private final RedisBackend backend;
        private final BackendListener client;

        FirstNews(RedisBackend backend, BackendListener client) {
            this.backend = backend;
            this.client = client;
        }

        @Override
        public void granted(Grant grant) {
            client.granted(grant);
        }

        @Override
        public void told(HolderMessage message) {
            client.told(message);
        }

        @Override
        public void opened(LatchOpened opened) {
            client.opened(opened);
        }

        @Override
        public void freed(LockFreed freed) {
            client.freed(freed);
        }

        @Override
        public void connected(ServerTime server) {
            opened = backend;
            client.connected(server);
        }

        @Override
        public void connected(ServerTime server, BitSet partitions) {
            opened = backend;
            client.connected(server, partitions);
        }

        @Override
        public void warned(String what) {
            client.warned(what);
        }

        @Override
        public void ended(Reply.Failed refusal) {
            client.ended(refusal);
        }

        @Override
        public void disconnected(Throwable cause) {
            client.disconnected(cause);
        }

        @Override
        public void disconnected(Throwable cause, BitSet partitions) {
            client.disconnected(cause, partitions);
        }
    }

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        LockBackend backend = opened;
        if (backend == null) {
            handler.accept(new Reply.Failed(false, errors.notConnected(absence)));
        } else {
            backend.send(command, handler);
        }
    }

    @Override
    public int partitions() {
        return deployment.kind() == RedisDeployment.Kind.CLUSTER ? Slots.COUNT : 1;
    }

    @Override
    public int partition(String lock) {
        return deployment.kind() == RedisDeployment.Kind.CLUSTER ? keySpace.slot(lock) : 0;
    }

    @Override
    public CompletableFuture<List<NodeStatus>> nodes() {
        RedisBackend backend = opened;
        return backend == null
                ? CompletableFuture.completedFuture(
                        List.of(Probe.unreachable(deployment.describe(), String.valueOf(absence.getMessage()))
                                .withRefuses(true)))
                : backend.servers().nodes();
    }

    @Override
    public long malformedMessages() {
        RedisBackend backend = opened;
        return backend == null ? 0 : backend.malformedMessages();
    }

    @Override
    public CompletableFuture<@Nullable Void> close() {
        closed = true;
        Thread connecting = thread;
        if (connecting == null) {
            ended.complete(null); // the backend was opened at once, or never
        } else {
            connecting.interrupt();
        }
        closeIfThere(made);
        closeIfThere(opened);
        if (!(Thread.currentThread() instanceof FastThreadLocalThread)) {
            awaitEnd();
        }
        return ended;
    }

    private void awaitEnd() {
        try {
            ended.get(END_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            return; // the thread is a daemon and ends with its attempt
        }
    }

    private static void closeIfThere(@Nullable RedisBackend backend) {
        if (backend != null) {
            backend.close();
        }
    }
}
