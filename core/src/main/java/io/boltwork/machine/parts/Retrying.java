// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Pending;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.state.LockState;
import io.boltwork.spi.Command;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides, in any state, when a command about a request that was not answered is sent again. Part of a
 * {@link LockMachine}.
 */
public final class Retrying {

    private static final long FIRST_RETRY = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int RETRY_DOUBLINGS = 5;

    private Retrying() {}

    /** Plans the repetition of a failed command after a pause, if its answer was awaited. Returns whether it was. */
    static boolean retryLater(LockState lock, @Nullable Request request, Command<?> command) {
        if (request == null || !request.answeredTo(command)) {
            return false;
        }
        Pending pending = request.pending();
        pending.dueAt = lock.effects.now() + delay(lock, pending);
        pending.failures++;
        return true;
    }

    /**
     * Returns the pause before a repetition: random, 50 to 100 ms at first, and doubled by each failure, at most five
     * times.
     */
    static long delay(LockState lock, Pending pending) {
        long delay = FIRST_RETRY << Math.min(pending.failures, RETRY_DOUBLINGS);
        return delay / 2 + lock.effects.random(delay / 2);
    }
}
