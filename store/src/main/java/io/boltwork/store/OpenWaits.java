// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Command;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.Reply;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether messages for a client may come, because one of its requests waits. A wait that is forgotten ends by
 * itself, since a client asks again from time to time while it waits. Thread-safe.
 */
final class OpenWaits {
    /** Several times as long as the longest pause after which a client that waits asks again. */
    private static final long FORGOTTEN = TimeUnit.SECONDS.toNanos(60);

    private static final String LATCH = "latch ";

    /** The times of the last answers, by waiting request or latch. */
    private final Map<String, Long> waiting = new ConcurrentHashMap<>();

    /** Returns whether an answer lets the request wait. */
    static boolean waits(Reply.@Nullable Acquired answer) {
        return answer != null
                && switch (answer.verdict()) {
                    case QUEUED, AGAIN, WAITING -> true;
                    case GRANTED, REFUSED, STALE, TOO_LARGE -> false;
                };
    }

    /** Returns whether an answer lets the client wait for a latch. */
    static boolean waits(LatchCommand.Await command, Reply.Latched answer) {
        return command.waits() && answer.outcome() == Reply.LatchOutcome.CLOSED;
    }

    /** Applies the reply to a command. */
    void note(Command<?> command, Reply reply) {
        if (command instanceof Command.Acquire acquire && reply instanceof Reply.Acquired acquired) {
            note(acquire.request(), waits(acquired));
        } else if (command instanceof Command.Release release && reply instanceof Reply.Released released) {
            Command.Acquire next = release.next();
            if (next != null) {
                note(next.request(), waits(released.next()));
            }
        } else if (command instanceof Command.Withdraw withdraw && withdraw.request() != null) {
            note(withdraw.request(), false);
        } else if (command instanceof LatchCommand.Await await && reply instanceof Reply.Latched latched) {
            note(LATCH + await.latch(), waits(await, latched));
        }
    }

    /** Counts a grant by message for its request. */
    void granted(String request) {
        note(request, false);
    }

    /** Counts the opening of a latch. */
    void opened(String latch) {
        note(LATCH + latch, false);
    }

    private void note(@Nullable String key, boolean waits) {
        if (key == null) {
            return;
        }
        if (waits) {
            waiting.put(key, System.nanoTime());
        } else {
            waiting.remove(key);
        }
    }

    /** Returns whether messages may come. */
    boolean areAny() {
        if (waiting.isEmpty()) {
            return false;
        }
        long now = System.nanoTime();
        waiting.values().removeIf(since -> now - since > FORGOTTEN);
        return !waiting.isEmpty();
    }
}
