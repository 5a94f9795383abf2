package io.boltwork;

import org.jspecify.annotations.Nullable;

/** Since when, as far as one lock can tell, the backend gives no answer. Belongs to the lock's machine. */
final class Outage {

    private final long patience;
    private long since = Ticker.NEVER;
    private @Nullable BackendException lastFailure;

    /** {@code patience}: how long who waits without a time limit goes on waiting, in nanoseconds. */
    Outage(long patience) {
        this.patience = patience;
    }

    /** Something that was sent then failed, or was not answered. */
    void failed(long sent, @Nullable BackendException cause) {
        if (since == Ticker.NEVER) {
            since = sent;
        }
        if (cause != null) {
            lastFailure = cause;
        }
    }

    /** There was an answer. */
    void over() {
        since = Ticker.NEVER;
        lastFailure = null;
    }

    /** The patience begins anew: it is for those who wait. */
    void restart() {
        since = Ticker.NEVER;
    }

    /** When the patience ends; {@link Ticker#NEVER} if there is no outage. */
    long patienceEnds() {
        return since == Ticker.NEVER ? Ticker.NEVER : since + patience;
    }

    /** What to tell somebody who wanted the lock. */
    BackendException unknown(String lock, String howLong) {
        BackendException cause = lastFailure;
        return new BackendException(
                "The backend gave no answer about the lock '" + lock + "' " + howLong
                        + ". This caller does not hold it; what the request may have left behind is being withdrawn. "
                        + (cause == null ? "Is the server frozen, or the network?" : cause.getMessage()),
                true,
                cause);
    }

    /** The backend answered with an error, or could not be asked; the same for somebody who wanted the lock. */
    static BackendException refused(String lock, BackendException cause) {
        return new BackendException(
                cause.getMessage() + ". This caller does not hold the lock '" + lock
                        + "'; what the request may have left behind is being withdrawn",
                cause.isRetryable(),
                cause);
    }
}
