package io.boltwork.machine;

import io.boltwork.machine.Request.State;
import io.boltwork.spi.Command;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** No answer, in any state: when a command about a request is sent again. Part of a {@link LockMachine}. */
final class Retrying {

    private static final long FIRST_RETRY = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int RETRY_DOUBLINGS = 5;

    private Retrying() {}

    /** Plans the repetition of a failed command after a pause, if its answer was awaited. */
    static void retryLater(LockMachine machine, @Nullable Request request, Command<?> command) {
        if (request != null && request.answeredTo(command)) {
            Pending pending = request.pending();
            pending.dueAt = machine.effects.now() + delay(machine, pending);
            pending.failures++;
            Releasing.leaveReleaser(machine, request);
        }
    }

    /** Returns the pause after so many failures: random, and up to twice as long after each of them. */
    static long delay(LockMachine machine, Pending pending) {
        long delay = FIRST_RETRY << Math.min(pending.failures, RETRY_DOUBLINGS);
        return delay / 2 + machine.effects.random(delay / 2);
    }

    /** Ends the wait for an answer after the command timeout. A later answer is an event like any other. */
    static void unanswered(LockMachine machine, Request request) {
        Pending pending = request.pending();
        machine.outage = machine.outage.failed(pending.awaitedSince, null);
        pending.awaited = null;
        pending.failures++;
        pending.dueAt = machine.effects.now();
        Releasing.leaveReleaser(machine, request);
        if (request.state == State.WANTED && request.tryOnly) {
            Waiter.Failed failed =
                    new Waiter.Failed(machine.outage.unknown(machine.effects.lock(), "within its command timeout"));
            Waiting.refuse(machine, request, failed);
        }
    }
}
