// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.watch;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.BackendException;
import io.boltwork.LockListener;
import io.boltwork.engine.client.CallbackQueue;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.Listeners;
import io.boltwork.engine.client.ReleaseLog;
import io.boltwork.engine.drive.LatchDrivers;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.engine.drive.LockDrivers;
import io.boltwork.engine.drive.LockKey;
import io.boltwork.machine.request.RecoveryTally;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.LockWanted;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Shrunk;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Watches the backend: handles its messages, knows which partitions are down, and tells listeners of outages,
 * recoveries and warnings. Thread-safe.
 */
public final class BackendWatch implements BackendListener {

    private final ClientCore core;
    private final LockDrivers drivers;
    private final LatchDrivers latches;
    private final Announcer announcer;
    private final BitSet everything = new BitSet();
    private final PartitionOutages partitionOutages = new PartitionOutages();
    private final CallbackQueue backendEvents;
    private final Refusals refusedRenewals;
    private final Refusals refusedAcquisitions;
    private final List<String> warnings = new CopyOnWriteArrayList<>();

    /** True if the backend has ended before the client. */
    private volatile boolean ended;

    /** Guards changes of the listeners and of the warnings, so that each listener is told of each warning once. */
    private final ReentrantLock warning = new ReentrantLock();

    public BackendWatch(ClientCore core, LockDrivers drivers, LatchDrivers latches, Announcer announcer) {
        this.core = core;
        this.drivers = drivers;
        this.latches = latches;
        this.announcer = announcer;
        this.everything.set(0, core.backend.partitions());
        this.backendEvents = core.newCallbackQueue();
        this.refusedRenewals = refusals(why -> "Leases are not being renewed: " + why
                + ". Each one ends at its deadline, and counts as lost then, unless a renewal succeeds before");
        this.refusedAcquisitions = refusals(why -> "Locks cannot be acquired: " + why);
        drivers.leaseRenewer.observe(refusedRenewals::answered);
        drivers.observeAcquisitions(refusedAcquisitions::answered);
    }

    private Refusals refusals(UnaryOperator<String> text) {
        return new Refusals(core.ticker, () -> isConnected() && !core.isClosed(), text, this::warnForNow);
    }

    // ================================================================ messages about locks

    @Override
    public void granted(Grant grant) {
        drivers.post(LockKey.of(grant.kind(), grant.lock()), driver -> driver.machine.granted(grant));
    }

    @Override
    public void told(HolderMessage message) {
        // if the lock is not in use, nothing is held or wanted here
        drivers.postIfInUse(LockKey.of(message.kind(), message.lock()), driver -> {
            if (message instanceof HoldTaken taken) {
                driver.machine.taken(taken);
            } else if (message instanceof LockWanted wanted) {
                driver.machine.wanted(wanted);
            } else if (message instanceof Shrunk shrunk) {
                driver.machine.askAgain(shrunk.capacity());
            }
        });
    }

    @Override
    public void opened(LatchOpened opened) {
        latches.opened(opened);
    }

    @Override
    public void freed(LockFreed freed) {
        drivers.postIfInUse(freed.lock(), driver -> driver.machine.askAgain(0)); // else nothing waits here
    }

    // ================================================================ connections

    /** Forgets old releases. Those before an outage are kept while it lasts. For one thread at a time. */
    public void forgetReleases() {
        core.releases.forgetBefore(Math.min(partitionOutages.since(), core.ticker.nanos()));
    }

    /** Returns whether all partitions can be reached. */
    public boolean isConnected() {
        return partitionOutages.isNone();
    }

    @Override
    public void connected(ServerTime server) {
        connected(server, everything);
    }

    @Override
    public void connected(ServerTime server, BitSet partitions) {
        core.suspensionDetector.checkClock(); // a suspended machine loses its connections
        boolean another = core.clocks.connected(partitions, server, core.ticker.nanos());
        List<PartitionOutages.Return> returns = partitionOutages.removeOutages(partitions, another);
        RecoveryTally recovery =
                returns.isEmpty() ? new RecoveryTally() : returns.get(0).recovery();
        drivers.leaseRenewer.together(() -> drivers.forEach(partitions, driver -> connected(driver, recovery)));
        latches.connected(partitions, another);
        for (PartitionOutages.Return back : returns) {
            if (back.over()) {
                up(back);
            }
        }
        announcer.connected();
        if (another) {
            long lastHeard = returns.stream()
                    .mapToLong(PartitionOutages.Return::since)
                    .min()
                    .orElse(core.ticker.nanos());
            List<ReleaseLog.LoggedRelease> lost = core.releases.recent(lastHeard);
            lost.removeIf(entry -> !partitions.get(core.backend.partition(entry.lock())));
            new ReleaseRepeats(core, drivers, lost).run();
        }
        for (PartitionOutages.Return back : returns) {
            if (back.over()) {
                back.recovery().over(counts -> recovered(back, counts));
            }
        }
    }

    private static void connected(LockDriver driver, RecoveryTally recovery) {
        recovery.addOutcome();
        boolean taken = driver.post(d -> {
            d.machine.connected(recovery);
            recovery.done();
        });
        if (!taken) {
            recovery.done();
        }
    }

    private void up(PartitionOutages.Return back) {
        LOG.log(System.Logger.Level.INFO, "Connected to {0} again", core.backend);
        if (!core.listeners.isEmpty()) {
            Duration outage = Duration.ofNanos(core.ticker.nanos() - back.since());
            notifyListeners(
                    l -> l.backendUp(new LockListener.BackendUp(core.backend.toString(), outage, back.another())));
        }
    }

    /** Reports that all locks that were held when the connection came back have been verified. */
    private void recovered(PartitionOutages.Return back, RecoveryTally.Counts counts) {
        if (core.isClosed()) {
            return;
        }
        Duration took = Duration.ofNanos(core.ticker.nanos() - back.since());
        LOG.log(
                System.Logger.Level.INFO,
                "After the outage of {0}: {1} holds kept, {2} restored, {3} lost, {4} waiting requests sent again",
                core.backend,
                counts.kept(),
                counts.restored(),
                counts.lost(),
                counts.askedAgain());
        if (!core.listeners.isEmpty()) {
            notifyListeners(l -> l.backendRecovered(new LockListener.BackendRecovered(
                    core.backend.toString(),
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
        if (partitionOutages.addOutage(partitions, core.ticker.nanos(), new RecoveryTally())) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} is unreachable: {1}. Leases run on until their deadlines, and waiting callers keep waiting",
                    core.backend,
                    cause.getMessage());
            down(cause, partitions);
        }
    }

    @Override
    public void ended(Reply.Failed refusal) {
        BackendException cause = refusal.cause();
        ended = true;
        partitionOutages.addOutage(everything, core.ticker.nanos(), new RecoveryTally());
        LOG.log(
                System.Logger.Level.WARNING,
                "{0} has ended before the client: {1}. Leases run on until their deadlines and cannot be renewed, and"
                        + " waiting callers fail",
                core.backend,
                cause.getMessage());
        drivers.all().forEach(driver -> driver.post(d -> d.machine.refuseAll(cause)));
        latches.all().forEach(driver -> driver.post(d -> d.machine.refuseAll(cause)));
        down(cause, everything);
    }

    /** Returns whether the backend has ended before the client, so that no answer will come. */
    public boolean hasEnded() {
        return ended;
    }

    private void down(Throwable cause, BitSet partitions) {
        if (!core.listeners.isEmpty()) {
            notifyListeners(l -> l.backendDown(new LockListener.BackendDown(core.backend.toString(), cause)));
        }
        drivers.forEach(partitions, driver -> driver.post(d -> d.machine.disconnected()));
        latches.disconnected(partitions);
    }

    // ================================================================ warnings and listeners

    @Override
    public void warned(String warned) {
        String what = logged(warned);
        Listeners told;
        warning.lock();
        try {
            warnings.add(what);
            told = core.listeners.copy();
        } finally {
            warning.unlock();
        }
        warn(told, what);
    }

    /** Reports a problem that may pass, so that listeners which are added later are not told. */
    private void warnForNow(String warned) {
        warn(core.listeners, logged(warned));
    }

    private String logged(String warned) {
        String what = Printable.text(warned);
        LOG.log(System.Logger.Level.WARNING, "{0}: {1}", core.backend, what);
        return what;
    }

    private void warn(Listeners told, String what) {
        LockListener.BackendWarning event = new LockListener.BackendWarning(core.backend.toString(), what);
        told.notifyListeners(listener -> listener.backendWarning(event), backendEvents::run);
    }

    /** The warnings of the backend so far. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** Returns a warning for each kind of command that the backend refuses at the moment. */
    public List<String> passingWarnings() {
        return Stream.of(refusedRenewals, refusedAcquisitions)
                .map(Refusals::warning)
                .filter(Objects::nonNull)
                .map(Printable::text)
                .toList();
    }

    /** Returns whether the backend has refused all acquisitions, or all renewals, for some seconds. */
    public boolean isRefusing() {
        return refusedRenewals.isLasting() || refusedAcquisitions.isLasting();
    }

    /**
     * Adds a listener and tells it of the warnings so far. Without an executor, it is called among the other callbacks.
     */
    public void listen(LockListener listener, @Nullable Executor executor) {
        Listeners told = new Listeners();
        told.add(listener, executor);
        List<String> known;
        warning.lock();
        try {
            core.listeners.add(listener, executor);
            known = warnings();
        } finally {
            warning.unlock();
        }
        known.forEach(what -> warn(told, what));
    }

    /** Tells all listeners of an event of the backend. */
    private void notifyListeners(Consumer<LockListener> event) {
        core.listeners.notifyListeners(event, backendEvents::run);
    }

    /** Resumes the callbacks of the backend's events. Those of a lock are resumed with the lock. */
    public void resumeCallbacks() {
        backendEvents.resume();
    }
}
