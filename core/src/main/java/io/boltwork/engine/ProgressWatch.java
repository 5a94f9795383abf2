// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.BackendException;
import io.boltwork.machine.Waiter;
import io.boltwork.spi.Durations;

/**
 * Watches the progress of a sleeping caller's request: once in each command timeout, the lock's machine must check
 * whether it still knows the waiter. A machine that has not looked by the next time is stalled. For one thread.
 */
final class ProgressWatch {

    private final ClientCore core;
    private final Heartbeat heartbeat;
    private final WaitingRoom room;
    private final Waiter waiter;

    /** The time of the last look. */
    private long since;

    /** The time of the next look. */
    private long next;

    /** True if the machine must decide now, because the caller no longer waits. */
    private boolean ending;

    /** True if the machine has looked since it was last told to. Written inside the mailbox. */
    private volatile boolean moved = true;

    /** @param since the time at which the caller began to sleep */
    ProgressWatch(ClientCore core, Heartbeat heartbeat, WaitingRoom room, Waiter waiter, long since) {
        this.core = core;
        this.heartbeat = heartbeat;
        this.room = room;
        this.waiter = waiter;
        begin(since);
    }

    private void begin(long now) {
        since = now;
        next = now + core.timing.commandTimeout();
    }

    /** Notes that the machine must decide now. It has one command timeout to do so. */
    void ends() {
        ending = true;
        begin(core.ticker.nanos());
    }

    /** The time to sleep until the first look. It is short if an error has just cut work short. */
    static long patience(ClientCore core) {
        return core.errorFlag.raised ? Heartbeat.PERIOD : core.timing.commandTimeout();
    }

    /** The time to sleep until the next look. It is short if an error has just cut work short. */
    long left() {
        if (core.errorFlag.raised) {
            next = Math.min(next, since + Heartbeat.PERIOD);
        }
        return Math.max(1, next - core.ticker.nanos());
    }

    /**
     * Lets the machine look if it is time to.
     *
     * @throws BackendException if the machine is stalled
     */
    void look() {
        long now = core.ticker.nanos();
        if (now < next || waiter.outcome.isDecided()) {
            return;
        }
        if ((ending || !moved) && now - since >= core.timing.commandTimeout()) {
            giveUp();
        }
        if (moved) {
            begin(now);
        } else {
            next = since + core.timing.commandTimeout();
        }
        moved = false;
        heartbeat.ensure();
        room.lookAfter(waiter, () -> moved = true);
    }

    private void giveUp() {
        waiter.forsaken = true; // if the lock is granted after all, the hold is given back
        core.errorFlag.raised = true;
        throw new BackendException(
                "This client has made no progress with the lock '" + room.name() + "' for "
                        + Durations.text(core.backend.commandTimeout())
                        + ": an error cut its work short, or one of its threads is stalled",
                true,
                null);
    }
}
