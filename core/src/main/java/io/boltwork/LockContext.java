package io.boltwork;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the requests and holds of one lock see of their client: names, the clock, and where callbacks go. Thread-safe. */
interface LockContext {

    /** The lock's name. */
    String lock();

    /** The client's id, with which the ids of its requests begin. */
    String client();

    /** The number of one of the client's requests; {@link RequestId#NONE} for others, and for {@code null}. */
    default long number(@Nullable String id) {
        return RequestId.number(client(), id);
    }

    /** The client's monotonic clock, in nanoseconds. */
    long now();

    /** When it was heard that all renewals that were begun then have succeeded; {@link Ticker#NEVER} if it was not. */
    long renewedAt(long begun);

    /** Whether anybody listens; else there is no need to tell anything. */
    boolean isHeard();

    /** Tells the client's listeners, in order with the lock's other callbacks or on executors of their own. */
    void tell(Consumer<LockListener> event);

    /** Runs a callback on the client's executor, after the lock's other callbacks. */
    void callBack(Runnable callback);
}
