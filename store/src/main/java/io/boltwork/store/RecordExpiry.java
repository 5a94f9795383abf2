// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import java.util.HashMap;
import java.util.Map;

/**
 * Tells which records have expired, in a store whose clock can be replaced by another one. A record of another clock
 * expires when its full life has passed since this client first saw it. Not thread-safe.
 *
 * @since 0.1.0
 */
public final class RecordExpiry {
    private static final long MICROS = 1_000;

    /** The times at which this client first saw records that were written by another clock, by place. */
    private final Map<String, Long> firstSeen = new HashMap<>();

    private String run = "";

    /** Creates an object that has seen no record. */
    public RecordExpiry() {}

    /**
     * Returns whether a record may be dropped.
     *
     * @param place where it is kept
     * @param record the record
     * @param now the store's clock
     * @return whether it has certainly expired
     */
    public boolean isExpired(String place, StampedRecord record, StoreClock now) {
        if (!now.run().equals(run)) {
            run = now.run();
            firstSeen.clear();
        }
        if (record.written().run().equals(now.run())) {
            return now.micros() > (record.expiresAt() + 1) * MICROS;
        }
        long latest = now.micros() + now.uncertainMicros();
        long life = (record.expiresAt() + 1) * MICROS - record.written().micros();
        Long seen = firstSeen.putIfAbsent(place, latest);
        boolean isExpired = seen != null && now.micros() > seen + life;
        if (isExpired) {
            firstSeen.remove(place);
        }
        return isExpired;
    }
}
