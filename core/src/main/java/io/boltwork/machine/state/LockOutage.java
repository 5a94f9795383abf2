// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import io.boltwork.BackendException;
import io.boltwork.machine.request.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * An outage of the backend, as one lock sees it. Immutable, so that all locks whose backend answers share
 * {@link #NONE}.
 *
 * @param since the time since which the backend has given no answer about this lock; {@link Ticker#NEVER} if it answers
 * @param lastFailure the last failure since the last answer
 */
public record LockOutage(long since, @Nullable BackendException lastFailure) {

    /** No outage: the backend has answered. */
    public static final LockOutage NONE = new LockOutage(Ticker.NEVER, null);

    /** Returns the outage after a command that was sent at that time has failed, or was not answered. */
    public LockOutage failed(long sent, @Nullable BackendException cause) {
        return new LockOutage(since == Ticker.NEVER ? sent : since, cause == null ? lastFailure : cause);
    }

    /** Returns the outage without its beginning, because the patience of new waiters counts from the next failure. */
    public LockOutage restarted() {
        return since == Ticker.NEVER ? this : new LockOutage(Ticker.NEVER, lastFailure);
    }

    /**
     * Returns the time at which a patience of that many nanoseconds ends; {@link Ticker#NEVER} if there is no outage.
     */
    public long patienceEnds(long patience) {
        return since == Ticker.NEVER ? Ticker.NEVER : since + patience;
    }

    /** Returns the failure of a caller that got no answer. */
    public BackendException unknown(String lock, String howLong) {
        BackendException cause = lastFailure;
        return new BackendException(
                "The backend gave no answer about the lock '" + lock + "' " + howLong
                        + ". This caller does not hold it; anything that the request left behind is being withdrawn. "
                        + (cause == null ? "Is the server frozen, or the network down?" : cause.getMessage()),
                true,
                cause);
    }

    /** Returns the failure of a renewal that got no answer. */
    static BackendException unanswered(String lock) {
        return new BackendException(
                "The backend has not answered the renewal of the lock '" + lock
                        + "' in time. Is the server frozen, or the network down?",
                true,
                null);
    }

    /** Returns the failure of a renewal if the backend has executed the command, and could not renew this lock. */
    public static BackendException broken(String lock) {
        return new BackendException(
                "The backend answers, but cannot renew the lock '" + lock + "'. Does its key hold something else?",
                true,
                null);
    }

    /** Returns the failure of a caller when the backend answered with an error, or could not be asked. */
    public static BackendException refused(String lock, BackendException cause) {
        return new BackendException(
                cause.getMessage() + ". This caller does not hold the lock '" + lock
                        + "'; anything that the request left behind is being withdrawn",
                cause.isRetryable(),
                cause);
    }
}
