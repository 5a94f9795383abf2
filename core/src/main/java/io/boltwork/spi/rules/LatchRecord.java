package io.boltwork.spi.rules;

import java.util.ArrayDeque;
import java.util.LinkedHashSet;

/** The record of one latch at a server: the fields of the hash in Redis. */
public final class LatchRecord implements StoredRecord<LatchRecord> {

    /** The number of generations that a record remembers after they have ended. */
    public static final int REMEMBERED = 32;

    /** The number of settings that a record remembers, more than happen while one of them is repeated. */
    public static final int SETTERS = 8;

    /** Creates the record of a latch that has never been used. */
    public LatchRecord() {}

    int count;

    /** The time at which the count was set last, in microseconds; 0 if it was never set. */
    long generation;

    /** The ids of the changes that set the count, the latest last. */
    final ArrayDeque<String> setters = new ArrayDeque<>();

    /** Earlier generations that have ended, the oldest first. */
    final ArrayDeque<Long> ended = new ArrayDeque<>();

    /** The ids of the changes that were counted in this generation; empty once the count is zero. */
    final LinkedHashSet<String> counted = new LinkedHashSet<>();

    /** The clients that wait. */
    final LinkedHashSet<String> waiting = new LinkedHashSet<>();

    /** The last millisecond of the server's clock at which the record exists. */
    long expiresAt;

    @Override
    public LatchRecord copy() {
        LatchRecord copy = new LatchRecord();
        copy.count = count;
        copy.generation = generation;
        copy.setters.addAll(setters);
        copy.ended.addAll(ended);
        copy.counted.addAll(counted);
        copy.waiting.addAll(waiting);
        copy.expiresAt = expiresAt;
        return copy;
    }

    @Override
    public long expiresAt() {
        return expiresAt;
    }

    @Override
    public boolean isBlank() {
        return generation == 0 && waiting.isEmpty();
    }

    @Override
    public String toString() {
        return "LatchRecord[count=" + count + ", generation=" + generation + ", setters=" + setters + ", ended=" + ended
                + ", counted=" + counted + ", waiting=" + waiting + "]";
    }
}
