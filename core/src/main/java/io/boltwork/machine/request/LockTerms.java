// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import io.boltwork.LockOptions;
import io.boltwork.spi.rules.LeaseTimes;
import java.time.Duration;

/** The options of a lock, as the numbers that the machine of the lock calculates with. */
public final class LockTerms {

    /**
     * The margin of a lease over the shortest hold, in nanoseconds. The shortest hold begins when the reply arrives,
     * which is later than the beginning of the lease. If the reply took longer than this margin, which is rare, one
     * more request is needed.
     */
    private static final long SLOW_ANSWER = 1_000_000_000;

    public static final LockTerms DEFAULTS = new LockTerms(LockOptions.defaults(), 1);

    public final LockOptions options;

    /** The permits that are wanted: 1 for a plain lock and for readers, all for writers. */
    public final int permits;

    /**
     * The lease that the backend is asked for, in milliseconds: long enough for {@code minHold} and no longer than
     * {@code maxHold}.
     */
    public final long leaseMillis;

    public final long takeoverMillis;

    /** In nanoseconds; {@link Ticker#NEVER} if there is no limit. */
    public final long maxHoldNanos;

    /** In nanoseconds; 0 if there is no minimum. */
    public final long minHoldNanos;

    /** The time for which an unused lock is retained, in nanoseconds; 0 if it is not. */
    public final long retentionNanos;

    public final boolean isRenewed;
    public final boolean isFifo;

    /** True if a hold may pass from one local owner to the next. */
    final boolean mayBePassedOn;

    /** True if readers in one client may share a hold. */
    public final boolean mayBeJoined;

    private LockTerms(LockOptions options, int permits) {
        this.options = options;
        this.permits = permits;
        takeoverMillis = options.takeoverDelay().toMillis();
        maxHoldNanos = options.maxHold().isEmpty()
                ? Ticker.NEVER
                : options.maxHold().get().toNanos();
        minHoldNanos = options.minHold().toNanos();
        retentionNanos = options.retention().map(Duration::toNanos).orElse(0L);
        isRenewed = options.isRenewed();
        isFifo = options.fairness() == LockOptions.Fairness.FIFO;
        mayBePassedOn = isRenewed
                && !isFifo
                && minHoldNanos == 0
                && options.replication().isEmpty();
        mayBeJoined = mayBePassedOn && maxHoldNanos == Ticker.NEVER;
        long lease = options.lease().toMillis();
        if (maxHoldNanos != Ticker.NEVER) {
            lease = Math.min(lease, LeaseTimes.covering(maxHoldNanos));
        }
        if (isRenewed && minHoldNanos > 0) {
            lease = Math.max(lease, LeaseTimes.covering(minHoldNanos + SLOW_ANSWER));
        }
        leaseMillis = lease;
    }

    public static LockTerms of(LockOptions options) {
        return options == LockOptions.defaults() ? DEFAULTS : new LockTerms(options, 1);
    }

    /** Returns the terms of a request for several permits. */
    public static LockTerms of(LockOptions options, int permits) {
        return permits == 1 ? of(options) : new LockTerms(options, permits);
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof LockTerms that && permits == that.permits && options.equals(that.options);
    }

    /** From some of the numbers only, because it is needed for each permit. */
    @Override
    public int hashCode() {
        return (Long.hashCode(leaseMillis) * 31 + Long.hashCode(takeoverMillis)) * 31 + permits;
    }

    @Override
    public String toString() {
        return options.toString();
    }
}
