// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * A time whose next event is chosen: the next event of any channel, now, or the next timer, when it is due.
 * So a message may take any time, and only timers count.
 */
final class Exploration extends VirtualTime {

    /** A start that is far from all durations, so that a moment can be distinguished from a duration. */
    static final long BEGIN = 100_000_000 * Plan.SECOND;

    private final TreeMap<String, ArrayDeque<Event>> channels = new TreeMap<>();
    private final PriorityQueue<Event> timers = new PriorityQueue<>();
    private final ArrayDeque<Event> soon = new ArrayDeque<>();

    Exploration() {
        setNow(BEGIN);
    }

    @Override
    Event at(long time, Runnable task) {
        Event event = newEvent(time, task);
        timers.add(event);
        return event;
    }

    @Override
    Event at(String channel, long time, Runnable task) {
        Event event = newEvent(now(), task);
        channels.computeIfAbsent(channel, c -> new ArrayDeque<>()).add(event);
        return event;
    }

    @Override
    Event soon(Runnable task) {
        Event event = newEvent(now(), task);
        soon.add(event);
        return event;
    }

    /** The channels of which one can act next: those that have an event, in the order of their names. */
    List<String> ready() {
        channels.values().forEach(events -> events.removeIf(Event::isCancelled));
        channels.values().removeIf(ArrayDeque::isEmpty);
        return List.copyOf(channels.keySet());
    }

    void happen(String channel) {
        channels.get(channel).remove().task.run();
        settle();
    }

    /** Returns whether a timer is due until a time. */
    boolean isTimerDue(long until) {
        while (!timers.isEmpty() && timers.peek().isCancelled()) {
            timers.remove();
        }
        return !timers.isEmpty() && timers.peek().at <= until;
    }

    /** Lets time pass until the next timer is due, and runs all timers of that moment. */
    void pass() {
        setNow(timers.element().at);
        while (isTimerDue(now())) {
            timers.remove().task.run();
            settle();
        }
    }

    /** Runs what happens at this moment because of something else. */
    void settle() {
        for (Event event; (event = soon.poll()) != null; ) {
            event.task.run();
        }
    }

    /** Returns all future events: the time or the channel, and the event. */
    List<Object> pending() {
        List<Object> all = new ArrayList<>();
        ready().forEach(channel -> {
            all.add(channel);
            channels.get(channel).forEach(event -> all.add(event.task));
        });
        timers.stream().filter(event -> !event.isCancelled()).sorted().forEach(event -> {
            all.add(event.at);
            all.add(event.task);
        });
        return all;
    }
}
