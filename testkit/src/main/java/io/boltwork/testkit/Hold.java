package io.boltwork.testkit;

import java.util.ArrayList;
import java.util.List;

/** What the events of one thread tell of one hold. Not thread-safe. */
final class Hold {
    private final Event invoked;
    private final Event acquired;

    /** The last event at whose time it was valid. */
    private Event confirmed;

    private int depth = 1;
    private boolean lost;

    Hold(Event invoked, Event acquired) {
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

    /** When it was had: held for certain if that was confirmed later, else it may have been over. */
    long from() {
        return acquired.nanos();
    }

    /** It was not over before that: it was valid then, or, if that was never confirmed, it had not been asked for. */
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

    /** Gives back a level, and tells whether it was the last. */
    boolean unwind() {
        return --depth == 0;
    }

    Event acquired() {
        return acquired;
    }

    /** The events that show that the two do not go together. */
    List<Event> and(Hold other) {
        List<Event> events = new ArrayList<>(this.events());
        events.addAll(other.events());
        return events;
    }

    private List<Event> events() {
        return confirmed == invoked ? List.of(invoked, acquired) : List.of(invoked, acquired, confirmed);
    }
}
