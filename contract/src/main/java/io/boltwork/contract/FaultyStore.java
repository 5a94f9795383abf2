// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract;

import io.boltwork.BackendException;
import io.boltwork.spi.Capability;
import io.boltwork.spi.ServerTime;
import io.boltwork.store.AddressedMessage;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.RecordStore;
import io.boltwork.store.StoreListener;
import io.boltwork.store.StoredPage;
import io.boltwork.store.StoredText;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store behind faults: it can be frozen, connections can break, and a client can stop between reading a record and
 * writing it. Thread-safe.
 *
 * @since 0.1.0
 */
public final class FaultyStore implements RecordStore {

    /** The faults of all clients of one store. Thread-safe. */
    public static final class StoreFaults {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final List<FaultyStore> stores = new ArrayList<>();
        private boolean frozen;
        private int breaks;

        /** Creates faults, none of which is present. */
        public StoreFaults() {}

        /** Lets no call return until {@link #thaw}. */
        public void freeze() {
            change(() -> frozen = true);
        }

        /** Ends {@link #freeze}. Connections that have broken are made again. */
        public void thaw() {
            change(() -> frozen = false);
            reconnect();
        }

        /** Breaks all connections: calls that wait fail. They are made again at once unless the store is frozen. */
        public void disconnect() {
            change(() -> breaks++);
            forEach(store -> store.told(
                    told -> told.disconnected(new BackendException("The connection to the store broke", true, null))));
            if (!frozen) {
                reconnect();
            }
        }

        private void reconnect() {
            forEach(FaultyStore::connectAgain);
        }

        private void forEach(Consumer<FaultyStore> action) {
            List<FaultyStore> all = new ArrayList<>();
            change(() -> all.addAll(stores));
            all.forEach(action);
        }

        private void change(Runnable change) {
            lock.lock();
            try {
                change.run();
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** Waits while the store is frozen. Returns whether the connection has broken meanwhile. */
        private boolean await(long withinNanos) {
            lock.lock();
            try {
                int before = breaks;
                long left = withinNanos;
                while (frozen && breaks == before) {
                    if (left <= 0) {
                        return true;
                    }
                    left = changed.awaitNanos(left);
                }
                return breaks != before;
            } catch (InterruptedException closed) {
                return true;
            } finally {
                lock.unlock();
            }
        }
    }

    private final RecordStore store;
    private final StoreFaults faults;
    private volatile @Nullable StoreListener listener;
    private volatile boolean down;
    private volatile @Nullable Runnable beforeWrite;

    /**
     * Puts faults before a store.
     *
     * @param store the store
     * @param faults the faults, which several stores may share
     */
    public FaultyStore(RecordStore store, StoreFaults faults) {
        this.store = store;
        this.faults = faults;
        faults.change(() -> faults.stores.add(this));
    }

    /**
     * Sets what runs between reading and writing, on the thread that writes.
     *
     * @param action what runs before each write, or {@code null}
     */
    public void beforeWrite(@Nullable Runnable action) {
        beforeWrite = action;
    }

    private <T> T call(Supplier<T> call) {
        boolean broken =
                faults.await(TimeUnit.MILLISECONDS.toNanos(commandTimeout().toMillis()));
        if (broken || down) {
            throw new BackendException("The store does not answer", true, null);
        }
        return call.get();
    }

    private void told(Consumer<StoreListener> event) {
        StoreListener told = listener;
        if (told != null && !down) {
            down = true;
            event.accept(told);
        }
    }

    private void connectAgain() {
        StoreListener told = listener;
        if (down && told != null) {
            down = false;
            told.connected(new ServerTime(
                    store.read(new RecordKey(RecordKey.Kind.CLIENT, "clock"))
                            .clock()
                            .earliest()
                            .millis(),
                    store.read(new RecordKey(RecordKey.Kind.CLIENT, "clock"))
                            .clock()
                            .run()));
        }
    }

    @Override
    public void open(String client, StoreListener told) {
        call(() -> {
            store.open(client, new StoreListener() {
                @Override
                public void message(String text) {
                    if (!down) {
                        told.message(text);
                    }
                }

                @Override
                public void connected(ServerTime server) {
                    told.connected(server);
                }

                @Override
                public void disconnected(Throwable cause) {
                    told.disconnected(cause);
                }

                @Override
                public void warned(String what) {
                    told.warned(what);
                }
            });
            listener = told;
            return true;
        });
    }

    @Override
    public void rename(String client) {
        store.rename(client);
    }

    @Override
    public StoredText read(RecordKey key) {
        return call(() -> store.read(key));
    }

    @Override
    public boolean write(RecordKey key, StoredText before, RecordChange change) {
        Runnable action = beforeWrite;
        if (action != null) {
            action.run();
        }
        return call(() -> store.write(key, before, change));
    }

    @Override
    public boolean write(RecordKey key, StoredText before, RecordChange change, List<AddressedMessage> messages) {
        Runnable action = beforeWrite;
        if (action != null) {
            action.run();
        }
        return call(() -> store.write(key, before, change, messages));
    }

    @Override
    public StoredText recall(RecordKey key) {
        return call(() -> store.recall(key));
    }

    @Override
    public boolean isCurrent(RecordKey key, StoredText found) {
        return call(() -> store.isCurrent(key, found));
    }

    @Override
    public boolean listens(String client) {
        return call(() -> store.listens(client));
    }

    @Override
    public void sendMessage(String client, String message) {
        store.sendMessage(client, message);
    }

    @Override
    public StoredPage scan(RecordKey.Kind kind, String after, int count) {
        return call(() -> store.scan(kind, after, count));
    }

    @Override
    public String version() {
        return call(store::version);
    }

    @Override
    public void beforeWaiting() {
        store.beforeWaiting();
    }

    @Override
    public void await(boolean awaited) {
        store.await(awaited);
    }

    @Override
    public void sweep() {
        store.sweep();
    }

    @Override
    public boolean servesCallers() {
        return store.servesCallers();
    }

    @Override
    public int workers() {
        return store.workers();
    }

    @Override
    public Duration commandTimeout() {
        return Slack.of(Duration.ofMillis(500));
    }

    @Override
    public Duration idleLife() {
        return store.idleLife();
    }

    @Override
    public Optional<String> refusal(Capability capability) {
        return store.refusal(capability);
    }

    @Override
    public String namespace() {
        return store.namespace();
    }

    @Override
    public String address() {
        return Objects.toString(store.address());
    }

    @Override
    public void close() {
        listener = null;
        faults.change(() -> faults.stores.remove(this));
        store.close();
    }
}
