// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.LockSummary;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/*
 * To find the locks with the most waiters, a survey reads each lock that there is. With thousands of locks, that is too
 * much for each second, so a survey is good for a time that grows with the number of locks and with the time that it
 * took. Meanwhile, the store is asked about those locks only that a page shows.
 */
/**
 * The locks whose names match a pattern, as they were found once, with what has been read since. Used by one thread.
 */
final class LockSurvey {
    /** The largest number of locks that are examined. */
    static final int FOUND = 10_000;

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration FRESH = Duration.ofMillis(500);
    private static final Duration PER_LOCK = Duration.ofMillis(10);

    /** The choice of locks. */
    record Choice(String pattern, @Nullable LockKind kind) {}

    private record Key(LockKind kind, String name) {}

    private record Seen(LockSummary lock, long at) {}

    private final LockInspector inspector;
    private final Map<Key, Seen> locks = new LinkedHashMap<>();
    private final boolean complete;
    private final long began = System.nanoTime();
    private final long due;

    /** Reads all locks of a choice. */
    LockSurvey(LockInspector inspector, Choice choice) {
        this.inspector = inspector;
        List<LockSummary> found = choice.kind() == null
                ? inspector.list(choice.pattern(), FOUND)
                : inspector.list(choice.kind(), choice.pattern(), FOUND);
        put(found);
        complete = found.size() < FOUND;
        long pause = Math.max(
                PER_LOCK.multipliedBy(found.size()).toNanos(),
                StorePoller.SEARCH_PAUSE_FACTOR * (System.nanoTime() - began));
        due = began + Math.max(SHORTEST.toNanos(), pause);
    }

    private void put(List<LockSummary> read) {
        long now = System.nanoTime();
        read.forEach(lock -> locks.put(key(lock), new Seen(lock, now)));
    }

    private static Key key(LockSummary lock) {
        return new Key(lock.kind(), lock.name());
    }

    /** Returns whether it is time for another survey. */
    boolean isOver() {
        return System.nanoTime() - due >= 0;
    }

    /** Returns how long ago all locks were read. */
    Duration age() {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    /** Returns whether there are no other locks. */
    boolean isComplete() {
        return complete;
    }

    /** Returns the locks, as they were last read. */
    List<LockSummary> locks() {
        return locks.values().stream().map(Seen::lock).toList();
    }

    /**
     * Reads some of the locks again, except those that have just been read. Those that are not in use any more are left
     * out.
     */
    void refresh(List<LockSummary> some) {
        List<LockSummary> stale = some.stream().filter(this::isStale).toList();
        if (!stale.isEmpty()) {
            List<LockSummary> read = inspector.refresh(stale);
            stale.forEach(lock -> locks.remove(key(lock)));
            put(read);
        }
    }

    private boolean isStale(LockSummary lock) {
        Seen seen = locks.get(key(lock));
        return seen == null || System.nanoTime() - seen.at() > FRESH.toNanos();
    }
}
