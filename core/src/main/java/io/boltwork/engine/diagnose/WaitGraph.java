// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.diagnose;

import io.boltwork.engine.diagnose.LongWaits.Wait;
import io.boltwork.engine.diagnose.ThreadHolds.Blocker;
import io.boltwork.machine.request.Hold;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one client that wait for each other, at one moment: threads, other owners, and requests that bodies
 * wait for. Finds
 * cycles among them: at least one among callers that can all reach each other. For one thread.
 */
final class WaitGraph {

    /** A caller that waits for a hold. */
    record Link(Wait waiting, Hold hold, boolean isCertain) {}

    /** Some links, each of which leads to the owner of the next one. Begins with the oldest wait. */
    record Cycle(List<Link> links) {

        /** Returns whether nothing ends the cycle by itself. */
        boolean isCertain() {
            return links.stream().allMatch(Link::isCertain);
        }

        /** Returns whether it is a body that waits without a limit for its own hold. */
        boolean isOfOneBody() {
            return links.size() == 1 && links.get(0).waiting.scope != null && !links.get(0).waiting.isLimited;
        }

        /** Returns whether all of its callers still wait for the same holds. */
        boolean isClosed() {
            return links.stream()
                    .allMatch(link -> !link.waiting.isOver()
                            && (link.waiting.hasOwner() || link.waiting.holdsUpItsBody())
                            && ThreadHolds.isInForce(link.hold));
        }

        /** Returns whether a caller waits in it. */
        boolean has(Wait wait) {
            return links.stream().anyMatch(link -> link.waiting == wait);
        }
    }

    /** A lock and the way to want it. The same holds keep all waits of one place waiting. */
    private record Place(Object key, boolean isReader) {
        static Place of(Wait wait) {
            return new Place(wait.key, wait.isReader());
        }
    }

    /** A hold that keeps a caller waiting, and another caller that must go on before the hold can end. */
    private record Way(Blocker blocker, Wait next) {

        /** Returns whether only the other caller can end the hold. */
        boolean isCertain() {
            Hold hold = blocker.hold();
            return blocker.isCertain() && (hold.thread() == next.asker && next.isOfThread || next.surelyHoldsUp(hold));
        }
    }

    /** A step of the way through the graph. */
    private static final class Step {
        final Wait wait;
        final Iterator<Way> ways;

        @Nullable
        Way taken;

        Step(Wait wait, Iterator<Way> ways) {
            this.wait = wait;
            this.ways = ways;
        }
    }

    private final Function<Wait, List<Blocker>> blockersOf;

    /** The waits that keep a thread or a hold from its end. */
    private final Map<Object, List<Wait>> waits = new HashMap<>();

    private final Map<Place, List<Blocker>> blockers = new HashMap<>();
    private final Map<Place, List<Way>> ways = new HashMap<>();
    private final Set<Wait> done = new HashSet<>();
    private final List<Step> steps = new ArrayList<>();
    private final Map<Wait, Integer> onWay = new HashMap<>();
    private final List<Cycle> cycles = new ArrayList<>();

    /**
     * @param waits the callers that wait
     * @param blockersOf returns the holds that keep a caller waiting; the same for callers that want the same of one
     *     lock outside of all bodies
     */
    WaitGraph(List<Wait> waits, Function<Wait, List<Blocker>> blockersOf) {
        this.blockersOf = blockersOf;
        waits.forEach(this::note);
        waits.forEach(this::walkFrom);
    }

    private void note(Wait wait) {
        if (wait.isOfThread) {
            note(wait.asker, wait);
        }
        if (wait.namedOwner() != null) {
            note(wait.namedOwner(), wait);
        }
        if (wait.holdsUpItsBody()) {
            Objects.requireNonNull(wait.scope).holds().forEach(hold -> note(hold, wait));
        }
    }

    private void note(Object owner, Wait wait) {
        waits.computeIfAbsent(owner, none -> new ArrayList<>()).add(wait);
    }

    /** Returns the cycles that were found. */
    List<Cycle> cycles() {
        return cycles;
    }

    /** Returns the holds that keep a caller waiting. */
    List<Blocker> blockers(Wait wait) {
        return wait.scope != null
                ? blockersOf.apply(wait)
                : blockers.computeIfAbsent(Place.of(wait), place -> blockersOf.apply(wait));
    }

    /** Returns the ways from a wait to those that keep its holds from their ends. */
    private List<Way> ways(Wait wait) {
        return wait.scope != null ? waysFrom(wait) : ways.computeIfAbsent(Place.of(wait), place -> waysFrom(wait));
    }

    private List<Way> waysFrom(Wait wait) {
        List<Way> found = new ArrayList<>();
        for (Blocker blocker : blockers(wait)) {
            Hold hold = blocker.hold();
            Stream.of(waits.get(hold.owner), waits.get(hold))
                    .filter(Objects::nonNull)
                    .flatMap(List::stream)
                    .distinct()
                    .forEach(next -> found.add(new Way(blocker, next)));
        }
        return found;
    }

    /** Goes depth first, without recursion: there may be thousands of threads. */
    private void walkFrom(Wait start) {
        if (done.contains(start)) {
            return;
        }
        enter(start);
        while (!steps.isEmpty()) {
            Step step = steps.get(steps.size() - 1);
            if (!step.ways.hasNext()) {
                leave(step);
                continue;
            }
            Way way = step.ways.next();
            step.taken = way;
            Wait next = way.next();
            if (done.contains(next)) {
                continue;
            }
            Integer place = onWay.get(next);
            if (place == null) {
                enter(next);
            } else {
                cycles.add(cycle(steps.subList(place, steps.size())));
            }
        }
    }

    private void enter(Wait wait) {
        onWay.put(wait, steps.size());
        steps.add(new Step(wait, ways(wait).iterator()));
    }

    private void leave(Step step) {
        steps.remove(steps.size() - 1);
        onWay.remove(step.wait);
        done.add(step.wait);
    }

    private static Cycle cycle(List<Step> steps) {
        List<Link> links = new ArrayList<>();
        int oldest = 0;
        for (Step step : steps) {
            Way way = step.taken;
            if (way != null) { // always so: the step has led to the next one
                links.add(new Link(step.wait, way.blocker().hold(), way.isCertain() && !step.wait.isLimited));
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
