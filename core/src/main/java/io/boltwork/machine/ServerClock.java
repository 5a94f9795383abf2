package io.boltwork.machine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An estimate of the clock of one run of one server, for not-afters: what the newest answer showed, plus the time since. It is
 * low by the time that answer took to come here. Thread-safe.
 */
public final class ServerClock {

    /** The least that is noticed, in nanoseconds. */
    public static final long NOTICED = TimeUnit.SECONDS.toNanos(1);

    private static final long NOTICED_MILLIS = TimeUnit.NANOSECONDS.toMillis(NOTICED);

    private final String run;
    private volatile long aheadMillis;

    /** {@code null} until something has been read. */
    private final AtomicReference<@Nullable Most> most;

    /**
     * By how much it was ahead of the client's clock at most, which an answer that came quickly shows.
     *
     * @param aheadMillis by how much, in milliseconds
     * @param missed what the client's clock had missed by then, as far as that was known, in nanoseconds
     */
    private record Most(long aheadMillis, long missed) {}

    /** Of that run, of which nothing has been read. */
    public ServerClock(String run) {
        this.run = run;
        this.most = new AtomicReference<>();
    }

    /** Of that run, read after another one: that may be of the same run. */
    public ServerClock(String run, ServerClock before) {
        this.run = run;
        this.most = new AtomicReference<>(run.equals(before.run) ? before.most.get() : null);
    }

    /**
     * An answer says so, and has just been received.
     *
     * @param missed what the client's clock has missed, as far as that is known, in nanoseconds
     * @return how much more it has missed, in nanoseconds, if this clock ran ahead of it by more than {@link
     *     #NOTICED}; else 0
     */
    public long read(long millis, long now, long missed) {
        long ahead = millis - millis(now);
        if (ahead != aheadMillis) { // spares the write that nearly every answer would be
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

    /** The server's time now, in milliseconds since the epoch. */
    public long millisAt(long now) {
        return millis(now) + aheadMillis;
    }

    /** Which server run the estimate belongs to. */
    public String run() {
        return run;
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
