// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Waiter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The callers of a {@link SemaphorePool} that wait, in the order of their arrival, and the stand-ins for which lanes
 * ask. A stand-in stands for any caller with equal terms. Not thread-safe: the pool guards it.
 */
public final class PooledCallers {

    /** Callers with equal terms, with the numbers of their arrivals, and the lanes of their stand-ins. */
    private static final class Group {
        final LockTerms terms;
        final LinkedHashMap<Waiter, Long> callers = new LinkedHashMap<>();
        final LinkedHashMap<Waiter, String> standIns = new LinkedHashMap<>();

        Group(LockTerms terms) {
            this.terms = terms;
        }

        long firstArrival() {
            return callers.isEmpty()
                    ? Long.MAX_VALUE
                    : callers.values().iterator().next();
        }
    }

    private final Map<LockTerms, Group> groups = new LinkedHashMap<>();
    private long arrivals;

    /** The stand-ins of lanes that wanted no part when an error was repaired last. */
    private Set<Waiter> idle = Set.of();

    public boolean isEmpty() {
        return first() == null;
    }

    public void add(Waiter caller) {
        group(caller.terms).callers.put(caller, ++arrivals);
    }

    private Group group(LockTerms terms) {
        return groups.computeIfAbsent(terms, Group::new);
    }

    /** Returns how many more callers than stand-ins there are. */
    int withoutStandIns() {
        return groups.values().stream()
                .mapToInt(group -> group.callers.size() - group.standIns.size())
                .sum();
    }

    boolean contains(Waiter caller) {
        Group group = groups.get(caller.terms);
        return group != null && group.callers.containsKey(caller);
    }

    /** Removes a caller. Returns whether it waited here. */
    boolean remove(Waiter caller) {
        Group group = groups.get(caller.terms);
        boolean waited = group != null && group.callers.remove(caller) != null;
        forgetIfEmpty(caller.terms);
        return waited;
    }

    private void forgetIfEmpty(LockTerms terms) {
        Group group = groups.get(terms);
        if (group != null && group.callers.isEmpty() && group.standIns.isEmpty()) {
            groups.remove(terms);
        }
    }

    /** Returns the first caller; {@code null} if there is none. */
    @Nullable
    public Waiter first() {
        return firstOf(group -> true);
    }

    /** Returns a caller of the first group that has more callers than stand-ins; {@code null} if there is none. */
    @Nullable
    public Waiter unrepresented() {
        return firstOf(group -> group.standIns.size() < group.callers.size());
    }

    /** Returns a caller that wants more permits than that and no lane asks for; {@code null} if there is none. */
    @Nullable
    Waiter unasked(int permits) {
        return firstOf(group -> group.standIns.isEmpty() && group.terms.permits > permits);
    }

    private @Nullable Waiter firstOf(Predicate<Group> which) {
        Group first = null;
        for (Group group : groups.values()) {
            if (which.test(group) && (first == null || group.firstArrival() < first.firstArrival())) {
                first = group;
            }
        }
        return first == null || first.callers.isEmpty()
                ? null
                : first.callers.keySet().iterator().next();
    }

    // ================================================================ stand-ins

    /** Returns a stand-in for a caller, for which a lane asks. */
    public Waiter standIn(Waiter caller, String lane) {
        Waiter standIn = Waiter.ofHandle(caller.terms, false);
        group(caller.terms).standIns.put(standIn, lane);
        return standIn;
    }

    /** Removes a stand-in. Returns whether there was one. */
    boolean removeStandIn(Waiter standIn) {
        Group group = groups.get(standIn.terms);
        boolean stood = group != null && group.standIns.remove(standIn) != null;
        forgetIfEmpty(standIn.terms);
        return stood;
    }

    /** Removes and returns the first caller with these terms; {@code null} if there is none. */
    @Nullable
    Waiter poll(LockTerms terms) {
        Group group = groups.get(terms);
        Iterator<Waiter> callers = group == null ? null : group.callers.keySet().iterator();
        if (callers == null || !callers.hasNext()) {
            return null;
        }
        Waiter first = callers.next();
        callers.remove();
        forgetIfEmpty(terms);
        return first;
    }

    /** Removes and returns all callers with these terms. */
    List<Waiter> pollAll(LockTerms terms) {
        List<Waiter> all = new ArrayList<>();
        for (Waiter caller; (caller = poll(terms)) != null; ) {
            all.add(caller);
        }
        return all;
    }

    /** Returns the newest stand-in with these terms, and its lane, if there are more stand-ins than callers. */
    Map.@Nullable Entry<Waiter, String> surplus(LockTerms terms) {
        Group group = groups.get(terms);
        Map.Entry<Waiter, String> newest = null;
        if (group != null && group.standIns.size() > group.callers.size()) {
            for (Map.Entry<Waiter, String> standIn : group.standIns.entrySet()) {
                newest = standIn;
            }
        }
        return newest;
    }

    // ================================================================ after an error

    /**
     * Forgets the callers that an error has cut short, and the stand-ins of lanes that want no part at two repairs, the
     * command timeout apart. Such a stand-in is forsaken from then on.
     *
     * @param wants returns whether a lane wants a part
     */
    public void mend(Predicate<String> wants) {
        Set<Waiter> now = new HashSet<>();
        for (Group group : groups.values()) {
            group.callers.keySet().removeIf(caller -> caller.forsaken);
            group.standIns.forEach((standIn, lane) -> {
                if (!wants.test(lane)) {
                    standIn.forsaken = idle.contains(standIn);
                    now.add(standIn);
                }
            });
            group.standIns.keySet().removeIf(standIn -> standIn.forsaken);
        }
        idle = now;
        groups.values().removeIf(group -> group.callers.isEmpty() && group.standIns.isEmpty());
    }
}
