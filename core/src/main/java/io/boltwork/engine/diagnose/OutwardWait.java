// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.diagnose;

import io.boltwork.LockKind;
import io.boltwork.engine.diagnose.LongWaits.Wait;
import io.boltwork.engine.diagnose.ThreadHolds.Blocker;
import io.boltwork.machine.request.Hold;
import io.boltwork.spi.BlockedThread;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A thread of this client that holds something and waits for long, in the end for another client. It may be in a cycle
 * with threads of that client.
 *
 * @param waiting the wait
 * @param holds what the thread holds, the oldest first
 * @param isOutside whether another client holds what the thread waits for; otherwise another thread here does, which
 *     waits itself
 * @param thread what other clients learn of the thread
 */
record OutwardWait(Wait waiting, List<Hold> holds, boolean isOutside, BlockedThread thread) {

    /** The most holds of a thread that count, because they stand in the record of the client. */
    private static final int MOST_HOLDS = 64;

    /**
     * Returns the threads that hold something and wait for other clients, directly or not, the oldest wait first.
     *
     * @param waits the threads that have waited for long
     */
    static List<OutwardWait> among(List<Wait> waits, WaitGraph graph, ThreadHolds holds) {
        List<Wait> locks =
                waits.stream().filter(wait -> wait.kind() != LockKind.SEMAPHORE).toList();
        Set<Wait> outside =
                locks.stream().filter(wait -> !holds.isHeldHere(wait.key)).collect(Collectors.toSet());
        if (outside.isEmpty()) {
            return List.of();
        }
        Set<Wait> outward = leadingTo(outside, locks, graph);
        Map<Object, List<Hold>> held =
                holds.heldBy(outward.stream().map(Wait::caller).collect(Collectors.toSet()));
        return locks.stream()
                .filter(wait -> outward.contains(wait) && held.containsKey(wait.caller()))
                .map(wait -> of(wait, Objects.requireNonNull(held.get(wait.caller())), outside.contains(wait)))
                .toList();
    }

    /** Returns some waits, and those that wait for their callers. */
    private static Set<Wait> leadingTo(Set<Wait> ends, List<Wait> waits, WaitGraph graph) {
        Map<Object, List<Wait>> waitingFor = new HashMap<>();
        for (Wait wait : waits) {
            for (Blocker blocker : graph.blockers(wait)) {
                Object holder = blocker.hold().owner;
                if (holder != null) {
                    waitingFor
                            .computeIfAbsent(holder, owner -> new ArrayList<>())
                            .add(wait);
                }
            }
        }
        Set<Wait> found = new HashSet<>(ends);
        Deque<Wait> next = new ArrayDeque<>(ends);
        while (!next.isEmpty()) {
            for (Wait behind : waitingFor.getOrDefault(next.remove().caller(), List.of())) {
                if (found.add(behind)) {
                    next.add(behind);
                }
            }
        }
        return found;
    }

    private static OutwardWait of(Wait wait, List<Hold> held, boolean isOutside) {
        List<Hold> oldest = held.stream()
                .sorted(Comparator.comparingLong((Hold hold) -> hold.since)
                        .thenComparingLong(hold -> hold.request.number))
                .limit(MOST_HOLDS)
                .toList();
        List<Long> numbers =
                oldest.stream().map(hold -> hold.request.number).distinct().toList();
        boolean isLimited = wait.isLimited || !oldest.stream().allMatch(ThreadHolds::endsByItsThreadOnly);
        return new OutwardWait(
                wait, oldest, isOutside, new BlockedThread(numbers, wait.kind(), wait.lock(), isLimited));
    }

    /** Returns whether the thread goes on, or has lost or released something. */
    boolean isOver() {
        return waiting.isOver() || !holds.stream().allMatch(ThreadHolds::isInForce);
    }
}
