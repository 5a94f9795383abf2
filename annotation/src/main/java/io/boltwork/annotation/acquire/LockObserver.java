// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import org.jspecify.annotations.Nullable;

/** Observes acquisitions, each from the request to the answer. Thread-safe. */
@FunctionalInterface
public interface LockObserver {
    /** Observes nothing. */
    LockObserver NONE = (group, target) -> null;

    /** Begins an observation; returns {@code null} to observe nothing. */
    @Nullable
    Observed begin(String group, LockTarget target);

    /** An observation that has begun. */
    @FunctionalInterface
    interface Observed {

        /**
         * Ends the observation, once.
         *
         * @param granted whether the lock was granted
         * @param failure the reason if there is no answer; {@code null} if the lock was granted or refused
         */
        void end(boolean granted, @Nullable Throwable failure);
    }
}
