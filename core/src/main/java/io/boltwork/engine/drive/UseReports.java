// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.LockKind;
import io.boltwork.engine.watch.BusyLocks;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The counts of locks, on the way from their mailboxes to {@link BusyLocks}. A stack, because one compare-and-set
 * adds to it and no mailbox ever waits. Thread-safe.
 */
public final class UseReports {

    /**
     * The most reports that wait to be taken. Names that are used once, very many in a second, would fill the heap
     * while the heartbeat is late. A lock in use whose report is refused makes it again, so nothing of it is lost.
     */
    public static final int MOST = 4_096;

    private final AtomicReference<@Nullable Report> newest = new AtomicReference<>();

    /**
     * A report.
     *
     * @param depth the number of reports here, with this one
     * @param before the report below this one
     */
    public record Report(
            LockKind kind,
            String lock,
            int turns,
            long waitedNanos,
            long heldNanos,
            int depth,
            @Nullable Report before) {}

    /** Adds a report. Returns {@code false} if there are too many. */
    public boolean add(LockKind kind, String lock, int turns, long waitedNanos, long heldNanos) {
        for (; ; ) {
            Report top = newest.get();
            int below = top == null ? 0 : top.depth;
            if (below == MOST) {
                return false;
            }
            Report report = new Report(kind, lock, turns, waitedNanos, heldNanos, below + 1, top);
            if (newest.compareAndSet(top, report)) {
                return true;
            }
        }
    }

    /** Removes and returns all reports, the oldest first. */
    public List<Report> takeAll() {
        if (newest.get() == null) {
            return List.of();
        }
        List<Report> taken = new ArrayList<>();
        for (Report report = newest.getAndSet(null); report != null; report = report.before) {
            taken.add(report);
        }
        Collections.reverse(taken);
        return taken;
    }
}
