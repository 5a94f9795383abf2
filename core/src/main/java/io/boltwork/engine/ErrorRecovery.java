// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static io.boltwork.spi.PrintableLog.LOG;

import io.boltwork.ClientHealth;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.ErrorFlag;
import io.boltwork.engine.drive.LatchDrivers;
import io.boltwork.engine.drive.LockDrivers;
import io.boltwork.engine.watch.BackendWatch;
import io.boltwork.machine.request.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Repairs the locks of a client after an error has cut work short: resumes abandoned drains, and lets each machine mend
 * what is half done. It does so at the next heartbeat, and again after the command timeout, for commands that were
 * under way the first time. Costs nothing while the flag is not raised. Thread-safe.
 */
public final class ErrorRecovery {

    private final ClientCore core;
    private final ErrorFlag errorFlag;
    private final LockDrivers drivers;
    private final LatchDrivers latches;
    private final BackendWatch backendWatch;

    /** The time of the second look; {@link Ticker#NEVER} if none is needed. Written by the heartbeat only. */
    private volatile long againAt = Ticker.NEVER;

    ErrorRecovery(ClientCore core, LockDrivers drivers, LatchDrivers latches, BackendWatch backendWatch) {
        this.core = core;
        this.errorFlag = core.errorFlag;
        this.drivers = drivers;
        this.latches = latches;
        this.backendWatch = backendWatch;
    }

    /** Repairs all locks if it is time to. Called by the heartbeat. */
    public void check() {
        long now = core.ticker.nanos();
        if (errorFlag.raised) {
            againAt = now + core.timing.commandTimeout();
            errorFlag.raised = false; // first: an error from here on raises it again
        } else if (now >= againAt) {
            againAt = Ticker.NEVER;
        } else {
            return;
        }
        boolean isDone = false;
        try {
            drivers.leaseRenewer.mend();
            drivers.mendAll();
            latches.mendAll();
            backendWatch.resumeCallbacks();
            report();
            isDone = true;
        } finally {
            if (!isDone) {
                errorFlag.raised = true;
            }
        }
    }

    private void report() {
        Throwable cause = errorFlag.cause;
        if (cause != null) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} cut short the work of the client; its locks are being repaired",
                    cause.toString());
            errorFlag.cause = null;
        }
    }

    /** Returns a warning for {@link ClientHealth} during a repair, or {@code null} if all is well. For any thread. */
    @Nullable
    String warning() {
        if (!errorFlag.raised && againAt == Ticker.NEVER) {
            return null;
        }
        long still = drivers.abandoned();
        return "An error (a stack overflow or a full heap) cut short the work of the client. Its locks are being"
                + " repaired; "
                + still + " of them are stalled at the moment";
    }
}
