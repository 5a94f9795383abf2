// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.time.Instant;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/**
 * The time of a simulation. It advances from one event to the next, and events of the same moment happen in the order
 * of their creation. Events for which only their order within a channel matters, and not their time, have a channel. An
 * {@link Exploration} lets them happen at any time.
 */
class VirtualTime {

    static final long MICRO = 1_000;
    static final long MILLI = 1_000 * MICRO;
    static final long SECOND = 1_000 * MILLI;

    /** The time of the server's clock at the begin of the simulation. */
    static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

    /** The maximum number of events at one moment; more of them are an endless loop. */
    private static final int MOST_AT_ONCE = 100_000;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long now;
    private long made;
    private int atOnce;

    static final class Event implements Comparable<Event> {
        final long at;
        final Runnable task;
        private final long number;
        private boolean cancelled;

        Event(long at, long number, Runnable task) {
            this.at = at;
            this.number = number;
            this.task = task;
        }

        void cancel() {
            cancelled = true;
        }

        boolean isCancelled() {
            return cancelled;
        }

        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    final long now() {
        return now;
    }

    final Instant instant() {
        return EPOCH.plusNanos(now);
    }

    final Event newEvent(long time, Runnable task) {
        return new Event(Math.max(now, time), made++, task);
    }

    final void setNow(long time) {
        now = Math.max(now, time);
    }

    Event at(long time, Runnable task) {
        Event event = newEvent(time, task);
        events.add(event);
        return event;
    }

    final Event after(long nanos, Runnable task) {
        return at(now + Math.max(0, nanos), task);
    }

    /** Schedules a task, and returns a future that can cancel it. */
    final Future<?> timer(long nanos, Runnable task) {
        Event event = after(nanos, task);
        return new CompletableFuture<Void>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                event.cancel();
                return true;
            }
        };
    }

    /** Schedules a task for that time, or for whenever it is the channel's turn. */
    Event at(String channel, long time, Runnable task) {
        return at(time, task);
    }

    final Event after(String channel, long nanos, Runnable task) {
        return at(channel, now + Math.max(0, nanos), task);
    }

    /** Schedules a task for the present moment, before anything else happens to its target. */
    Event soon(Runnable task) {
        return after(MICRO, task);
    }

    /** Runs the next event, and returns {@code false} if there is none before {@code end}. */
    boolean step(long end) {
        for (Event next; (next = events.peek()) != null && next.at <= end; ) {
            events.remove();
            if (!next.cancelled) {
                atOnce = next.at == now ? atOnce + 1 : 0;
                if (atOnce > MOST_AT_ONCE) {
                    throw new Violation(
                            Property.TIME_PASSES, "events at " + now / 1_000 + " µs cause others without end");
                }
                now = next.at;
                next.task.run();
                return true;
            }
        }
        now = Math.max(now, end);
        return false;
    }
}
