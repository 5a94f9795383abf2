// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.BackendException;
import io.boltwork.spi.Durations;
import io.boltwork.spi.Patience;
import io.boltwork.store.LeaderClock;
import io.boltwork.store.StoreClock;
import io.boltwork.store.StoreListener;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one client: follows the sessions that Curator makes one after another, and tells the listener. The
 * end of a session ends no lease. Thread-safe.
 */
final class ZooKeeperSession {
    /** The pause between two attempts to make the client's nodes. */
    private static final Duration PAUSE = Duration.ofMillis(100);
    /** The time between two looks at what may end the wait for the first connection. */
    private static final Duration LOOK = Duration.ofMillis(50);
    /**
     * The wait for the deletion of the client's nodes, and for the end of the session. The sweep removes the nodes that
     * are left.
     */
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(800);

    private final ZooKeeperConnector connector;
    private final StorePaths paths;
    private final ZooKeeperOptions options;
    private final LeaderClock clock;
    private final StoreListener listener;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> {
        Thread made = new Thread(task, "boltwork-zookeeper");
        made.setDaemon(true);
        return made;
    });
    private final AtomicBoolean ready = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ConnectionStateListener states = (curator, state) -> changed(state);
    private final CuratorListener ends = (curator, event) -> {
        if (event.getType() == CuratorEventType.CLOSING) {
            ended();
        }
    };
    private final NodeSweep sweep;
    private volatile @Nullable CuratorFramework curator;
    private volatile @Nullable ZooKeeperCalls calls;
    private volatile @Nullable ClientNodes nodes;
    private volatile boolean connected;
    private volatile boolean opened;
    private volatile Runnable forget = () -> {};
    private volatile @Nullable Supplier<StoreClock> time;

    ZooKeeperSession(
            ZooKeeperConnector connector,
            StorePaths paths,
            ZooKeeperOptions options,
            LeaderClock clock,
            StoreListener listener) {
        this.connector = connector;
        this.paths = paths;
        this.options = options;
        this.clock = clock;
        this.listener = listener;
        this.sweep = new NodeSweep(paths, options);
    }

    /**
     * Connects.
     *
     * @param forgetAll forgets what was read in earlier sessions
     * @param reads returns the leader's time
     */
    void open(String client, Runnable forgetAll, Supplier<StoreClock> reads) {
        forget = forgetAll;
        time = reads;
        Patience patience = Patience.of(options.connectTimeout());
        CuratorFramework started = connector.start();
        curator = started;
        started.getCuratorListenable().addListener(ends);
        awaitConnection(started, patience);
        ZooKeeperCalls made = new ZooKeeperCalls(started, options.commandTimeout(), connector);
        calls = made;
        checkChroot(made);
        ClientNodes own = new ClientNodes(made, paths, options, clock, client, listener::message);
        nodes = own;
        started.getConnectionStateListenable().addListener(states);
        connected = started.getZookeeperClient().isConnected();
        onThread(() -> {
            prepareFirst(own, patience);
            ready.set(true);
            listener.connected(reads.get().earliest());
            opened = true;
        });
    }

    /** Makes the client's nodes. Tries again while ZooKeeper is slow. */
    private static void prepareFirst(ClientNodes own, Patience patience) {
        while (true) {
            try {
                own.prepare();
                return;
            } catch (BackendException failed) {
                if (!failed.isRetryable() || patience.next() == 0) {
                    throw failed;
                }
                pause();
            }
        }
    }

    /** Runs a task on the thread that follows the connection, and waits for its end. */
    private void onThread(Runnable task) {
        try {
            thread.submit(task).get();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BackendException("The wait for ZooKeeper was interrupted", true, interrupted);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof BackendException known) {
                throw known;
            }
            throw new BackendException("ZooKeeper could not be used: " + failed.getCause(), true, failed);
        }
    }

    private void awaitConnection(CuratorFramework started, Patience patience) {
        UnknownNames unknown = connector.unknownNames();
        boolean isInVain = false; // a framework of the user's may know names in ways of its own
        try {
            for (long nanos; !isInVain && (nanos = patience.next()) > 0; ) {
                int millis = Math.toIntExact(Math.min(LOOK.toMillis(), TimeUnit.NANOSECONDS.toMillis(nanos) + 1));
                if (started.blockUntilConnected(millis, TimeUnit.MILLISECONDS)) {
                    return;
                }
                isInVain = connector.hasEnded() || connector.isOwn() && unknown.areAll();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        throw connector.hasEnded()
                ? connector.ended(null)
                : new BackendException(
                        "ZooKeeper at " + connector.address() + " cannot be reached"
                                + (isInVain ? "" : " within " + Durations.text(options.connectTimeout()))
                                + unknown.text(),
                        true,
                        null);
    }

    /** Fails if the address has a chroot that does not exist: no client of that address can make it. */
    private void checkChroot(ZooKeeperCalls made) {
        String chroot = connector.chroot();
        if (!chroot.isEmpty() && made.await(made.exists("/")) == null) {
            throw new BackendException(
                    "The node " + chroot + ", which is the chroot in " + connector.address()
                            + ", does not exist. Make it, or use ZooKeeperOptions.withRoot, whose nodes Boltwork"
                            + " creates",
                    false,
                    null);
        }
    }

    ZooKeeperCalls calls() {
        ZooKeeperCalls made = calls;
        if (made == null || closed.get()) {
            throw new BackendException("The connection to ZooKeeper is closed", true, null);
        }
        return made;
    }

    ClientNodes nodes() {
        calls();
        ClientNodes own = nodes;
        if (own == null) {
            throw new BackendException("The connection to ZooKeeper is closed", true, null);
        }
        return own;
    }

    // ================================================================ sessions

    private void changed(ConnectionState state) {
        connected = state.isConnected() && !connector.hasEnded();
        if (connected) {
            execute(this::prepare);
        } else {
            execute(() -> disconnected(state));
        }
    }

    /** Tells that the user has closed the framework. */
    private void ended() {
        connected = false;
        execute(() -> {
            ready.set(false);
            if (opened) { // else the client is being created, which fails
                listener.ended(connector.ended(null));
            }
        });
    }

    private void disconnected(ConnectionState state) {
        if (ready.compareAndSet(true, false)) {
            listener.disconnected(new BackendException(
                    "The connection to ZooKeeper at " + connector.address() + " broke: " + state, true, null));
        }
    }

    /** Makes the client's nodes, again and again until that succeeds or the connection breaks. */
    private void prepare() {
        while (connected && !ready.get() && !closed.get()) {
            try {
                forget.run();
                nodes().prepare();
                Supplier<StoreClock> reads = time;
                if (reads != null) {
                    StoreClock now = reads.get();
                    ready.set(true);
                    listener.connected(now.earliest());
                }
            } catch (BackendException failed) {
                pause();
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    /** Fails unless the client's nodes exist in this session. */
    void checkAlive() {
        if (!ready.get()) {
            throw new BackendException("The connection to ZooKeeper is being made again", true, null);
        }
    }

    void rename(String client) {
        execute(() -> {
            ready.set(false);
            ClientNodes own = nodes;
            if (own != null) {
                own.become(client);
                prepare();
            }
        });
    }

    void sweep() {
        execute(() -> {
            try {
                Supplier<StoreClock> reads = time;
                if (ready.get() && reads != null) {
                    sweep.run(calls(), reads.get());
                }
            } catch (BackendException later) {
                LOG.log(System.Logger.Level.DEBUG, "Expired nodes of ZooKeeper were not dropped", later);
            }
        });
    }

    private void execute(Runnable task) {
        try {
            thread.execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException defect) {
                    LOG.log(System.Logger.Level.ERROR, "An event of ZooKeeper could not be handled", defect);
                }
            });
        } catch (RejectedExecutionException ended) { // the connection is closed
        }
    }

    // ================================================================ closing

    /**
     * Removes the client's nodes and ends the session. Waits for both only shortly, because the servers may be silent.
     * Idempotent.
     */
    void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        thread.shutdownNow();
        CuratorFramework started = curator;
        if (started == null) {
            return;
        }
        started.getConnectionStateListenable().removeListener(states);
        started.getCuratorListenable().removeListener(ends);
        Patience patience = Patience.of(CLOSE_TIMEOUT);
        ClientNodes own = nodes;
        if (own != null && connected) {
            await(own.delete(), patience);
        }
        if (connector.isOwn()) { // awaited, because the classes that it needs may be gone later
            CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
            Thread closer = new Thread(() -> end(started, end), "boltwork-zookeeper-close");
            closer.setDaemon(true);
            closer.start();
            await(end, patience);
        }
    }

    private static void end(CuratorFramework started, CompletableFuture<@Nullable Void> end) {
        try {
            started.close();
        } finally {
            end.complete(null);
        }
    }

    private static void await(CompletableFuture<?> end, Patience patience) {
        try {
            patience.get(end);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException late) { // the session ends, and what is left is swept
        }
    }
}
