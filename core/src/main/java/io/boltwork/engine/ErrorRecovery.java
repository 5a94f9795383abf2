package io.boltwork.engine;

import io.boltwork.ClientHealth;
import io.boltwork.machine.Ticker;
import io.boltwork.spi.Printable;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the locks of a client when an error has cut something short: resumes drains that were left, and lets each machine mend
 * what is half done. Once at the next beat, and once more after the command timeout, for what was under way at the first
 * look. Costs nothing while no alarm is raised. Thread-safe.
 */
final class ErrorRecovery {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    private final Engine engine;
    private final ErrorFlag errorFlag;

    /** When to look once more; {@link Ticker#NEVER} if that is not needed. Touched by the heartbeat alone. */
    private volatile long againAt = Ticker.NEVER;

    ErrorRecovery(Engine engine, ErrorFlag errorFlag) {
        this.engine = engine;
        this.errorFlag = errorFlag;
    }

    /** A check of the heartbeat. */
    void check() {
        long now = engine.ticker.nanos();
        if (errorFlag.raised) {
            againAt = now + engine.timing.commandTimeout();
            errorFlag.raised = false; // first: what is cut short from here on raises it anew
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

    /** Returns what {@link ClientHealth} warns of meanwhile, or {@code null} if all is well. For any thread. */
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
