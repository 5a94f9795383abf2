// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.watch;

import io.boltwork.BackendException;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.Heartbeat;
import io.boltwork.engine.drive.Acquirable;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Durations;
import java.time.Duration;

/**
 * Watches the progress of a sleeping caller's request: once in each command timeout, the lock's machine must check
 * whether it still knows the waiter. While the machine does not look, another thread is at work on it. That thread may
 * have got no processor for a while, so a caller without a time limit waits as long as in an outage of the backend. A
 * caller that no longer waits gives up after one command timeout. For one thread.
 *
 * <p>A silence is counted in the caller's own looks and not by the clock. A caller that wakes late has starved like the
 * machine, so it never gives up at such a look.
 */
public final class ProgressWatch {

    /** The number of looks in one command timeout while the machine is silent. */
    private static final int PARTS = 4;

    private final ClientCore core;
    private final Heartbeat heartbeat;
    private final Acquirable room;
    private final Waiter waiter;

    /** The time of the last look at which all was well. */
    private long since;

    /** The time of the next look. */
    private long next;

    /** The number of looks since the machine has looked, or since the caller no longer waits. */
    private int silentLooks;

    /** True if the machine must decide now, because the caller no longer waits. */
    private boolean ending;

    /** True if the machine has looked since it was last told to. Written inside the mailbox. */
    private volatile boolean moved = true;

    /** @param since the time at which the caller began to sleep */
    public ProgressWatch(ClientCore core, Heartbeat heartbeat, Acquirable room, Waiter waiter, long since) {
        this.core = core;
        this.heartbeat = heartbeat;
        this.room = room;
        this.waiter = waiter;
        restart(since, core.timing.commandTimeout());
    }

    private void restart(long now, long until) {
        since = now;
        next = now + until;
        silentLooks = 0;
    }

    private long part() {
        return Math.max(1, core.timing.commandTimeout() / PARTS);
    }

    /** Begins the time in which the machine must decide: one command timeout. */
    public void expectDecision() {
        ending = true;
        restart(core.ticker.nanos(), part());
    }

    /** The time to sleep until the next look. It is short if an error has just cut work short. */
    public long nanosToNextLook() {
        if (core.errorFlag.raised && silentLooks == 0 && !ending) {
            next = Math.min(next, since + Heartbeat.PERIOD);
        }
        return Math.max(1, next - core.ticker.nanos());
    }

    /**
     * Lets the machine look if it is time to.
     *
     * @throws BackendException if the machine has been silent for too long
     */
    public void lookIfDue() {
        long now = core.ticker.nanos();
        if (now < next || waiter.outcome.isDecided()) {
            return;
        }
        if (ending || !moved) {
            boolean isLate = now - next >= part();
            silentLooks++;
            next = now + part();
            if (silentLooks * part() >= longestSilence() && !isLate) {
                giveUp();
            }
            if (silentLooks % PARTS != 0) {
                return;
            }
        } else {
            restart(now, core.timing.commandTimeout());
        }
        moved = false;
        heartbeat.ensure();
        room.lookAfter(waiter, () -> moved = true);
    }

    private long longestSilence() {
        long timeout = core.timing.commandTimeout();
        return ending ? timeout : Math.max(timeout, core.timing.outagePatience());
    }

    private void giveUp() {
        waiter.forsaken = true; // if the lock is granted after all, the hold is given back
        core.errorFlag.raised = true;
        throw new BackendException(
                "This client has made no progress with the lock '" + room.name() + "' for "
                        + Durations.text(Duration.ofNanos(longestSilence()))
                        + ": an error cut its work short, or one of its threads is stalled",
                true,
                null);
    }
}
