package io.boltwork;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a client's checks once a second: those that no event would begin. */
final class Heartbeat {

    /** The time between two beats, in nanoseconds. */
    static final long PERIOD = TimeUnit.SECONDS.toNanos(1);

    private final Engine engine;
    private final List<Runnable> checks;

    /** When the next beat is to be. */
    private volatile long next;

    /**
     * A heartbeat that has not begun.
     *
     * @param checks run one after the other on the timer's thread; they must not block. One that throws ends neither the others
     *     nor the heartbeat
     */
    Heartbeat(Engine engine, List<Runnable> checks) {
        this.engine = engine;
        this.checks = checks;
    }

    /** Plans the next beat, until the client has been closed. */
    void plan() {
        engine.scheduler.schedule(this::beat, PERIOD);
        next = engine.ticker.nanos() + PERIOD;
    }

    /** Plans the next beat if the JVM was too short of memory to do so. For any thread. */
    void ensure() {
        if (engine.ticker.nanos() - next > 2 * PERIOD) {
            plan();
        }
    }

    private void beat() {
        if (engine.isClosed()) {
            if (!engine.hasEnded()) {
                plan(); // the close may be cut short later
                run(engine::closeOn);
            }
            return;
        }
        try {
            plan();
        } finally { // however short of memory the JVM is; if that was it, callers see to the next beat
            checks.forEach(this::run);
        }
    }

    private void run(Runnable check) {
        try {
            check.run();
        } catch (Throwable defect) {
            engine.defects.accept(defect);
        }
    }
}
