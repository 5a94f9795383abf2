package io.boltwork.engine;

import io.boltwork.BackendException;
import io.boltwork.machine.Waiter;
import io.boltwork.spi.Durations;

/**
 * Watches, for a caller that sleeps, that its wish gets on: every command timeout the lock's machine has to look whether it still
 * knows the waiter. A machine that has not looked by the next time does not move. For one thread.
 */
final class ProgressWatch {

    private final Engine engine;
    private final String name;
    private final Waiter waiter;

    /** The time of the last look, and of the next one. */
    private long since;

    private long next;

    /** Whether the machine has been asked to decide now, as the time of the caller is up. */
    private boolean ending;

    /** Whether the machine has looked when it was asked to; written inside the mailbox. */
    private volatile boolean moved = true;

    /** @param since when the caller began to sleep */
    ProgressWatch(Engine engine, String name, Waiter waiter, long since) {
        this.engine = engine;
        this.name = name;
        this.waiter = waiter;
        begin(since);
    }

    private void begin(long now) {
        since = now;
        next = now + engine.timing.commandTimeout();
    }

    /** The machine has been asked to decide; it has one command timeout for that. */
    void ends() {
        ending = true;
        begin(engine.ticker.nanos());
    }

    /** How long to sleep until the first look: not for long if an error has just cut something short. */
    static long patience(Engine engine) {
        return engine.errorFlag.raised ? Heartbeat.PERIOD : engine.timing.commandTimeout();
    }

    /** How long to sleep until the next look: not for long if an error has just cut something short. */
    long left() {
        if (engine.errorFlag.raised) {
            next = Math.min(next, since + Heartbeat.PERIOD);
        }
        return Math.max(1, next - engine.ticker.nanos());
    }

    /**
     * Lets the machine look if it is time.
     *
     * @throws BackendException if the machine does not move
     */
    void look() {
        long now = engine.ticker.nanos();
        if (now < next || waiter.outcome.isDecided()) {
            return;
        }
        if ((ending || !moved) && now - since >= engine.timing.commandTimeout()) {
            giveUp();
        }
        if (moved) {
            begin(now);
        } else {
            next = since + engine.timing.commandTimeout();
        }
        moved = false;
        engine.ensureHeartbeat();
        engine.post(name, driver -> {
            moved = true;
            driver.machine.lookAfter(waiter);
        });
    }

    private void giveUp() {
        waiter.forsaken = true; // should it be granted all the same, it is given back
        engine.errorFlag.raised = true;
        throw new BackendException(
                "This client has made no progress with the lock '" + name + "' for "
                        + Durations.text(engine.backend.commandTimeout())
                        + ": an error cut its work short, or one of its threads is stalled",
                true,
                null);
    }
}
