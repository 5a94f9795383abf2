package io.boltwork;

import java.time.Instant;
import java.util.PriorityQueue;

/** The time of a simulation: it passes from one event to the next, and events of the same moment happen in order of their making. */
final class VirtualTime {

    /** The server's clock when the simulation begins. */
    static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long made;

    static final class Event implements Comparable<Event> {
        final long at;
        private final long number;
        private final Runnable task;
        private boolean cancelled;

        Event(long at, long number, Runnable task) {
            this.at = at;
            this.number = number;
            this.task = task;
        }

        void cancel() {
            cancelled = true;
        }

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    long now() {
        return now;
    }

    Instant instant() {
        return EPOCH.plusNanos(now);
    }

    Event at(long time, Runnable task) {
        Event event = new Event(Math.max(now, time), made++, task);
        events.add(event);
        return event;
    }

    Event after(long nanos, Runnable task) {
        return at(now + Math.max(0, nanos), task);
    }

    /** Lets the next event happen; {@code false} if there is none before {@code end}. */
    boolean step(long end) {
        for (Event next; (next = events.peek()) != null && next.at <= end; ) {
            events.remove();
            if (!next.cancelled) {
                now = next.at;
                next.task.run();
                return true;
            }
        }
        now = Math.max(now, end);
        return false;
    }
}
