// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.spi.Printable;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * The record of one latch at a server: the fields of the hash in Redis.
 *
 * @since 0.1.0
 */
public final class LatchRecord implements StoredRecord<LatchRecord> {

    /** The kind of the record, which begins its text. */
    private static final String KIND = "latch";

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
        return read(text());
    }

    @Override
    public long expiresAt() {
        return expiresAt;
    }

    @Override
    public void delay(long millis) {
        expiresAt += millis;
    }

    @Override
    public boolean isBlank() {
        return generation == 0 && waiting.isEmpty();
    }

    @Override
    public String text() {
        RecordLines lines = RecordLines.ofKind(KIND).more(expiresAt, count, generation);
        setters.forEach(id -> lines.line("setter", RecordLines.field(id)));
        ended.forEach(generation -> lines.line("ended", generation));
        counted.forEach(id -> lines.line("counted", RecordLines.field(id)));
        waiting.forEach(client -> lines.line("waiting", RecordLines.field(client)));
        return lines.toString();
    }

    /**
     * Reads a record.
     *
     * @param text the text that {@link #text} has returned
     * @return the record
     * @throws IllegalArgumentException if it is not such a text, or is of another version
     */
    public static LatchRecord read(String text) {
        List<RecordLines.Line> lines = RecordLines.read(KIND, text);
        RecordLines.Line head = lines.get(0);
        LatchRecord record = new LatchRecord();
        record.expiresAt = head.number();
        record.count = head.integer();
        record.generation = head.number();
        for (RecordLines.Line line : lines.subList(1, lines.size())) {
            String kind = line.word();
            switch (kind) {
                case "setter" -> record.setters.add(line.text());
                case "ended" -> record.ended.add(line.number());
                case "counted" -> record.counted.add(line.text());
                case "waiting" -> record.waiting.add(line.text());
                default ->
                    throw new IllegalArgumentException(
                            "the record of a latch has no line '" + Printable.text(kind) + "'");
            }
        }
        return record;
    }

    @Override
    public String toString() {
        return "LatchRecord[count=" + count + ", generation=" + generation + ", setters=" + setters + ", ended=" + ended
                + ", counted=" + counted + ", waiting=" + waiting + "]";
    }
}
