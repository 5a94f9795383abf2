// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;

/** A lock of its own that is taken and released repeatedly. */
final class ProbeLock {
    private static final int TIMES = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private ProbeLock() {}

    /**
     * Measures pairs of acquisition and release. Stops early if they are slow.
     *
     * @return the times; empty if a lock could not be acquired, which becomes a finding
     */
    static Optional<Timing> measure(LockClient locks, String store, Diagnosis diagnosis) {
        try {
            return Optional.of(measure(locks, store));
        } catch (BackendException refused) {
            diagnosis.cannotLock(store, refused);
            return Optional.empty();
        }
    }

    private static Timing measure(LockClient locks, String store) {
        String name = "boltwork-doctor:" + UUID.randomUUID();
        long[] nanos = new long[TIMES];
        int done = 0;
        long end = System.nanoTime() + PATIENCE.toNanos();
        // a refusal is told at once, and not after the outage patience
        locks.lock(name).tryAcquire().ifPresent(Lease::release);
        while (done < TIMES && System.nanoTime() < end) {
            long start = System.nanoTime();
            locks.lock(name).acquire().close();
            nanos[done++] = System.nanoTime() - start;
        }
        return Timing.of("lock and unlock", store, Arrays.copyOf(nanos, Math.max(1, done)));
    }
}
