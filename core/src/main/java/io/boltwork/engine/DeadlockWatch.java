// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockListener.Blocked;
import io.boltwork.engine.LongWaits.Wait;
import io.boltwork.machine.Hold;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Looks for threads that wait for each other. Costs nothing while no thread has waited for a second. Called by the
 * heartbeat.
 */
final class DeadlockWatch {

    /*
     * A look is no snapshot: the threads go on meanwhile, so a circle that it finds may be none. But a caller waits for a
     * lock once, and a hold that has ended never comes back. If all waits and holds of the circle are still there at the
     * next look, the circle was there between the two.
     */

    /**
     * The time after which a circle that is not certain is reported, in nanoseconds. Most of them have ended by then, and
     * would be false alarms.
     */
    static final long POSSIBLE_AFTER = TimeUnit.SECONDS.toNanos(10);

    /** The most threads that other clients learn of, because they stand in the record of the client. */
    private static final int MOST_PUBLISHED = 16;

    private final ClientCore core;
    private final LongWaits waits;
    private final ThreadHolds holds;
    private final DeadlockReport report;
    private final RemoteDeadlocks remote;

    /** The circles that the last look has found. */
    private List<WaitGraph.Circle> suspected = List.of();

    /** The circles that were reported and are still closed. */
    private final Set<WaitGraph.Circle> told = new HashSet<>();

    DeadlockWatch(ClientCore core, LockDrivers drivers, LongWaits waits) {
        this.core = core;
        this.waits = waits;
        this.holds = new ThreadHolds(drivers);
        this.report = new DeadlockReport(core);
        this.remote = new RemoteDeadlocks(core, report);
    }

    /** Reports the circles that the look before has found and that are still closed, and looks for others. */
    void look() {
        report.resume();
        told.removeIf(circle -> !circle.isClosed());
        long now = core.ticker.nanos();
        for (WaitGraph.Circle circle : suspected) {
            if (circle.isClosed() && (circle.isCertain() || isOld(circle, now)) && isNew(circle)) {
                tell(circle, now);
            }
        }
        List<Wait> threads = threadsThatWait(now);
        WaitGraph graph = new WaitGraph(threads, wait -> holds.blockersOf(wait.key, wait.isReader()));
        suspected = graph.circles();
        List<OutwardWait> outward = OutwardWait.among(
                threads.stream()
                        .filter(wait -> now - wait.since >= POSSIBLE_AFTER)
                        .toList(),
                graph,
                holds);
        core.identity.publish(
                outward.stream().limit(MOST_PUBLISHED).map(OutwardWait::thread).toList());
        remote.look(now, outward);
    }

    private List<Wait> threadsThatWait(long now) {
        return waits.isEmpty()
                ? List.of()
                : waits.since(now, LongWaits.LONG).stream()
                        .filter(wait -> wait.isOfThread)
                        .toList();
    }

    private static boolean isOld(WaitGraph.Circle circle, long now) {
        return circle.links().stream().allMatch(link -> now - link.waiting().since >= POSSIBLE_AFTER);
    }

    /** Returns whether a circle has a thread of which no circle was reported. */
    private boolean isNew(WaitGraph.Circle circle) {
        return circle.links().stream().anyMatch(link -> told.stream().noneMatch(other -> other.has(link.waiting())));
    }

    private void tell(WaitGraph.Circle circle, long now) {
        List<Blocked> blocked = new ArrayList<>();
        for (WaitGraph.Link link : circle.links()) {
            Hold hold = link.hold();
            blocked.add(DeadlockReport.blocked(link.waiting(), hold.owner(), hold.token, now));
        }
        if (circle.isClosed()) { // else the stacks are those of something else
            told.add(circle);
            report.tell(circle.isCertain(), blocked);
        }
    }
}
