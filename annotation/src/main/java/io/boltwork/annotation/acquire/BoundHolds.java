// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import io.boltwork.LeaseLostException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The holds that one transaction keeps. One thread uses it at a time. */
public final class BoundHolds {
    private final List<BoundHold> holds = new ArrayList<>();

    /** Adds a hold. Returns {@code false} if the transaction keeps another handle of the same lock already. */
    public boolean add(BoundHold hold) {
        return holds.stream().noneMatch(kept -> kept.includes(hold)) && holds.add(hold);
    }

    /** Verifies all holds; see {@link BoundHold#beforeCommit}. */
    public void beforeCommit() {
        holds.forEach(BoundHold::beforeCommit);
    }

    /**
     * Releases all holds, the last one first.
     *
     * @param log logs a loss while the database was committing
     */
    public void afterCompletion(boolean committed, Consumer<LeaseLostException> log) {
        for (int i = holds.size() - 1; i >= 0; i--) {
            try {
                holds.get(i).afterCompletion(committed);
            } catch (LeaseLostException lost) {
                log.accept(lost);
            }
        }
    }
}
