// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.Share;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The client as the requests and holds of one lock see it: names, the clock, and the executor of callbacks.
 * Thread-safe.
 */
public interface LockContext {

    /** Returns the name of the lock. */
    String lock();

    /** Returns the kind of the lock. */
    default LockKind kind() {
        return LockKind.LOCK;
    }

    /** Returns the key of the machine in its client: the name of a plain lock. */
    default Object key() {
        return lock();
    }

    /** Returns a part of the lock, with the capacity that the client knows. */
    default Share share(int permits) {
        return Share.WHOLE;
    }

    /** Returns the id of the client; the ids of its requests begin with it. */
    String client();

    /**
     * Returns the number of one of the client's requests; {@link RequestId#NONE} for other requests and for
     * {@code null}.
     */
    default long number(@Nullable String id) {
        return RequestId.number(client(), id);
    }

    /** Returns the time of the client's monotonic clock, in nanoseconds. */
    long now();

    /**
     * Returns when the client learned that all renewals of a batch had succeeded; {@link Ticker#NEVER} if it did not.
     */
    long renewedAt(long begun);

    /** Returns whether there are listeners; if not, no events need to be created. */
    boolean hasListeners();

    /**
     * Notifies the client's listeners, in order with the other callbacks of the lock or on the listeners' own
     * executors.
     */
    void notifyListeners(Consumer<LockListener> event);

    /** Runs a callback on the client's executor, after the other callbacks of the lock. */
    void callBack(Runnable callback);
}
