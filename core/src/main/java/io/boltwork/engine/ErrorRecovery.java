package io.boltwork.engine;

import io.boltwork.ClientHealth;
import io.boltwork.machine.Ticker;
import io.boltwork.spi.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Repairs the locks of a client after an error has cut work short: resumes abandoned drains, and lets each machine mend
 * what is half done. It does so at the next heartbeat, and again after the command timeout, for commands that were
 * under way the first time. Costs nothing while the flag is not raised. Thread-safe.
 */
final class ErrorRecovery {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private final Engine engine;
    private final ErrorFlag errorFlag;

    /** The time of the second look; {@link Ticker#NEVER} if none is needed. Written by the heartbeat only. */
    private volatile long againAt = Ticker.NEVER;

    ErrorRecovery(Engine engine, ErrorFlag errorFlag) {
        this.engine = engine;
        this.errorFlag = errorFlag;
    }

    /** Repairs all locks if it is time to. Called by the heartbeat. */
    void check() {
        long now = engine.ticker.nanos();
        if (errorFlag.raised) {
            againAt = now + engine.timing.commandTimeout();
            errorFlag.raised = false; // first: an error from here on raises it again
        } else if (now >= againAt) {
            againAt = Ticker.NEVER;
        } else {
            return;
        }
        boolean isDone = false;
        try {
            engine.leaseRenewer.mend();
            engine.drivers().forEach(this::look);
            engine.backendWatch.resumeCallbacks();
            report();
            isDone = true;
        } finally {
            if (!isDone) {
                errorFlag.raised = true;
            }
        }
    }

    private void look(LockDriver driver) {
        driver.resume();
        driver.post(LockDriver::mend);
    }

    private void report() {
        Throwable cause = errorFlag.cause;
        if (cause != null) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} cut short the work of the client; its locks are being repaired",
                    Printable.all(cause));
            errorFlag.cause = null;
        }
    }

    /** Returns a warning for {@link ClientHealth} during a repair, or {@code null} if all is well. For any thread. */
    @Nullable
    String warning() {
        if (!errorFlag.raised && againAt == Ticker.NEVER) {
            return null;
        }
        long still = engine.drivers().stream().filter(LockDriver::isAbandoned).count();
        return "An error (a stack overflow or a full heap) cut short the work of the client. Its locks are being repaired; "
                + still + " of them are stalled at the moment";
    }
}
