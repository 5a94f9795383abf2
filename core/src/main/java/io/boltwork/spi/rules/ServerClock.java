// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An estimate of the clock of one run of one server, for not-afters: the time in the newest answer, plus the time
 * since. The estimate is low by the time that the answer was under way. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ServerClock {

    /** The shortest suspension that is noticed, in nanoseconds. */
    public static final long NOTICED = TimeUnit.SECONDS.toNanos(1);

    private static final long NOTICED_MILLIS = TimeUnit.NANOSECONDS.toMillis(NOTICED);

    private final String run;
    private volatile long aheadMillis;

    /** Holds {@code null} until an answer has been read. */
    private final AtomicReference<@Nullable Most> most;

    /**
     * The largest offset to the client's clock, as the quickest answer shows it.
     *
     * @param aheadMillis by how much the server's clock was ahead, in milliseconds
     * @param missed what the client's clock was known to have missed by then, in nanoseconds
     */
    private record Most(long aheadMillis, long missed) {}

    /**
     * Creates an estimate for a run of which no answer has been read.
     *
     * @param run the run of the server
     */
    public ServerClock(String run) {
        this.run = run;
        this.most = new AtomicReference<>();
    }

    /**
     * Creates an estimate that continues an earlier one, if that is of the same run.
     *
     * @param run the run of the server
     * @param before the earlier estimate
     */
    public ServerClock(String run, ServerClock before) {
        this.run = run;
        this.most = new AtomicReference<>(run.equals(before.run) ? before.most.get() : null);
    }

    /**
     * Reads the server's time in an answer that has just been received.
     *
     * @param millis the server's time in the answer, in milliseconds since the epoch
     * @param now the client's monotonic clock, in nanoseconds
     * @param missed what the client's clock is known to have missed, in nanoseconds
     * @return how much more it has missed, in nanoseconds, if the server's clock ran ahead by more than {@link
     *     #NOTICED}; otherwise 0
     */
    public long read(long millis, long now, long missed) {
        long ahead = millis - millis(now);
        if (ahead != aheadMillis) { // avoids a write for nearly every answer
            aheadMillis = ahead;
        }
        for (; ; ) {
            Most before = most.get();
            if (before != null && ahead <= before.aheadMillis && missed == before.missed) {
                return 0; // nearly always
            }
            long known = before == null ? ahead : before.aheadMillis;
            if (most.compareAndSet(before, new Most(Math.max(ahead, known), missed))) {
                long more = before == null ? 0 : ahead - known - millis(missed - before.missed);
                return more > NOTICED_MILLIS ? TimeUnit.MILLISECONDS.toNanos(more) : 0;
            }
        }
    }

    /**
     * Returns the server's time at a time of the client.
     *
     * @param now the client's monotonic clock, in nanoseconds
     * @return milliseconds since the epoch
     */
    public long millisAt(long now) {
        return millis(now) + aheadMillis;
    }

    /**
     * Returns the server run that the estimate belongs to.
     *
     * @return the run
     */
    public String run() {
        return run;
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
