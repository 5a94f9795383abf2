package io.boltwork.testkit;

import java.util.ArrayList;
import java.util.List;

/** The information about one hold in the events of one thread. Not thread-safe. */
final class RecordedHold {
    private final Event invoked;
    private final Event acquired;

    /** The last event at which the hold was known to be valid. */
    private Event confirmed;

    private int depth = 1;
    private boolean lost;

    RecordedHold(Event invoked, Event acquired) {
        this.invoked = invoked;
        this.acquired = acquired;
        this.confirmed = invoked;
    }

    String lock() {
        return acquired.lock();
    }

    long token() {
        return acquired.token();
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

    void deepen() {
        depth++;
    }

    /** Releases one level and returns whether it was the last. */
    boolean unwind() {
        return --depth == 0;
    }

    Event acquired() {
        return acquired;
    }

    /** Returns the events that show that the two holds contradict each other. */
    List<Event> and(RecordedHold other) {
        List<Event> events = new ArrayList<>(this.events());
        events.addAll(other.events());
        return events;
    }

    private List<Event> events() {
        return confirmed == invoked ? List.of(invoked, acquired) : List.of(invoked, acquired, confirmed);
    }
}
