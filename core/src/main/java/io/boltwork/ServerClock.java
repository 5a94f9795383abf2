package io.boltwork;

import java.util.concurrent.TimeUnit;

/**
 * An estimate of the clock of one run of one server, for not-afters: what the newest answer showed, plus the time since. It is
 * low by the time that answer took to come here. Thread-safe.
 */
final class ServerClock {

    private final String run;
    private volatile long aheadMillis;

    /** Of that run, of which nothing has been read. */
    ServerClock(String run) {
        this.run = run;
    }

    /** An answer says so, and has just been received. */
    void read(long millis, long now) {
        long ahead = millis - millis(now);
        if (ahead != aheadMillis) { // spares the write that nearly every answer would be
            aheadMillis = ahead;
        }
    }

    /** The server's time now, in milliseconds since the epoch. */
    long millisAt(long now) {
        return millis(now) + aheadMillis;
    }

    /** Which server run the estimate belongs to. */
    String run() {
        return run;
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
