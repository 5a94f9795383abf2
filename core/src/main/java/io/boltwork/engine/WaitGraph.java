// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.engine.LongWaits.Wait;
import io.boltwork.engine.ThreadHolds.Blocker;
import io.boltwork.machine.Hold;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one client that wait for each other, at one moment. Finds cycles among them: at least one among threads
 * that can all reach each other. For one thread.
 */
final class WaitGraph {

    /** A thread that waits for what another one holds. */
    record Link(Wait waiting, Hold hold, boolean isCertain) {}

    /** Some links, each of which leads to the thread of the next one. Begins with the oldest wait. */
    record Cycle(List<Link> links) {

        /** Returns whether nothing ends the cycle by itself. */
        boolean isCertain() {
            return links.stream().allMatch(Link::isCertain);
        }

        /** Returns whether all of its threads still wait for the same holds. */
        boolean isClosed() {
            return links.stream().allMatch(link -> !link.waiting.isOver() && ThreadHolds.isInForce(link.hold));
        }

        /** Returns whether a caller waits in it. */
        boolean has(Wait wait) {
            return links.stream().anyMatch(link -> link.waiting == wait);
        }
    }

    /** A lock and the way to want it. The same holds keep all waits of one place waiting. */
    private record Place(String key, boolean isReader) {
        static Place of(Wait wait) {
            return new Place(wait.key, wait.isReader());
        }
    }

    /** A step of the way through the graph. */
    private static final class Step {
        final Wait wait;
        final Iterator<Blocker> blockers;

        @Nullable
        Blocker blocker;

        Step(Wait wait, Iterator<Blocker> blockers) {
            this.wait = wait;
            this.blockers = blockers;
        }
    }

    private final Function<Wait, List<Blocker>> blockersOf;
    private final Map<Thread, Wait> waits = new HashMap<>();
    private final Map<Place, List<Blocker>> blockers = new HashMap<>();
    private final Map<Place, List<Blocker>> waitingBlockers = new HashMap<>();
    private final Set<Wait> done = new HashSet<>();
    private final List<Step> way = new ArrayList<>();
    private final Map<Thread, Integer> onWay = new HashMap<>();
    private final List<Cycle> cycles = new ArrayList<>();

    /**
     * @param waits the threads that wait
     * @param blockersOf returns the holds that keep a thread waiting; the same for threads that want the same of one lock
     */
    WaitGraph(List<Wait> waits, Function<Wait, List<Blocker>> blockersOf) {
        this.blockersOf = blockersOf;
        waits.forEach(wait -> this.waits.put(wait.asker, wait));
        waits.forEach(this::walkFrom);
    }

    /** Returns the cycles that were found. */
    List<Cycle> cycles() {
        return cycles;
    }

    /** Returns the holds that keep a thread waiting. */
    List<Blocker> blockers(Wait wait) {
        return blockers.computeIfAbsent(Place.of(wait), place -> blockersOf.apply(wait));
    }

    /** Returns those of the holds whose threads wait themselves. */
    private List<Blocker> waitingBlockers(Wait wait) {
        return waitingBlockers.computeIfAbsent(
                Place.of(wait),
                place -> blockers(wait).stream()
                        .filter(blocker -> waits.containsKey(blocker.hold().thread))
                        .toList());
    }

    /** Goes depth first, without recursion: there may be thousands of threads. */
    private void walkFrom(Wait start) {
        if (done.contains(start)) {
            return;
        }
        enter(start);
        while (!way.isEmpty()) {
            Step step = way.get(way.size() - 1);
            if (!step.blockers.hasNext()) {
                leave(step);
                continue;
            }
            Blocker blocker = step.blockers.next();
            step.blocker = blocker;
            Wait next = waits.get(blocker.hold().thread);
            if (next == null || done.contains(next)) {
                continue;
            }
            Integer place = onWay.get(next.asker);
            if (place == null) {
                enter(next);
            } else {
                cycles.add(cycle(way.subList(place, way.size())));
            }
        }
    }

    private void enter(Wait wait) {
        onWay.put(wait.asker, way.size());
        way.add(new Step(wait, waitingBlockers(wait).iterator()));
    }

    private void leave(Step step) {
        way.remove(way.size() - 1);
        onWay.remove(step.wait.asker);
        done.add(step.wait);
    }

    private static Cycle cycle(List<Step> steps) {
        List<Link> links = new ArrayList<>();
        int oldest = 0;
        for (Step step : steps) {
            Blocker blocker = step.blocker;
            if (blocker != null) { // always so: the step has led to the next one
                links.add(new Link(step.wait, blocker.hold(), blocker.isCertain() && !step.wait.isLimited));
            }
        }
        for (int i = 1; i < links.size(); i++) {
            if (links.get(i).waiting.number < links.get(oldest).waiting.number) {
                oldest = i;
            }
        }
        Collections.rotate(links, -oldest);
        return new Cycle(List.copyOf(links));
    }
}
