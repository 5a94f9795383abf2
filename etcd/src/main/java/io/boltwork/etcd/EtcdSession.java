// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import static io.boltwork.spi.PrintableLog.LOG;

import com.fasterxml.jackson.core.JsonParser;
import io.boltwork.BackendException;
import io.boltwork.spi.Durations;
import io.boltwork.spi.Patience;
import io.boltwork.spi.ServerTime;
import io.boltwork.store.StoreListener;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The life of one client, and its inbox. The client's own keys hang on a lease of etcd, which the client keeps alive;
 * the end of that lease ends no lock's. One thread watches the inbox. It reads the whole inbox whenever it begins to
 * watch anew, so that it does not matter which revisions the cluster still has. A second thread does what is due.
 * Thread-safe.
 */
final class EtcdSession {
    /** The pause between two attempts to connect. */
    private static final Duration PAUSE = Duration.ofMillis(100);
    /** The time between two looks at what is due. */
    private static final Duration TICK = Duration.ofMillis(500);
    /** The wait for the deletion of the client's keys. If it takes longer, they go with their lease. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(800);
    /** The lease is kept alive so often within its time. */
    private static final int KEEP_ALIVES = 3;

    private final EtcdCalls calls;
    private final EtcdKeys keys;
    private final EtcdOptions options;
    private final EtcdClock clock;
    private final StoreListener listener;
    private final Runnable forget;
    private final ScheduledExecutorService keeper = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "boltwork-etcd");
        made.setDaemon(true);
        return made;
    });
    private final Thread watcher = new Thread(this::watch, "boltwork-etcd-watch");
    private final CompletableFuture<@Nullable Void> first = new CompletableFuture<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** The keys of messages that were delivered, and are still to be deleted. */
    private final Set<String> delivered = ConcurrentHashMap.newKeySet();

    private volatile String client;
    private volatile boolean ready;
    private volatile @Nullable URI watched;
    private volatile @Nullable InputStream stream;
    private long keptAlive;

    /**
     * Creates a session that has not begun.
     *
     * @param forget forgets what was read over earlier connections
     */
    EtcdSession(
            EtcdCalls calls,
            EtcdKeys keys,
            EtcdOptions options,
            EtcdClock clock,
            String client,
            StoreListener listener,
            Runnable forget) {
        this.calls = calls;
        this.keys = keys;
        this.options = options;
        this.clock = clock;
        this.client = client;
        this.listener = listener;
        this.forget = forget;
        watcher.setDaemon(true);
    }

    /** Connects. Tries again while the cluster is slow, for the connect timeout. */
    void open() {
        watcher.start();
        try {
            Patience.of(options.connectTimeout()).get(first);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new BackendException("The wait for etcd was interrupted", true, interrupted);
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof BackendException known
                    ? known
                    : new BackendException("etcd could not be used: " + failed.getCause(), true, failed);
        } catch (TimeoutException late) {
            throw new BackendException(
                    "etcd at " + calls.address() + " cannot be used within " + Durations.text(options.connectTimeout()),
                    true,
                    late);
        }
        keeper.scheduleWithFixedDelay(this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
    }

    // ================================================================ the inbox

    private void watch() {
        while (!closed.get()) {
            Throwable cause;
            String id = client;
            try {
                URI endpoint = calls.endpoint();
                try (InputStream opened = prepare(id, endpoint)) {
                    stream = opened;
                    watched = endpoint;
                    if (closed.get()) {
                        return;
                    }
                    ServerTime server = clock.now().earliest();
                    ready = true;
                    listener.connected(server);
                    first.complete(null);
                    cause = read(opened);
                }
            } catch (BackendException failed) {
                cause = failed;
                if (!failed.isRetryable()) {
                    first.completeExceptionally(failed);
                }
            } catch (IOException | RuntimeException broken) {
                cause = broken;
            } catch (Error defect) { // such as a missing library
                cause = defect;
                first.completeExceptionally(defect);
            }
            if (ready && !closed.get()) {
                ready = false;
                if (id.equals(client)) {
                    listener.disconnected(new BackendException(
                            "The connection to etcd at " + calls.address() + " broke: " + cause.getMessage(),
                            true,
                            cause));
                }
            }
            pause();
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes the client's keys, delivers the messages that have come, and begins to watch for more. */
    private InputStream prepare(String id, URI endpoint) {
        forget.run();
        clock.connect();
        beAlive(id);
        byte[] inbox = keys.inbox(id);
        EtcdCalls.Answer found = calls.call("kv/range", Map.of("key", inbox, "range_end", EtcdKeys.end(inbox)));
        found.body().list("kvs").forEach(this::deliver);
        return calls.watch(
                endpoint,
                Map.of(
                        "create_request",
                        Map.of(
                                "key",
                                inbox,
                                "range_end",
                                EtcdKeys.end(inbox),
                                "start_revision",
                                found.header().number("revision") + 1,
                                "filters",
                                List.of("NODELETE"))));
    }

    /** Writes the key that shows that this client is alive. */
    void beAlive() {
        beAlive(client);
    }

    private void beAlive(String id) {
        long lease = keys.lease(id);
        calls.call(
                "lease/grant",
                Map.of("ID", lease, "TTL", options.sessionTimeout().toSeconds()),
                EtcdCalls.FAILED_PRECONDITION); // it exists
        keepAlive(lease);
        calls.call("kv/put", Map.of("key", keys.alive(id), "value", new byte[0], "lease", lease));
    }

    private void keepAlive(long lease) {
        Json kept = calls.call("lease/keepalive", Map.of("ID", lease)).body().object("result");
        if (kept.number("TTL") <= 0) {
            throw new BackendException("The lease of this client's keys in etcd has ended", true, null);
        }
    }

    /** Delivers messages until the watch ends. Returns why it ended. */
    private IOException read(InputStream opened) throws IOException {
        try (JsonParser parser = Json.FACTORY.createParser(opened)) {
            for (Json next; (next = Json.next(parser)) != null; ) {
                Json result = next.object("result");
                if (next.has("error") || result.flag("canceled")) {
                    return new IOException("the watch was ended by the server");
                }
                result.list("events").forEach(event -> deliver(event.object("kv")));
            }
        }
        return new IOException("the watch has ended");
    }

    private void deliver(Json kv) {
        if (delivered.add(kv.text("key"))) {
            listener.message(new String(kv.bytes("value"), StandardCharsets.UTF_8));
        }
    }

    /** Returns keys of messages that can be deleted, in base64. */
    List<String> deliveredKeys(int most) {
        return delivered.isEmpty() ? List.of() : delivered.stream().limit(most).toList();
    }

    /** Takes note that messages were deleted. */
    void deleted(List<String> messages) {
        messages.forEach(delivered::remove);
    }

    /** Fails unless messages for this client arrive. */
    void checkAlive() {
        if (!ready) {
            throw new BackendException("The connection to etcd is being made again", true, null);
        }
    }

    // ================================================================ what is due

    private void tick() {
        try {
            if (!ready) {
                return;
            }
            long now = System.nanoTime();
            if (now - keptAlive > options.sessionTimeout().toNanos() / KEEP_ALIVES) {
                keptAlive = now;
                keepAlive(keys.lease(client));
            }
            if (!calls.endpoint().equals(watched)) { // the member that watches did not answer
                breakWatch();
            }
            List<String> messages = deliveredKeys(EtcdStore.TOGETHER);
            if (!messages.isEmpty()) {
                calls.call("kv/txn", Map.of("success", EtcdStore.deletions(messages)));
                deleted(messages);
            }
            clock.refresh();
        } catch (BackendException failed) {
            LOG.log(System.Logger.Level.DEBUG, "The connection to etcd is made again", failed);
            breakWatch();
        } catch (RuntimeException defect) {
            LOG.log(System.Logger.Level.ERROR, "A task for etcd has failed", defect);
        }
    }

    /** Ends the watch, so that a new one is made. */
    private void breakWatch() {
        InputStream opened = stream;
        if (opened != null) {
            try {
                opened.close();
            } catch (IOException broken) { // as it shall be
            }
        }
    }

    /** Is another client from now on. */
    void rename(String id) {
        String before = client;
        client = id;
        execute(() -> {
            if (!before.equals(id)) {
                revoke(before);
            }
            breakWatch();
        });
    }

    private void revoke(String id) {
        calls.call("lease/revoke", Map.of("ID", keys.lease(id)), EtcdCalls.NOT_FOUND);
    }

    /** Executes a task on the thread that does what is due. */
    void execute(Runnable task) {
        try {
            keeper.execute(() -> {
                try {
                    task.run();
                } catch (BackendException later) {
                    LOG.log(System.Logger.Level.DEBUG, "A task for etcd has failed", later);
                }
            });
        } catch (RejectedExecutionException ended) { // the connection is closed
        }
    }

    /** Removes the client's keys, and ends both threads. Waits only shortly, because the members may be silent. */
    void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        keeper.shutdownNow();
        if (ready) {
            CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
            Thread closer = new Thread(
                    () -> {
                        try {
                            revoke(client);
                        } catch (BackendException silent) { // the keys go with their lease
                        } finally {
                            end.complete(null);
                        }
                    },
                    "boltwork-etcd-close");
            closer.setDaemon(true);
            closer.start();
            try {
                Patience.of(CLOSE_TIMEOUT).get(end);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            } catch (ExecutionException | TimeoutException late) { // the keys go with their lease
            }
        }
        calls.close();
        breakWatch();
        watcher.interrupt();
    }
}
