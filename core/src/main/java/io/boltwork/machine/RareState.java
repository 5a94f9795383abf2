package io.boltwork.machine;

import io.boltwork.LockException;
import org.jspecify.annotations.Nullable;

/** The part of a {@link LockState} that most locks never need. */
final class RareState {

    /**
     * A failure that is reported to all waiters that came no later than {@code until}, some of them at each event.
     *
     * @param until a time of the client's clock
     */
    record Dismissal(LockException cause, long until) {}

    /** The waiters that are being told of a failure; {@code null} if there are none. */
    @Nullable
    Dismissal dismissal;

    /** The time of the next nudge, which makes the server check the latest grant that this client has caused. */
    long nudgeAt = Ticker.NEVER;
}
