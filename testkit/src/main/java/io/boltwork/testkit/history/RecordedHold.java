// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The information about one hold in the events of one thread. A writer that goes on as a reader has two: that of the
 * reader {@linkplain #goOn continues} that of the writer. Not thread-safe.
 */
final class RecordedHold {
    private final Event invoked;
    private final Event acquired;

    /** The writer's hold that this one continues. */
    private final @Nullable RecordedHold writer;

    /** The last event at which the hold was known to be valid. */
    private Event confirmed;

    /** The levels that have this hold's share. */
    private int depth = 1;

    /** The levels of a writer that read. */
    private int reading;

    private boolean lost;

    RecordedHold(Event invoked, Event acquired) {
        this(invoked, acquired, invoked, null);
    }

    private RecordedHold(Event invoked, Event acquired, Event confirmed, @Nullable RecordedHold writer) {
        this.invoked = invoked;
        this.acquired = acquired;
        this.confirmed = confirmed;
        this.writer = writer;
    }

    /**
     * Returns the hold of a reader that was a writer until it released its last level that writes.
     *
     * @param released the invocation of that release: other readers may hold the lock from then on
     */
    RecordedHold goOn(Event released) {
        RecordedHold reader = new RecordedHold(released, released, confirmed, this);
        reader.depth = reading;
        return reader;
    }

    String lock() {
        return acquired.lock();
    }

    RecordedShare share() {
        return writer == null ? acquired.share() : RecordedShare.READ;
    }

    long token() {
        return acquired().token();
    }

    /**
     * Returns the time at which the acquisition had returned. The hold existed then for certain if it was confirmed
     * later; otherwise it may already have ended.
     */
    long from() {
        return acquired.nanos();
    }

    /**
     * Returns the time before which the hold cannot have ended: it was valid then, or, if it was never confirmed, it
     * had not been requested yet.
     */
    long until() {
        return confirmed.nanos();
    }

    void confirm(Event event) {
        confirmed = event;
    }

    void lose() {
        lost = true;
    }

    boolean isLost() {
        return lost;
    }

    // ================================================================ levels

    /** Adds a level of a share. Returns false if the hold does not allow that: a reader cannot write. */
    boolean deepen(RecordedShare level) {
        if (level.equals(share())) {
            depth++;
        } else if (share().takesAll()) {
            reading++;
        } else {
            return false;
        }
        return true;
    }

    boolean hasLevel(RecordedShare level) {
        return level.equals(share()) ? depth > 0 : reading > 0;
    }

    /** Releases one level. */
    void unwind(RecordedShare level) {
        if (level.equals(share())) {
            depth--;
        } else {
            reading--;
        }
    }

    /** Returns whether all levels that have the hold's share have been released. */
    boolean isLeft() {
        return depth == 0;
    }

    /** Returns whether all levels have been released. */
    boolean isOver() {
        return depth == 0 && reading == 0;
    }

    // ================================================================ events

    /** Returns whether this is the reader's part of a hold that began as a writer's. */
    boolean continues() {
        return writer != null;
    }

    Event acquired() {
        return writer == null ? acquired : writer.acquired;
    }

    /** Returns the events that show that the holds contradict each other. */
    static List<Event> events(List<RecordedHold> holds) {
        Set<Event> events = new LinkedHashSet<>();
        holds.forEach(hold -> events.addAll(hold.events()));
        return new ArrayList<>(events);
    }

    private List<Event> events() {
        List<Event> events = new ArrayList<>();
        if (writer != null) {
            events.add(writer.invoked);
            events.add(writer.acquired);
        }
        events.add(invoked);
        if (acquired != invoked) {
            events.add(acquired);
        }
        if (confirmed.nanos() >= invoked.nanos() && confirmed != invoked) {
            events.add(confirmed);
        }
        return events;
    }
}
