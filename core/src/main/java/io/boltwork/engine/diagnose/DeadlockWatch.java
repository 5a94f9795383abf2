// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.diagnose;

import io.boltwork.LockListener.Blocked;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.diagnose.LongWaits.Wait;
import io.boltwork.engine.drive.LockDrivers;
import io.boltwork.machine.request.Hold;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Looks for threads that wait for each other, and for bodies that wait for their own holds. Costs nothing while no
 * caller has waited for a second. Called by the heartbeat.
 */
public final class DeadlockWatch {

    /*
     * A look is no snapshot: the threads go on meanwhile, so a cycle that it finds may be none. But a caller waits for
     * a lock once, and a hold that has ended never comes back. If all waits and holds of the cycle are still there at
     * the next look, the cycle was there between the two.
     */

    /**
     * The time after which a cycle that is not certain is reported, in nanoseconds. Most of them have ended by then,
     * and would be false alarms.
     */
    static final long POSSIBLE_AFTER = TimeUnit.SECONDS.toNanos(10);

    /** The most threads that other clients learn of, because they stand in the record of the client. */
    private static final int MOST_PUBLISHED = 16;

    private final ClientCore core;
    private final LongWaits waits;
    private final ThreadHolds holds;
    private final DeadlockReport report;
    private final RemoteDeadlocks remote;

    /** The cycles that the last look has found. */
    private List<WaitGraph.Cycle> suspected = List.of();

    /** The cycles that were reported and are still closed. */
    private final Set<WaitGraph.Cycle> told = new HashSet<>();

    public DeadlockWatch(ClientCore core, LockDrivers drivers, LongWaits waits) {
        this.core = core;
        this.waits = waits;
        this.holds = new ThreadHolds(drivers);
        this.report = new DeadlockReport(core);
        this.remote = new RemoteDeadlocks(core, report);
    }

    /** Reports the cycles that the look before has found and that are still closed, and looks for others. */
    public void searchCycles() {
        report.resume();
        told.removeIf(cycle -> !cycle.isClosed());
        long now = core.ticker.nanos();
        for (WaitGraph.Cycle cycle : suspected) {
            if (cycle.isClosed() && isDue(cycle, now) && isNew(cycle)) {
                reportCycle(cycle, now);
            }
        }
        List<Wait> callers = callersThatWait(now);
        WaitGraph graph = new WaitGraph(callers, holds::blockersOf);
        suspected = graph.cycles();
        List<OutwardWait> outward = OutwardWait.among(
                callers.stream()
                        .filter(wait -> wait.hasOwner() && now - wait.since >= POSSIBLE_AFTER)
                        .toList(),
                graph,
                holds);
        core.identity.publish(
                outward.stream().limit(MOST_PUBLISHED).map(OutwardWait::thread).toList());
        remote.continuePass(now, outward);
    }

    private List<Wait> callersThatWait(long now) {
        return waits.isEmpty()
                ? List.of()
                : waits.since(now, LongWaits.LONG).stream()
                        .filter(wait -> wait.hasOwner() || wait.scope != null)
                        .toList();
    }

    private static boolean isDue(WaitGraph.Cycle cycle, long now) {
        return cycle.isCertain() || cycle.isOfOneBody() || isOld(cycle, now);
    }

    private static boolean isOld(WaitGraph.Cycle cycle, long now) {
        return cycle.links().stream().allMatch(link -> now - link.waiting().since >= POSSIBLE_AFTER);
    }

    /** Returns whether a cycle has a caller of which no cycle was reported. */
    private boolean isNew(WaitGraph.Cycle cycle) {
        return cycle.links().stream().anyMatch(link -> told.stream().noneMatch(other -> other.has(link.waiting())));
    }

    private void reportCycle(WaitGraph.Cycle cycle, long now) {
        List<Blocked> blocked = new ArrayList<>();
        for (WaitGraph.Link link : cycle.links()) {
            Hold hold = link.hold();
            blocked.add(DeadlockReport.blocked(link.waiting(), hold.owner(), hold.token, now));
        }
        if (cycle.isClosed()) { // else the stacks are those of something else
            told.add(cycle);
            report.reportOnce(cycle.isCertain(), blocked, cycle.isOfOneBody());
        }
    }
}
