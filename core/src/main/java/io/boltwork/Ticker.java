package io.boltwork;

/** A monotonic clock: nanoseconds since some moment, never negative. Thread-safe. */
@FunctionalInterface
interface Ticker {

    /** A time that is never reached. */
    long NEVER = Long.MAX_VALUE;

    long nanos();

    /** The system's monotonic clock, counted from now on. */
    static Ticker system() {
        long origin = System.nanoTime();
        return () -> System.nanoTime() - origin;
    }
}
