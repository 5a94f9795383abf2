package io.boltwork;

import io.boltwork.spi.ServerTime;
import java.util.concurrent.TimeUnit;

/**
 * An estimate of the server's clock, for not-afters: what the newest answer showed, plus the time since. It is low by the
 * time that answer took to come here, and it belongs to one server run. Thread-safe.
 */
final class ServerClock {

    private record Reading(long aheadMillis, String run) {}

    private volatile Reading reading = new Reading(0, "");

    /** An answer says so, and has just been received. */
    void read(ServerTime server, long now) {
        long ahead = server.millis() - millis(now);
        Reading last = reading;
        if (ahead != last.aheadMillis
                || !server.run().equals(last.run)) { // spares the write that nearly every answer would be
            reading = new Reading(ahead, server.run());
        }
    }

    /** The server's time now, in milliseconds since the epoch. */
    long millisAt(long now) {
        return millis(now) + reading.aheadMillis;
    }

    /** Which server run the estimate belongs to. */
    String run() {
        return reading.run;
    }

    private static long millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
