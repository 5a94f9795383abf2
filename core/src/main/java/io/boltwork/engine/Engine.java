// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.BackendException;
import io.boltwork.ClientHealth;
import io.boltwork.ClientOptions;
import io.boltwork.LocalLock;
import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.engine.client.Checkpoints;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.ClientThreads;
import io.boltwork.engine.client.EngineWorld;
import io.boltwork.engine.client.ErrorFlagOwner;
import io.boltwork.engine.client.Heartbeat;
import io.boltwork.engine.client.UniqueIds;
import io.boltwork.engine.diagnose.DeadlockWatch;
import io.boltwork.engine.diagnose.DurationWatch;
import io.boltwork.engine.diagnose.LongWaits;
import io.boltwork.engine.drive.LatchDrivers;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.engine.drive.LockDrivers;
import io.boltwork.engine.watch.Announcer;
import io.boltwork.engine.watch.BackendWatch;
import io.boltwork.engine.watch.BusyLocks;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Promise;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.spi.Durations;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The engine of one client: makes its parts and connects them. {@link ClientCore} has the backend and the clocks,
 * {@link LockDrivers} the locks in use, {@link Callers} the calls that block, {@link BackendWatch} the messages of the
 * backend, {@link DeadlockWatch} and {@link DurationWatch} look for locks that hang, {@link ClientStatus} has the
 * questions about the client, and {@link Shutdown} its end. No part uses the engine. Thread-safe.
 */
public final class Engine extends ErrorFlagOwner {

    public final ClientCore core;
    public final LockDrivers drivers;
    public final LatchDrivers latches;
    public final LongWaits longWaits;
    public final Callers callers;
    public final BackendWatch backendWatch;

    /** The longest time that closing may take. */
    public final Duration shutdownTime;

    final ClientStatus status;
    private final Announcer announcer;
    private final Heartbeat heartbeat;
    private final Shutdown shutdown;

    /** The terms that were made last: most locks of a client have the same options. */
    private volatile @Nullable LockTerms lastTerms;

    private Engine(LockBackend backend, ClientOptions options, EngineWorld world) {
        this.core = new ClientCore(backend, options, world, errorFlag, this::suspended);
        this.drivers = new LockDrivers(core);
        this.latches = new LatchDrivers(core);
        BusyLocks busyLocks = new BusyLocks(drivers);
        this.announcer = new Announcer(core, drivers, busyLocks, this::cloned);
        this.backendWatch = new BackendWatch(core, drivers, latches, announcer);
        ErrorRecovery errorRecovery = new ErrorRecovery(core, drivers, latches, backendWatch);
        this.longWaits = new LongWaits(core.ticker, options.longWait().isPresent());
        DeadlockWatch deadlockWatch = new DeadlockWatch(core, drivers, longWaits);
        DurationWatch durationWatch = new DurationWatch(core, drivers, longWaits, options);
        this.heartbeat = new Heartbeat(
                core,
                List.of(
                        core.suspensionDetector::checkClock,
                        busyLocks::takeCounts,
                        announcer::check,
                        errorRecovery::check,
                        backendWatch::forgetReleases,
                        deadlockWatch::searchCycles,
                        durationWatch::reportIfDue),
                this::resumeClosing);
        this.callers = new Callers(core, drivers, heartbeat, longWaits, world.sleeper());
        this.status = new ClientStatus(core, drivers, callers, backendWatch, errorRecovery);
        this.shutdownTime = options.shutdownTime();
        this.shutdown = new Shutdown(
                core,
                drivers,
                latches,
                announcer,
                callers,
                backendWatch,
                errorRecovery,
                status,
                shutdownTime,
                world.stopThreads());
    }

    /** Opens an engine on this JVM's clock and threads. */
    public static Engine open(LockBackend backend, ClientOptions options) {
        return open(backend, options, UniqueIds.next());
    }

    /** Opens an engine on this JVM's clock and threads, for a client of that id. No other client may have the id. */
    public static Engine open(LockBackend backend, ClientOptions options, String id) {
        long origin = System.nanoTime();
        ClientThreads threads = new ClientThreads(options.callbackExecutor());
        EngineWorld world = new EngineWorld(
                Announcer.newRecord(id, options.application()),
                () -> System.nanoTime() - origin,
                InstantSource.system(),
                UniqueIds::next,
                threads,
                threads.callbacks(),
                bound -> ThreadLocalRandom.current().nextLong(bound),
                Promise::sleep,
                defect -> LOG.log(System.Logger.Level.ERROR, "A defect in Boltwork; please report it", defect),
                threads::stop,
                LockMachine.UNDER_WAY);
        Engine engine = open(backend, options, world);
        threads.onFailure(engine::timerFailed);
        engine.shutdown.keepUntilEnd(Checkpoints.afterRestore(engine::restored, Checkpoints.loaders()));
        return engine;
    }

    static Engine open(LockBackend backend, ClientOptions options, EngineWorld world) {
        Engine engine = new Engine(backend, options, world);
        try {
            backend.open(engine.client(), engine.backendWatch);
        } catch (BackendException refused) {
            backend.close(); // it belongs to this client, and the caller may not have kept it
            world.stopThreads().run();
            throw refused;
        } catch (RuntimeException wrongUse) {
            world.stopThreads().run(); // the backend may belong to another client
            throw wrongUse;
        }
        engine.announcer.announceFirst();
        engine.heartbeat.plan();
        return engine;
    }

    // ================================================================ events of the client

    /**
     * Verifies all holds with the backend after a suspension. The client's clock has missed this time, as another clock
     * shows, and holds may have ended.
     */
    private void suspended(long missed) {
        if (isClosed()) {
            return;
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "This machine was suspended for about {0}, or a clock was set; all holds are being verified with the"
                        + " backend",
                Durations.text(Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(missed))));
        drivers.leaseRenewer.together(
                () -> drivers.all().forEach(driver -> driver.post(d -> d.machine.suspended(missed))));
    }

    /**
     * Gives the client a new id and ends its holds, unless the id has changed since. Called when another living client
     * has that id, or this JVM was restored from a snapshot.
     */
    void cloned(String id) {
        String fresh = core.ids.get();
        if (isClosed() || !core.identity.rename(id, fresh)) {
            return;
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "The client {0}, or another one with the same id, was restored from a snapshot. This client continues"
                        + " as {1}; its holds are lost, and waiting callers ask again",
                id,
                fresh);
        core.backend.rename(fresh);
        drivers.all().forEach(driver -> driver.post(LockDriver::renamed));
        latches.renamed();
        announcer.connected();
    }

    /**
     * Gives the client a new id after this JVM was restored from a checkpoint. Other JVMs may have been restored from
     * the same one.
     */
    private void restored() {
        cloned(client());
    }

    /**
     * Plans the heartbeat again after a failed task of the timer, or the death of its thread, since planned tasks may
     * be lost. For any thread.
     */
    void timerFailed(Throwable cause) {
        errorFlag.cause = cause;
        errorFlag.raised = true;
        heartbeat.planAgain();
    }

    // ================================================================ the client

    /**
     * Returns options in the form that the machine needs.
     *
     * @throws IllegalArgumentException if the backend does not support these options
     */
    public LockTerms terms(LockOptions options) {
        LockTerms known = lastTerms;
        if (known != null && known.options == options) {
            return known;
        }
        check(options);
        LockTerms terms = LockTerms.of(options);
        lastTerms = terms;
        return terms;
    }

    /** Returns options in the form that the machine needs, for a request for several permits. */
    public LockTerms terms(LockOptions options, int permits) {
        if (permits == 1) {
            return terms(options);
        }
        check(options);
        return LockTerms.of(options, permits);
    }

    /**
     * Checks that options have no retention, which only plain locks have.
     *
     * @param what what the options are for
     */
    public static LockOptions notRetained(String what, LockOptions options) {
        if (options.retention().isPresent()) {
            throw new IllegalArgumentException(
                    "retention must be absent for " + what + ": only plain locks are retained");
        }
        return options;
    }

    private void check(LockOptions options) {
        if (options.replication().isPresent()) {
            core.backend.refusal(Capability.REPLICATION).ifPresent(reason -> {
                throw new IllegalArgumentException("replication must be absent. " + reason);
            });
        }
        if (options.retention().isPresent()) {
            core.backend.refusal(Capability.RETENTION).ifPresent(reason -> {
                throw new IllegalArgumentException("retention must be absent. " + reason);
            });
        }
        core.backend.check(options);
        options.replication().map(Replication::within).ifPresent(within -> {
            if (within.compareTo(core.backend.commandTimeout()) >= 0) {
                throw new IllegalArgumentException("within must be shorter than the backend's command timeout of "
                        + Durations.text(core.backend.commandTimeout()) + ", but is " + Durations.text(within));
            }
        });
    }

    /**
     * Checks that the backend has something.
     *
     * @throws UnsupportedOperationException if it does not, with the reason
     */
    public void require(Capability capability) {
        core.backend.refusal(capability).ifPresent(reason -> {
            throw new UnsupportedOperationException(reason);
        });
    }

    /** The client's id. */
    public String client() {
        return core.identity.id();
    }

    /** Tells the machines of a lock that this client has force-released the lock. */
    public void forced(ForceRelease command, Reply.Forced forced) {
        drivers.forced(command, forced);
    }

    /** Adds a listener that is called among the other callbacks. */
    public void listen(LockListener listener) {
        backendWatch.listen(listener, null);
    }

    /** Adds a listener that is called by an executor of its own. */
    public void listen(LockListener listener, Executor executor) {
        backendWatch.listen(listener, executor);
    }

    /** Removes a listener once, if it is there. */
    public void removeListener(LockListener listener) {
        core.listeners.remove(listener);
    }

    /** Sends the backend a command that concerns no machine. Sleeps until the backend has answered. */
    public Reply.Answer ask(Command<?> command) {
        return ask(List.of(command)).get(0);
    }

    /** Sends the backend several such commands at once. Sleeps until it has answered all of them. */
    public List<Reply.Answer> ask(List<? extends Command<?>> commands) {
        return callers.ask(commands);
    }

    /** The number of waiters. A machine that is busy at the moment may be left out. */
    public int waiting() {
        return status.waiting();
    }

    /** The number of held locks. A machine that is busy at the moment may be left out. */
    public int held() {
        return status.held();
    }

    /** The delay of the most overdue renewal, in nanoseconds. */
    public long renewalLag() {
        return status.renewalLag();
    }

    /** Returns whether the client is open and connected to all servers that keep locks. */
    public boolean isConnected() {
        return !isClosed() && backendWatch.isConnected();
    }

    /** The holders and the waiters of a lock in this client. */
    public LocalLock local(LockKind kind, String name) {
        return status.local(kind, name);
    }

    /** The health of the client and its servers. Sleeps until the servers have answered. */
    public ClientHealth health() {
        return status.health();
    }

    // ================================================================ closing

    /** Sleeps until neither another thread nor a handle holds a lock. Returns whether that came in time. */
    public boolean awaitReleases(long nanos) throws InterruptedException {
        return status.awaitReleases(nanos);
    }

    boolean isClosed() {
        return core.isClosed();
    }

    public void close() {
        shutdown.endClient();
    }

    /** Continues an end that an error has cut short. Called by the heartbeat. */
    private void resumeClosing() {
        shutdown.resume();
    }

    @Override
    public String toString() {
        return client() + " on " + core.backend + ", " + drivers.count() + " locks in use";
    }
}
