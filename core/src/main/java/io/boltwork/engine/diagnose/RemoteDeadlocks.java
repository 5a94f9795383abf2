// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.diagnose;

import io.boltwork.ClientInfo;
import io.boltwork.LockListener.Blocked;
import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.Heartbeat;
import io.boltwork.engine.diagnose.LongWaits.Wait;
import io.boltwork.engine.diagnose.RemoteCycle.Link;
import io.boltwork.engine.diagnose.RemoteCycle.Member;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.RequestId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks for cycles of threads of several clients. The clients publish which of their threads wait for long, what they
 * hold and what they want. The server is asked about a few locks and clients at a time, and only while a thread that
 * holds something has waited for another client for long. Called by the heartbeat.
 */
final class RemoteDeadlocks {

    /*
     * A pass of questions takes some seconds, so a cycle that it finds may be none: its parts were there at different
     * times. But a request holds a lock once, and a thread waits once. If the next pass finds the same waits and holds,
     * they have all been there between the two passes.
     */

    /** The time between two passes, in nanoseconds. Longer than the records of clients are old. */
    private static final long PAUSE = TimeUnit.SECONDS.toNanos(5) - Heartbeat.PERIOD / 2; // a heartbeat may be early

    /**
     * The time without questions after the server has refused one, perhaps for lack of a right. A right that is granted
     * later is noticed within this time.
     */
    private static final long REFUSED = TimeUnit.MINUTES.toNanos(10);

    /** The most threads at which the chains of a pass begin: as many as locks are asked about at once. */
    private static final int MOST_STARTS = 4;

    private final ClientCore core;
    private final DeadlockReport report;

    /** The waits of this client in cycles that were reported. */
    private final Set<Wait> told = new HashSet<>();

    /** The cycles that the last pass has found. */
    private Set<RemoteCycle> suspected = Set.of();

    private @Nullable RemotePass pass;
    private long nextPass;

    RemoteDeadlocks(ClientCore core, DeadlockReport report) {
        this.core = core;
        this.report = report;
        this.nextPass = core.ticker.nanos();
    }

    /**
     * Evaluates the answers that have arrived, and asks the next questions when they are due.
     *
     * @param threads the threads that wait for other clients
     */
    void continuePass(long now, List<OutwardWait> threads) {
        told.removeIf(Wait::isOver);
        RemotePass running = pass;
        if (running == null && now >= nextPass) {
            running = newPass(now, threads);
        }
        if (running == null || running.isAwaiting(now)) {
            return;
        }
        pass = running;
        if (running.isRefused()) {
            endPass(Set.of(), now + REFUSED);
        } else if (!running.step(threads, now)) {
            for (RemoteCycle cycle : running.cycles()) {
                if (suspected.contains(cycle) && !told.containsAll(cycle.waitsHere())) {
                    reportCycle(running, cycle, now);
                }
            }
            endPass(running.cycles(), now + PAUSE);
        }
    }

    private void endPass(Set<RemoteCycle> found, long next) {
        pass = null;
        suspected = found;
        nextPass = next;
    }

    /** Returns a new pass, or {@code null} if there is nothing to ask about. Each thread has its turn. */
    private @Nullable RemotePass newPass(long now, List<OutwardWait> threads) {
        Set<Wait> expected =
                suspected.stream().flatMap(cycle -> cycle.waitsHere().stream()).collect(Collectors.toSet());
        Set<Wait> starts = threads.stream()
                .filter(OutwardWait::isOutside)
                .map(OutwardWait::waiting)
                .sorted(Comparator.comparing((Wait wait) -> !expected.contains(wait))
                        .thenComparing(wait -> wait.askedAt))
                .limit(MOST_STARTS)
                .collect(Collectors.toSet());
        starts.forEach(wait -> wait.askedAt = now);
        if (starts.isEmpty()) {
            suspected = Set.of();
            return null;
        }
        return new RemotePass(core, starts);
    }

    // ================================================================ reports

    private void reportCycle(RemotePass asked, RemoteCycle cycle, long now) {
        List<Blocked> blocked = new ArrayList<>();
        List<Link> links = cycle.links();
        for (int i = 0; i < links.size(); i++) {
            Member next = links.get((i + 1) % links.size()).waiter();
            blocked.add(blocked(asked, links.get(i), next, now));
        }
        if (!cycle.isOver()) { // else the stacks are those of something else
            told.addAll(cycle.waitsHere());
            report.reportOnce(cycle.isCertain(), blocked, false);
        }
    }

    private static Blocked blocked(RemotePass asked, Link link, Member next, long now) {
        Member waiter = link.waiter();
        OutwardWait here = waiter.here();
        String holder = text(asked, next);
        if (here != null) {
            return DeadlockReport.blocked(here.waiting(), holder, token(link, next), now);
        }
        return new Blocked(
                text(asked, waiter),
                waiter.thread().kind(),
                waiter.thread().lock(),
                holder,
                token(link, next),
                waited(asked, waiter),
                List.of());
    }

    /** Returns the token of the hold that a thread waits for; the first one if another client has the hold. */
    private static long token(Link link, Member holder) {
        OutwardWait here = holder.here();
        if (here == null) {
            return link.token();
        }
        long request = RequestId.number(holder.client(), link.holder());
        return here.holds().stream()
                .filter(hold -> hold.request.number == request)
                .mapToLong(hold -> hold.token)
                .findFirst()
                .orElse(link.token());
    }

    /** Returns how long a thread of another client has waited, at least. */
    private static Duration waited(RemotePass asked, Member waiter) {
        Inspected lock = asked.lock(waiter.wanted());
        long millis = lock == null
                ? 0
                : RemotePass.queued(lock, waiter.client()).stream()
                        .mapToLong(waiting -> lock.server().millis() - waiting.sinceMillis())
                        .max()
                        .orElse(0);
        return Duration.ofMillis(Math.max(millis, 0));
    }

    private static String text(RemotePass asked, Member member) {
        OutwardWait here = member.here();
        if (here != null) {
            return here.waiting().who();
        }
        ClientRecord known = asked.client(member.client());
        return known == null
                ? "client " + member.client()
                : new ClientInfo(
                                known.id(),
                                known.application(),
                                known.host(),
                                known.pid(),
                                Instant.ofEpochMilli(known.sinceMillis()),
                                known.wireVersion(),
                                List.of())
                        .toString();
    }
}
