// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.spi.RequestId;
import io.boltwork.spi.Signal;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The requests that wait for conditions of a lock, for each condition in the order in which they began to wait, and the
 * signals that are due. A signal moves a request to the queue of the lock, so nothing else need be sent to it.
 *
 * <p>A signalled request may leave the queue without the lock, because its client is dead. Then its signal is given to
 * the next request of the condition.
 */
final class ConditionQueues {

    /** A request that waits for a condition, and the lease that it will want. */
    private record ConditionWaiter(String request, long leaseMillis, long takeoverMillis) {}

    /** The waiting requests in their order, by condition. */
    private final Map<String, Map<String, ConditionWaiter>> waiting = new HashMap<>();

    /** The condition that a request waits for, by request. */
    private final Map<String, String> conditions = new HashMap<>();

    /** The number of first requests that must be moved to the queue, by condition. */
    private final Map<String, Integer> due = new LinkedHashMap<>();

    /** Returns whether a request waits for a condition. */
    boolean contains(String request) {
        return conditions.containsKey(request);
    }

    /** Lets a request wait for a condition, behind those that wait already. */
    void add(String condition, String request, long leaseMillis, long takeoverMillis) {
        remove(request);
        waiting.computeIfAbsent(condition, name -> new LinkedHashMap<>())
                .put(request, new ConditionWaiter(request, leaseMillis, takeoverMillis));
        conditions.put(request, condition);
    }

    /** Removes a request. Returns whether it was waiting for a condition. */
    boolean remove(String request) {
        String condition = conditions.remove(request);
        if (condition == null) {
            return false;
        }
        waiting.computeIfPresent(condition, (name, requests) -> {
            requests.remove(request);
            return requests.isEmpty() ? null : requests;
        });
        return true;
    }

    /** Makes signals due. A signal that no request waits for has no effect. */
    void signal(Signal signal) {
        int waiters = waiting.getOrDefault(signal.condition(), Map.of()).size();
        if (waiters > 0) {
            due.merge(
                    signal.condition(),
                    Math.min(signal.waiters(), waiters),
                    (before, more) -> Math.min(before + more, waiters));
        }
    }

    /** Returns whether signals are due that no budget was left for. */
    boolean areSignalsDue() {
        return !due.isEmpty();
    }

    /**
     * Moves the requests for which signals are due to the queue, as far as the budget allows. Those of clients that are
     * known to be gone are dropped. Returns whether any was moved.
     */
    boolean moveSignalled(WaitQueue queue, WaitQueue.Budget budget, long now) {
        boolean moved = false;
        Iterator<Map.Entry<String, Integer>> signals = due.entrySet().iterator();
        while (signals.hasNext() && budget.isLeft()) {
            Map.Entry<String, Integer> signal = signals.next();
            Map<String, ConditionWaiter> ring = waiting.getOrDefault(signal.getKey(), Map.of());
            int left = signal.getValue();
            while (left > 0 && !ring.isEmpty() && budget.take()) {
                ConditionWaiter first = ring.values().iterator().next();
                String request = first.request();
                remove(request);
                if (!budget.isGone(RequestId.clientOf(request))) {
                    queue.enterSignalled(request, first.leaseMillis(), first.takeoverMillis(), now, signal.getKey());
                    left--;
                    moved = true;
                }
            }
            if (left > 0 && !ring.isEmpty()) {
                signal.setValue(left);
                return moved;
            }
            signals.remove();
        }
        return moved;
    }

    /** Adds the lines of these queues, in the order of the conditions' names. */
    void write(RecordLines lines) {
        waiting.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(condition -> condition
                        .getValue()
                        .values()
                        .forEach(waiter -> lines.line(
                                "condition",
                                RecordLines.field(condition.getKey()),
                                RecordLines.field(waiter.request()),
                                waiter.leaseMillis(),
                                waiter.takeoverMillis())));
        due.forEach((condition, requests) -> lines.line("due", RecordLines.field(condition), requests));
    }

    /** Reads a line that {@link #write} has added. Returns whether it was one. */
    boolean read(String kind, RecordLines.Line line) {
        if (kind.equals("condition")) {
            add(line.text(), line.text(), line.number(), line.number());
        } else if (kind.equals("due")) {
            due.put(line.text(), line.integer());
        } else {
            return false;
        }
        return true;
    }
}
