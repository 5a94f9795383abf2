// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A bound on a thread's wait, in the thread's own time. The thread waits in parts. Of a part that takes longer than
 * planned, because the thread got no processor or the process was stopped, only the planned time counts. A part that
 * was late by an eighth of the wait, and by 10 ms at least, is never the last one. So a thread that comes late still
 * finds the answer that has arrived meanwhile. For one thread.
 *
 * @since 0.1.0
 */
public final class Patience {
    private static final int PARTS = 8;

    /**
     * The shortest part that is planned while more time is left: 10 ms. Timers are coarse, so that all shorter parts
     * may take longer than planned, and none of them could be the last one.
     */
    private static final long SHORTEST = 10_000_000;

    private final LongSupplier clock;
    private final long longest;
    private long left;
    private long begun;
    private long planned;

    /**
     * Creates a bound.
     *
     * @param nanos the longest wait, in nanoseconds
     * @param clock a monotonic clock, in nanoseconds
     */
    public Patience(long nanos, LongSupplier clock) {
        this.clock = clock;
        this.longest = Math.max(SHORTEST, nanos / PARTS);
        this.left = nanos;
    }

    /**
     * Creates a bound by the JVM's clock.
     *
     * @param time the longest wait
     * @return the bound
     */
    public static Patience of(Duration time) {
        return new Patience(time.toNanos(), System::nanoTime);
    }

    /**
     * Begins the next part of the wait.
     *
     * @return how long to wait before the next call, in nanoseconds; 0 if the time is over
     */
    public long next() {
        long now = clock.getAsLong();
        long took = now - begun;
        left -= Math.min(took, planned);
        if (left <= 0 && planned > 0 && took - planned >= longest) {
            left = longest;
        }
        begun = now;
        planned = Math.max(0, Math.min(left, longest));
        return planned;
    }

    /**
     * Waits for a future until the time is over.
     *
     * @param future the future
     * @param <T> the type of its value
     * @return its value
     * @throws InterruptedException if the thread was interrupted
     * @throws ExecutionException if the future has failed
     * @throws TimeoutException if the time is over
     */
    public <T extends @Nullable Object> T get(Future<T> future)
            throws InterruptedException, ExecutionException, TimeoutException {
        for (long nanos; (nanos = next()) > 0; ) {
            try {
                return future.get(nanos, TimeUnit.NANOSECONDS);
            } catch (TimeoutException early) {
                // this part is over
            }
        }
        throw new TimeoutException();
    }
}
