package io.boltwork.engine;

import io.boltwork.LockListener;
import io.boltwork.machine.RecoveryTally;
import io.boltwork.machine.ServerClock;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Taken;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the backend: handles its messages, knows the servers' clocks and which partitions are down, and tells
 * listeners of outages, recoveries and warnings. Thread-safe.
 */
final class BackendWatch implements BackendListener {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private final Engine engine;
    private final ServerClocks clocks;
    private final BitSet everything = new BitSet();
    private final PartitionOutages partitionOutages = new PartitionOutages();
    private final CallbackQueue backendEvents;
    private final List<String> warnings = new CopyOnWriteArrayList<>();

    /** Guards changes of the listeners and of the warnings, so that each listener is told of each warning once. */
    private final ReentrantLock warning = new ReentrantLock();

    BackendWatch(Engine engine) {
        this.engine = engine;
        this.clocks = new ServerClocks(engine.backend.partitions(), engine.suspensionDetector);
        this.everything.set(0, engine.backend.partitions());
        this.backendEvents = engine.newCallbackQueue();
    }

    // ================================================================ clocks

    /** The estimated clock of the server that has a partition. */
    ServerClock clock(int partition) {
        return clocks.of(partition);
    }

    /** Reads the clock of a partition's server from a reply. */
    void heard(int partition, Reply reply) {
        if (reply instanceof Reply.Answer answer) {
            clocks.read(partition, answer.server(), engine.ticker.nanos());
        }
    }

    // ================================================================ messages about locks

    @Override
    public void granted(Grant grant) {
        engine.post(grant.lock(), driver -> driver.machine.granted(grant));
    }

    @Override
    public void taken(Taken taken) {
        LockDriver driver = engine.driver(taken.lock());
        if (driver != null) { // else nothing is held here
            engine.post(driver, d -> d.machine.taken(taken));
        }
    }

    // ================================================================ connections

    /** Returns whether all partitions can be reached. */
    boolean isConnected() {
        return partitionOutages.isNone();
    }

    @Override
    public void connected(ServerTime server) {
        connected(server, everything);
    }

    @Override
    public void connected(ServerTime server, BitSet partitions) {
        boolean another = clocks.connected(partitions, server, engine.ticker.nanos());
        List<PartitionOutages.Return> returns = partitionOutages.end(partitions, another);
        RecoveryTally recovery =
                returns.isEmpty() ? new RecoveryTally() : returns.get(0).recovery();
        engine.leaseRenewer.together(() -> forEach(partitions, driver -> connected(driver, recovery)));
        for (PartitionOutages.Return back : returns) {
            if (back.over()) {
                up(back);
            }
        }
        engine.announcer.connected();
        if (another) {
            List<ReleaseLog.Entry> lost = engine.releases.recent();
            lost.removeIf(entry -> !partitions.get(engine.backend.partition(entry.lock())));
            new ReleaseRepeats(engine, lost).run();
        }
        for (PartitionOutages.Return back : returns) {
            if (back.over()) {
                back.recovery().over(counts -> recovered(back, counts));
            }
        }
    }

    private static void connected(LockDriver driver, RecoveryTally recovery) {
        recovery.begin();
        boolean taken = driver.post(d -> {
            d.machine.connected(recovery);
            recovery.done();
        });
        if (!taken) {
            recovery.done();
        }
    }

    private void up(PartitionOutages.Return back) {
        LOG.log(System.Logger.Level.INFO, "Connected to {0} again", Printable.all(engine.backend));
        if (!engine.listeners.isEmpty()) {
            Duration outage = Duration.ofNanos(engine.ticker.nanos() - back.since());
            tell(l -> l.backendUp(new LockListener.BackendUp(engine.backend.toString(), outage, back.another())));
        }
    }

    /** Tells that all locks that were held when the connection came back have been verified. */
    private void recovered(PartitionOutages.Return back, RecoveryTally.Counts counts) {
        if (engine.isClosed()) {
            return;
        }
        Duration took = Duration.ofNanos(engine.ticker.nanos() - back.since());
        LOG.log(
                System.Logger.Level.INFO,
                "After the outage of {0}: {1} holds kept, {2} restored, {3} lost, {4} waiting requests sent again",
                Printable.all(engine.backend, counts.kept(), counts.restored(), counts.lost(), counts.askedAgain()));
        if (!engine.listeners.isEmpty()) {
            tell(l -> l.backendRecovered(new LockListener.BackendRecovered(
                    engine.backend.toString(),
                    took,
                    back.another(),
                    counts.kept(),
                    counts.restored(),
                    counts.lost(),
                    counts.askedAgain())));
        }
    }

    @Override
    public void disconnected(Throwable cause) {
        disconnected(cause, everything);
    }

    @Override
    public void disconnected(Throwable cause, BitSet partitions) {
        if (!partitionOutages.begin(partitions, engine.ticker.nanos(), new RecoveryTally())) {
            return;
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "The connection to {0} was lost: {1}. Leases run on until their deadlines, and waiting callers keep waiting",
                Printable.all(engine.backend, cause.getMessage()));
        if (!engine.listeners.isEmpty()) {
            tell(l -> l.backendDown(new LockListener.BackendDown(engine.backend.toString(), cause)));
        }
        forEach(partitions, driver -> driver.post(d -> d.machine.disconnected()));
    }

    private void forEach(BitSet partitions, Consumer<LockDriver> action) {
        for (LockDriver driver : engine.drivers()) {
            if (partitions.get(driver.partition)) {
                action.accept(driver);
            }
        }
    }

    // ================================================================ warnings and listeners

    @Override
    public void warned(String warned) {
        String what = Printable.text(warned);
        LOG.log(System.Logger.Level.WARNING, "{0}: {1}", Printable.all(engine.backend, what));
        Listeners told;
        warning.lock();
        try {
            warnings.add(what);
            told = engine.listeners.copy();
        } finally {
            warning.unlock();
        }
        warn(told, what);
    }

    private void warn(Listeners told, String what) {
        LockListener.BackendWarning event = new LockListener.BackendWarning(engine.backend.toString(), what);
        told.tell(listener -> listener.backendWarning(event), backendEvents::run);
    }

    /** The warnings of the backend so far. */
    List<String> warnings() {
        return List.copyOf(warnings);
    }

    /**
     * Adds a listener and tells it of the warnings so far. Without an executor, it is called among the other callbacks.
     */
    void listen(LockListener listener, @Nullable Executor executor) {
        Listeners told = new Listeners();
        told.add(listener, executor);
        List<String> known;
        warning.lock();
        try {
            engine.listeners.add(listener, executor);
            known = warnings();
        } finally {
            warning.unlock();
        }
        known.forEach(what -> warn(told, what));
    }

    /** Tells all listeners of an event of the backend. */
    private void tell(Consumer<LockListener> event) {
        engine.listeners.tell(event, backendEvents::run);
    }

    /** Resumes the callbacks of the backend's events. Those of a lock are resumed with the lock. */
    void resumeCallbacks() {
        backendEvents.resume();
    }
}
