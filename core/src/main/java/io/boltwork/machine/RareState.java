package io.boltwork.machine;

import io.boltwork.LockException;
import org.jspecify.annotations.Nullable;

/** The part of a {@link LockState} that most locks never need. */
final class RareState {

    /**
     * A failure that all waiters are told of that came until then, some of them at each event.
     *
     * @param until a time of the client
     */
    record Dismissal(LockException cause, long until) {}

    /** The waiters that are being told of a failure; {@code null} if there are none. */
    @Nullable
    Dismissal dismissal;

    /** The time of the next question to the server whether the latest grant that this client caused was taken. */
    long nudgeAt = Ticker.NEVER;
}
