// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract;

import io.boltwork.LockOptions;
import io.boltwork.spi.Announce;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A backend that wraps another one. It counts the commands that its client sends. On demand, it loses replies, or
 * delays or doubles grants. Thread-safe.
 *
 * @since 0.1.0
 */
public final class WatchedBackend implements LockBackend {
    private final LockBackend backend;
    private final AtomicLong sent = new AtomicLong();
    private final Queue<Command<?>> commands = new ConcurrentLinkedQueue<>();
    private final Set<String> locks = ConcurrentHashMap.newKeySet();
    private final WaitingRequests waiting = new WaitingRequests();
    private final ThreadLocal<Boolean> delivering = ThreadLocal.withInitial(() -> false);

    private final Queue<Grant> heldBack = new ConcurrentLinkedQueue<>();
    private volatile Predicate<Command<?>> lossy = command -> false;
    private volatile Grants grants = Grants.DELIVERED;
    private volatile @Nullable BackendListener listener;

    private enum Grants {
        DELIVERED,
        DOUBLED,
        HELD_BACK
    }

    /**
     * Wraps a backend.
     *
     * @param backend the backend that does the work
     */
    public WatchedBackend(LockBackend backend) {
        this.backend = backend;
    }

    /**
     * Returns the number of commands that the client has sent, which are its requests to the server. Announcements do
     * not count, because a client sends them independently of its locks.
     *
     * @return the number so far
     */
    public long requests() {
        return sent.get();
    }

    /**
     * Returns the number of commands of a kind that the client has sent.
     *
     * @param kind selects the commands to count
     * @return the number so far
     */
    public long requests(Predicate<Command<?>> kind) {
        return commands.stream().filter(kind).count();
    }

    /**
     * Returns the locks that commands referred to.
     *
     * @return their names
     */
    public Set<String> locks() {
        return locks;
    }

    /**
     * Returns the number of requests of the client that wait for a lock, as far as the client has been told.
     *
     * @param lock the name of the lock
     * @return their number
     */
    public int waiting(String lock) {
        return waiting.count(lock);
    }

    /**
     * Loses the reply to the next command of a kind. The command itself arrives.
     *
     * @param kind selects the commands
     */
    public void loseReply(Predicate<Command<?>> kind) {
        AtomicBoolean lost = new AtomicBoolean();
        lossy = command -> kind.test(command) && lost.compareAndSet(false, true);
    }

    /** Holds back grants from now on, until {@link #deliverGrants()} is called. */
    public void holdBackGrants() {
        grants = Grants.HELD_BACK;
    }

    /** Delivers every grant twice from now on. */
    public void doubleGrants() {
        grants = Grants.DOUBLED;
    }

    /** Delivers every grant once from now on, beginning with those that were held back. */
    public void deliverGrants() {
        grants = Grants.DELIVERED;
        BackendListener told = listener;
        for (Grant late = heldBack.poll(); late != null && told != null; late = heldBack.poll()) {
            told.granted(late);
        }
    }

    /**
     * Returns whether the calling thread is delivering a reply or a message to the client, so that nothing else would
     * arrive if it blocked.
     *
     * @return {@code true} on a thread that delivers
     */
    public boolean isDelivering() {
        return delivering.get();
    }

    @Override
    public void open(String client, BackendListener listener) {
        this.listener = listener;
        backend.open(client, new Listener(listener));
    }

    @Override
    public void rename(String client) {
        backend.rename(client);
    }

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        if (!(command instanceof Announce)) {
            sent.incrementAndGet();
        }
        commands.add(command);
        locks.addAll(command.locks());
        boolean lost = lossy.test(command);
        waiting.sent(command);
        backend.send(command, reply -> {
            waiting.replied(command, reply);
            if (!lost) {
                deliver(() -> handler.accept(reply));
            }
        });
    }

    @Override
    public Duration commandTimeout() {
        return backend.commandTimeout();
    }

    @Override
    public void together(Runnable sends) {
        backend.together(sends);
    }

    @Override
    public String namespace() {
        return backend.namespace();
    }

    @Override
    public int partitions() {
        return backend.partitions();
    }

    @Override
    public int partition(String lock) {
        return backend.partition(lock);
    }

    @Override
    public void check(LockOptions options) {
        backend.check(options);
    }

    @Override
    public Optional<String> refusal(Capability capability) {
        return backend.refusal(capability);
    }

    @Override
    public long conflicts() {
        return backend.conflicts();
    }

    @Override
    public CompletionStage<List<NodeStatus>> nodes() {
        return backend.nodes();
    }

    @Override
    public void close() {
        backend.close();
    }

    @Override
    public String toString() {
        return "watched " + backend;
    }

    private void deliver(Runnable delivery) {
        boolean outer = delivering.get();
        delivering.set(true);
        try {
            delivery.run();
        } finally {
            delivering.set(outer);
        }
    }

    private final class Listener implements BackendListener {
        private final BackendListener told;

        Listener(BackendListener told) {
            this.told = told;
        }

        @Override
        public void granted(Grant grant) {
            waiting.granted(grant);
            switch (grants) {
                case HELD_BACK -> heldBack.add(grant);
                case DOUBLED ->
                    deliver(() -> {
                        told.granted(grant);
                        told.granted(grant);
                    });
                case DELIVERED -> deliver(() -> told.granted(grant));
            }
        }

        @Override
        public void opened(LatchOpened opened) {
            if (grants != Grants.HELD_BACK) {
                deliver(() -> told.opened(opened));
            }
        }

        @Override
        public void freed(LockFreed freed) {
            if (grants != Grants.HELD_BACK) {
                deliver(() -> told.freed(freed));
            }
        }

        /** Loses notices while grants are held back. Like grants, notices are messages. */
        @Override
        public void told(HolderMessage message) {
            if (grants != Grants.HELD_BACK) {
                deliver(() -> told.told(message));
            }
        }

        @Override
        public void connected(ServerTime server) {
            deliver(() -> told.connected(server));
        }

        @Override
        public void connected(ServerTime server, BitSet partitions) {
            deliver(() -> told.connected(server, partitions));
        }

        @Override
        public void disconnected(Throwable cause) {
            deliver(() -> told.disconnected(cause));
        }

        @Override
        public void disconnected(Throwable cause, BitSet partitions) {
            deliver(() -> told.disconnected(cause, partitions));
        }

        @Override
        public void ended(Reply.Failed refusal) {
            deliver(() -> told.ended(refusal));
        }

        @Override
        public void warned(String what) {
            deliver(() -> told.warned(what));
        }
    }
}
