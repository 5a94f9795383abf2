// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import io.boltwork.ClientOptions;
import io.boltwork.machine.request.LockTiming;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * The backend, the clocks, the executors and the flags of one client, which all parts of its engine share. Thread-safe.
 */
public final class ClientCore {

    public final LockBackend backend;
    public final ErrorFlag errorFlag;
    public final ClientIdentity identity;
    public final Ticker ticker;
    public final Scheduler scheduler;
    final Executor callbackExecutor;
    public final LongUnaryOperator random;
    public final Consumer<Throwable> defects;
    public final LockTiming timing;

    /** Creates nonces, and ids that no other client has. */
    public final Supplier<String> ids;

    public final Listeners listeners = new Listeners();
    public final SuspensionDetector suspensionDetector;
    public final ServerClocks clocks;
    public final ReleaseLog releases;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;

    /** @param suspended called with the time that the client's clock has missed, as another clock shows */
    public ClientCore(
            LockBackend backend,
            ClientOptions options,
            EngineWorld world,
            ErrorFlag errorFlag,
            LongConsumer suspended) {
        this.backend = backend;
        this.errorFlag = errorFlag;
        this.identity = new ClientIdentity(world.clientRecord());
        this.ticker = world.ticker();
        this.scheduler = world.scheduler();
        this.callbackExecutor = world.callbacks();
        this.random = world.random();
        this.defects = world.defects();
        this.timing = new LockTiming(
                backend.commandTimeout().toNanos(),
                options.slice().toNanos(),
                options.outagePatience().toNanos(),
                options.recallWait().toNanos(),
                world.underWay());
        this.ids = world.ids();
        this.suspensionDetector = new SuspensionDetector(ticker, world.wall(), suspended);
        this.clocks = new ServerClocks(backend.partitions(), suspensionDetector);
        this.releases = new ReleaseLog(ticker);
    }

    /** Reads the clock of a partition's server from a reply. */
    public void heard(int partition, Reply reply) {
        if (reply instanceof Reply.Answer answer) {
            clocks.read(partition, answer.server(), ticker.nanos());
        }
    }

    public CallbackQueue newCallbackQueue() {
        return new CallbackQueue(callbackExecutor, errorFlag);
    }

    // ================================================================ the end

    /** Returns whether the client is closed, or is being closed. */
    public boolean isClosed() {
        return closed.get();
    }

    /** Marks the client as closed. Returns whether this call did it. */
    public boolean close() {
        return closed.compareAndSet(false, true);
    }

    /** Returns whether the client has ended and its threads are being stopped. */
    boolean hasEnded() {
        return ended;
    }

    /** Marks the client as ended. */
    public void ended() {
        ended = true;
    }
}
