// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import io.boltwork.LockInfo;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The histories of the locks that pages showed, as far as the console has seen them. It forgets the lock that was
 * not shown for the longest time.
 */
final class LockHistories {
    private static final int LOCKS = 100;

    private final Map<View.OfLock, LockHistory> histories = new LinkedHashMap<>(16, 0.75f, true);

    /** Adds the newest observation, and returns all observations of that lock. */
    LockHistory observe(LockInfo lock) {
        LockHistory history =
                histories.computeIfAbsent(new View.OfLock(lock.kind(), lock.name()), key -> new LockHistory());
        if (histories.size() > LOCKS) {
            histories.remove(histories.keySet().iterator().next());
        }
        history.observe(lock);
        return history;
    }
}
