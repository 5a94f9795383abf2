// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.BackendException;
import io.boltwork.spi.Announce;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A backend on a {@link RecordStore}. Each command reads a record, applies the rules of {@link io.boltwork.spi.rules},
 * and writes the record if no other client has changed it meanwhile. Grants are messages between clients.
 *
 * <p>Thread-safe. Commands are executed on threads of the backend, or of callers that wait for them.
 *
 * @since 0.1.0
 */
public class RecordBackend implements LockBackend {
    static final String NO_REPLICATION =
            "Only Redis has replication: a store answers once its own durability rules are met";
    static final String NO_RETENTION =
            "Only Redis has retention: a client that retains a lock must be reached at once when another one wants it";
    static final String NO_VOTES = "This store does not vote in a quorum. Use Redis servers, or this store alone";
    private static final String BOUNDED_QUEUE = "At most " + RecordSteps.MOST_WAITING
            + " requests wait for one lock, because each change of the lock writes them all";

    /**
     * The stack that must be left on the thread of a caller, in calls of {@link #reach}. H2 needs the most: about 60
     * calls, whose frames are larger.
     */
    private static final int STORE_FRAMES = 1_000;

    /** The time between two sweeps. They drop data that has expired or is at least a minute old. */
    private static final long SWEEP = TimeUnit.SECONDS.toNanos(60);

    private final RecordStore store;
    private final RecordSteps steps;
    private final OpenWaits waits = new OpenWaits();
    private final AtomicReference<@Nullable StoreWorkers> workers = new AtomicReference<>();
    private final AtomicLong sweptAt = new AtomicLong(System.nanoTime());
    private final AtomicBoolean warnedOfMessages = new AtomicBoolean();
    private volatile boolean closed;
    private volatile boolean awaited;
    private volatile boolean announced;
    private volatile String client = "";
    private volatile @Nullable BackendListener listener;

    /**
     * Creates a backend on a store.
     *
     * @param store the store, which the backend opens and closes
     */
    @SuppressWarnings("this-escape") // the steps use it only after it was opened
    protected RecordBackend(RecordStore store) {
        this.store = store;
        this.steps = new RecordSteps(store, new ThisClient());
    }

    /**
     * Creates a backend on a store. No round trip; the store is opened when the client is created.
     *
     * @param store the store, which the backend opens and closes
     * @return a backend for one client
     */
    public static RecordBackend on(RecordStore store) {
        return new RecordBackend(store);
    }

    // ================================================================ the life of the backend

    @Override
    public void open(String id, BackendListener told) {
        StoreWorkers started = closed || workers.get() != null ? null : new StoreWorkers(store.workers());
        if (started == null || !workers.compareAndSet(null, started)) {
            if (started != null) {
                started.end();
            }
            throw new IllegalStateException(
                    "A backend belongs to one client; this one has already been opened or closed");
        }
        client = id;
        listener = told;
        try {
            store.open(id, new Events());
        } catch (BackendException failed) {
            workers.set(null);
            listener = null;
            started.end();
            throw failed;
        }
        if (closed) {
            close();
        }
    }

    @Override
    public void rename(String id) {
        client = id;
        store.rename(id);
    }

    @Override
    public void close() {
        closed = true;
        StoreWorkers started = workers.get();
        store.close();
        if (started != null) {
            started.end();
        }
    }

    // ================================================================ commands

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        StoreWorkers started = workers.get();
        if (closed) {
            handler.accept(refused());
        } else if (started == null) {
            throw new IllegalStateException("The backend has not been opened");
        } else {
            started.execute(command.locks().hashCode(), new Sent(command, handler));
        }
    }

    @Override
    public @Nullable CallerRun offer(Command<?> command, Consumer<Reply> handler) {
        StoreWorkers started = workers.get();
        int hash = command.locks().hashCode();
        return !closed && started != null && store.servesCallers() && started.isIdle(hash)
                ? new Offer(started, hash, new Sent(command, handler))
                : null;
    }

    /** A command that its caller may execute. */
    private final class Offer implements CallerRun {
        private final StoreWorkers started;
        private final int hash;
        private final Sent sent;

        Offer(StoreWorkers started, int hash, Sent sent) {
            this.started = started;
            this.hash = hash;
            this.sent = sent;
        }

        @Override
        public void run(LongSupplier nanosLeft) {
            boolean interrupted = Thread.interrupted(); // it would end waits for the store
            try {
                if (!hasStack() || !started.executeHere(hash, sent::answer)) {
                    send();
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        @Override
        public boolean canBeLeft() {
            return false;
        }

        @Override
        public void send() {
            started.execute(hash, sent);
        }
    }

    /** Returns whether the stack suffices for a store and its driver, which an overflow may leave half changed. */
    private static boolean hasStack() {
        try {
            return reach(STORE_FRAMES) > 0;
        } catch (StackOverflowError nearlyEnded) {
            return false;
        }
    }

    private static int reach(int frames) {
        return frames == 0 ? 1 : 1 + reach(frames - 1);
    }

    /** A command on its way. */
    private final class Sent implements StoreWorkers.Task {
        private final Command<?> command;
        private final Consumer<Reply> handler;

        Sent(Command<?> command, Consumer<Reply> handler) {
            this.command = command;
            this.handler = handler;
        }

        void answer() {
            Reply reply = execute(command);
            waits.note(command, reply);
            tellWhetherAwaited();
            handler.accept(reply);
        }

        @Override
        public void run() {
            answer();
            announced |= command instanceof Announce;
            if (announced) { // a client without a record only looks, and must change nothing
                sweep();
            }
        }

        @Override
        public void fail(BackendException failure) {
            handler.accept(new Reply.Failed(false, failure));
        }
    }

    private static Reply.Failed refused() {
        return new Reply.Failed(false, StoreWorkers.closed());
    }

    private Reply execute(Command<?> command) {
        StoreExecutor executor = new StoreExecutor(store, steps);
        try {
            return command.accept(executor);
        } catch (BackendException failed) {
            return new Reply.Failed(executor.attempt.mayHaveChanged(), failed);
        } catch (RuntimeException | Error defect) {
            return new Reply.Failed(
                    executor.attempt.mayHaveChanged(),
                    new BackendException(this + " failed to execute a command: " + defect, true, defect));
        }
    }

    private void tellWhetherAwaited() {
        boolean any = waits.areAny();
        if (any != awaited) {
            awaited = any;
            store.await(any);
        }
    }

    private void sweep() {
        long last = sweptAt.get();
        long now = System.nanoTime();
        if (now - last > SWEEP && sweptAt.compareAndSet(last, now)) {
            try {
                store.sweep();
            } catch (BackendException later) {
                sweptAt.set(now); // what is left is dropped the next time
            }
        }
    }

    // ================================================================ what the store can do

    @Override
    public Duration commandTimeout() {
        return store.commandTimeout();
    }

    @Override
    public String namespace() {
        return store.namespace();
    }

    @Override
    public Optional<String> refusal(Capability capability) {
        return switch (capability) {
            case REPLICATION -> Optional.of(NO_REPLICATION);
            case VOTES -> Optional.of(NO_VOTES);
            case RETENTION -> Optional.of(NO_RETENTION);
            case UNBOUNDED_QUEUE -> Optional.of(BOUNDED_QUEUE);
            case SHARES, LATCHES, CONDITIONS, PUSH, DEAD_WAITERS_AT_ONCE -> store.refusal(capability);
        };
    }

    @Override
    public long conflicts() {
        return steps.conflicts();
    }

    @Override
    public CompletionStage<List<NodeStatus>> nodes() {
        CompletableFuture<List<NodeStatus>> status = new CompletableFuture<>();
        StoreWorkers started = workers.get();
        if (closed || started == null) {
            return CompletableFuture.completedFuture(List.of(unreachable("it is closed")));
        }
        started.execute(0, new StoreWorkers.Task() {
            @Override
            public void run() {
                status.complete(List.of(ask()));
            }

            @Override
            public void fail(BackendException failure) {
                status.complete(List.of(unreachable("it is closed")));
            }
        });
        Duration timeout = commandTimeout();
        List<NodeStatus> silent = List.of(unreachable("no answer within " + timeout.toMillis() + " ms"));
        started.after(timeout, () -> status.complete(silent));
        return status;
    }

    private NodeStatus ask() {
        long begun = System.nanoTime();
        try {
            String version = store.version();
            Duration latency = Duration.ofNanos(System.nanoTime() - begun);
            String refusal = refusal();
            return new NodeStatus(
                    store.address(), NodeStatus.Role.MASTER, true, latency, version, refusal, !refusal.isEmpty());
        } catch (BackendException failed) {
            return unreachable(String.valueOf(failed.getMessage()));
        }
    }

    private String refusal() {
        try {
            store.checkWrites();
            return "";
        } catch (BackendException refused) {
            return "it refuses to grant locks: " + refused.getMessage();
        }
    }

    private NodeStatus unreachable(String problem) {
        return new NodeStatus(store.address(), NodeStatus.Role.MASTER, false, Duration.ZERO, "", problem, true);
    }

    @Override
    public String toString() {
        return store.address();
    }

    // ================================================================ messages and events

    private void notifyListener(Consumer<BackendListener> event) {
        BackendListener told = listener;
        if (told != null && !closed) {
            event.accept(told);
        }
    }

    private final class ThisClient implements RecordSteps.OwnClient {
        @Override
        public boolean isSelf(String id) {
            return id.equals(client);
        }

        @Override
        public void deliver(String message) {
            RecordBackend.this.deliver(message);
        }
    }

    private void deliver(String message) {
        try {
            notifyListener(told -> StoreMessage.deliver(message, noting(told)));
        } catch (IllegalArgumentException foreign) {
            if (warnedOfMessages.compareAndSet(false, true)) {
                notifyListener(told -> told.warned("A message cannot be read: " + foreign.getMessage()
                        + ". Grants by message are confirmed some seconds later"));
            }
        }
    }

    /** Returns a listener that notes the end of waits, and passes messages on. */
    private BackendListener noting(BackendListener told) {
        return new BackendListener() {
            @Override
            public void granted(Grant grant) {
                waits.granted(grant.request());
                told.granted(grant);
            }

            @Override
            public void told(HolderMessage message) {
                told.told(message);
            }

            @Override
            public void opened(LatchOpened opened) {
                waits.opened(opened.latch());
                told.opened(opened);
            }

            @Override
            public void connected(ServerTime server) {}

            @Override
            public void disconnected(Throwable cause) {}
        };
    }

    private final class Events implements StoreListener {
        @Override
        public void message(String text) {
            deliver(text);
        }

        @Override
        public void connected(ServerTime server) {
            notifyListener(told -> told.connected(server));
        }

        @Override
        public void disconnected(Throwable cause) {
            notifyListener(told -> told.disconnected(cause));
        }

        @Override
        public void ended(BackendException cause) {
            notifyListener(told -> told.ended(new Reply.Failed(false, cause)));
        }

        @Override
        public void warned(String what) {
            notifyListener(told -> told.warned(what));
        }
    }
}
