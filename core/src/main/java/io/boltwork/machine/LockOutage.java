package io.boltwork.machine;

import io.boltwork.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * What one lock knows of an outage. Immutable, so that all locks whose backend answers share {@link #NONE}.
 *
 * @param since since when, as far as this lock can tell, the backend gives no answer; {@link Ticker#NEVER} if it does
 * @param lastFailure the last failure since the last answer
 */
record LockOutage(long since, @Nullable BackendException lastFailure) {

    /** There was an answer. */
    static final LockOutage NONE = new LockOutage(Ticker.NEVER, null);

    /** Something that was sent then failed, or was not answered. */
    LockOutage failed(long sent, @Nullable BackendException cause) {
        return new LockOutage(since == Ticker.NEVER ? sent : since, cause == null ? lastFailure : cause);
    }

    /** The patience begins anew: it is for those who wait. */
    LockOutage restarted() {
        return since == Ticker.NEVER ? this : new LockOutage(Ticker.NEVER, lastFailure);
    }

    /** When it ends for who goes on waiting for so long, in nanoseconds; {@link Ticker#NEVER} if there is no outage. */
    long patienceEnds(long patience) {
        return since == Ticker.NEVER ? Ticker.NEVER : since + patience;
    }

    /** What to tell somebody who wanted the lock. */
    BackendException unknown(String lock, String howLong) {
        BackendException cause = lastFailure;
        return new BackendException(
                "The backend gave no answer about the lock '" + lock + "' " + howLong
                        + ". This caller does not hold it; anything that the request left behind is being withdrawn. "
                        + (cause == null ? "Is the server frozen, or the network down?" : cause.getMessage()),
                true,
                cause);
    }

    /** The backend answered with an error, or could not be asked; the same for somebody who wanted the lock. */
    static BackendException refused(String lock, BackendException cause) {
        return new BackendException(
                cause.getMessage() + ". This caller does not hold the lock '" + lock
                        + "'; anything that the request left behind is being withdrawn",
                cause.isRetryable(),
                cause);
    }
}
