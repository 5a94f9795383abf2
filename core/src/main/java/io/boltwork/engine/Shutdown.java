// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.drive.LatchDrivers;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.engine.drive.LockDrivers;
import io.boltwork.engine.watch.Announcer;
import io.boltwork.engine.watch.BackendWatch;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Promise;
import io.boltwork.spi.Patience;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The end of one client: releases what is held, removes the client's record, and stops the threads. Thread-safe. */
final class Shutdown {

    /** The most names in one message. */
    private static final int NAMED = 5;

    private final ClientCore core;
    private final LockDrivers drivers;
    private final LatchDrivers latches;
    private final Announcer announcer;
    private final Callers callers;
    private final BackendWatch backendWatch;
    private final ErrorRecovery errorRecovery;
    private final ClientStatus status;
    private final long shutdownNanos;
    private final Runnable stopThreads;

    /** An object that would be collected if nothing referred to it. */
    private final AtomicReference<@Nullable Object> kept = new AtomicReference<>();

    /** True if an error has cut {@link #endClient} short. A later heartbeat resumes it. */
    private volatile boolean unfinished;

    Shutdown(
            ClientCore core,
            LockDrivers drivers,
            LatchDrivers latches,
            Announcer announcer,
            Callers callers,
            BackendWatch backendWatch,
            ErrorRecovery errorRecovery,
            ClientStatus status,
            Duration shutdownTime,
            Runnable stopThreads) {
        this.core = core;
        this.drivers = drivers;
        this.latches = latches;
        this.announcer = announcer;
        this.callers = callers;
        this.backendWatch = backendWatch;
        this.errorRecovery = errorRecovery;
        this.status = status;
        this.shutdownNanos = shutdownTime.toNanos();
        this.stopThreads = stopThreads;
    }

    /** Keeps an object reachable until the client has ended. */
    void keepUntilEnd(@Nullable Object object) {
        kept.set(object);
    }

    /** Ends the client, unless that has begun already. Sleeps until it is done, for at most the shutdown time. */
    void endClient() {
        boolean own = false;
        try {
            own = core.close();
            if (own) {
                releaseAndClose();
            }
        } catch (Error cut) {
            if (own) { // no call: the stack may have ended
                core.errorFlag.cause = cut;
                core.errorFlag.raised = true;
                unfinished = true;
            }
            throw cut;
        }
    }

    private void cutShort(Error cut) {
        core.errorFlag.cause = cut;
        core.errorFlag.raised = true;
        unfinished = true;
    }

    /** Continues an end that an error has cut short, on a thread of its own, because the timer is needed meanwhile. */
    void resume() {
        errorRecovery.check();
        if (unfinished) {
            unfinished = false;
            try {
                Thread thread = new Thread(this::endOn, "boltwork-close");
                thread.setDaemon(true);
                thread.start();
            } catch (Error cut) {
                cutShort(cut);
                throw cut;
            }
        }
    }

    private void endOn() {
        try {
            releaseAndClose();
        } catch (Error cut) {
            cutShort(cut);
        }
    }

    /** Reports the holders that lose their locks now. The closing thread knows of its own locks. */
    private void reportCutOff(List<Hold> holds) {
        if (holds.isEmpty()) {
            return;
        }
        List<String> names =
                holds.stream().map(hold -> hold.request.lock()).distinct().toList();
        String named = names.stream().limit(NAMED).collect(Collectors.joining("', '", "'", "'"));
        LOG.log(
                System.Logger.Level.WARNING,
                "Locks were still held when the client was closed: {0} (holders: {1}). Other clients can take them"
                        + " now. The holders get a LeaseLostException (CLOSED), and waiting callers ({2}) a"
                        + " ClientClosedException",
                names.size() > NAMED ? named + " and " + (names.size() - NAMED) + " more" : named,
                holds.size(),
                status.waiting());
    }

    private void releaseAndClose() {
        long start = core.ticker.nanos();
        Collection<LockDriver> inUse = drivers.all();
        reportCutOff(status.heldByOthers());
        latches.closeAll();
        drivers.closeAll();
        boolean interrupted = false;
        Promise<Reply> removal = announcer.removeRecord();
        Patience patience = new Patience(shutdownNanos, core.ticker::nanos);
        while (!inUse.isEmpty() && !backendWatch.hasEnded() && patience.next() > 0) {
            callers.lookAway();
            interrupted |= Thread.interrupted();
            for (LockDriver driver : inUse) {
                driver.post(d -> {}); // retires idle mailboxes
            }
        }
        if (!inUse.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Closed without an answer from {0} about {1} locks, ''{2}'' among them; they become free when"
                            + " their leases end",
                    core.backend,
                    inUse.size(),
                    inUse.iterator().next().lock());
            inUse.clear();
        }
        long left = Math.min(core.timing.commandTimeout(), shutdownNanos - (core.ticker.nanos() - start));
        callers.sleep(removal, backendWatch.isConnected() ? left : 0);
        core.backend.close();
        kept.set(null);
        core.ended();
        stopThreads.run();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
