// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.ClientOptions;
import io.boltwork.machine.LockTiming;
import io.boltwork.machine.Ticker;
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
final class ClientCore {

    final LockBackend backend;
    final ErrorFlag errorFlag;
    final ClientIdentity identity;
    final Ticker ticker;
    final Scheduler scheduler;
    final Executor callbackExecutor;
    final LongUnaryOperator random;
    final Consumer<Throwable> defects;
    final LockTiming timing;

    /** Creates nonces, and ids that no other client has. */
    final Supplier<String> ids;

    final Listeners listeners = new Listeners();
    final SuspensionDetector suspensionDetector;
    final ServerClocks clocks;
    final ReleaseLog releases;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;

    /** @param suspended called with the time that the client's clock has missed, as another clock shows */
    ClientCore(
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
    void heard(int partition, Reply reply) {
        if (reply instanceof Reply.Answer answer) {
            clocks.read(partition, answer.server(), ticker.nanos());
        }
    }

    CallbackQueue newCallbackQueue() {
        return new CallbackQueue(callbackExecutor, errorFlag);
    }

    // ================================================================ the end

    /** Returns whether the client is closed, or is being closed. */
    boolean isClosed() {
        return closed.get();
    }

    /** Marks the client as closed. Returns whether this call did it. */
    boolean close() {
        return closed.compareAndSet(false, true);
    }

    /** Returns whether the client has ended and its threads are being stopped. */
    boolean hasEnded() {
        return ended;
    }

    /** Notes that the client has ended. */
    void ended() {
        ended = true;
    }
}
