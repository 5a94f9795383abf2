// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRelease;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/*
 * The properties of a group take precedence over the annotation on the method, which takes precedence over the one on
 * its class, which takes precedence over these defaults.
 */
/**
 * The defaults for a {@link DistributedLock}, if neither its attributes nor the properties of its group specify a
 * value. Immutable.
 *
 * @param group the name in metrics; {@code null} for the beginning of the lock's name
 * @param mode the behavior while another owner holds the lock
 * @param type the order in which waiting callers get the lock
 * @param waitFor the maximum time to wait; {@code null} for the default of the mode
 * @param lease the length of a lease that is not renewed; {@code null} for a renewed lease
 * @param renewedLease the length of a lease that is renewed; {@code null} for that of {@link
 *     io.boltwork.LockOptions#defaults()}
 * @param minHold the shortest time that the lock stays taken; {@code null} for none
 * @param maxHold the longest time that the lock is held; {@code null} for none
 * @param takeoverDelay how much longer the lock stays unavailable after a lease that ended without a release; {@code
 *     null} for none
 * @param release the time at which a release returns
 * @param replication where the lock must be recorded before it counts as acquired; {@code null} for the master alone
 * @param onRefused the outcome for a caller that is refused
 * @param onUnavailable the outcome for a caller while the backend does not answer
 * @param onLost the behavior when the lease is lost
 */
public record LockDefaults(
        @Nullable String group,
        LockMode mode,
        LockType type,
        @Nullable Duration waitFor,
        @Nullable Duration lease,
        @Nullable Duration renewedLease,
        @Nullable Duration minHold,
        @Nullable Duration maxHold,
        @Nullable Duration takeoverDelay,
        LockRelease release,
        @Nullable Replication replication,
        OnRefused onRefused,
        OnUnavailable onUnavailable,
        OnLost onLost) {

    /** Replaces {@code DEFAULT} by the standard value, except for refusals, which a bean may decide. */
    public LockDefaults {
        mode = mode == LockMode.DEFAULT ? LockMode.LOCK : mode;
        type = type == LockType.DEFAULT ? LockType.REENTRANT : type;
        release = release == LockRelease.DEFAULT ? LockRelease.AWAITED : release;
        onUnavailable = onUnavailable == OnUnavailable.DEFAULT ? OnUnavailable.THROW : onUnavailable;
        onLost = onLost == OnLost.DEFAULT ? OnLost.THROW : onLost;
    }

    /** Returns the options of locks that code acquires. The behavior when a lease is lost applies to methods only. */
    public LockOptions options() {
        LockOptions leased = LockOptions.defaults();
        if (lease != null) {
            leased = LockOptions.fixedLease(lease);
        } else if (renewedLease != null) {
            leased = LockOptions.renewedLease(renewedLease);
        }
        return options(leased, minHold, maxHold, takeoverDelay, type, release, replication);
    }

    /** Returns the options of a lease with all other given options added. */
    public static LockOptions options(
            LockOptions lease,
            @Nullable Duration minHold,
            @Nullable Duration maxHold,
            @Nullable Duration takeoverDelay,
            LockType type,
            LockRelease release,
            @Nullable Replication replication) {
        LockOptions options = lease;
        if (maxHold != null) {
            options = options.withMaxHold(maxHold);
        }
        if (minHold != null) {
            options = options.withMinHold(minHold);
        }
        if (takeoverDelay != null) {
            options = options.withTakeoverDelay(takeoverDelay);
        }
        if (replication != null) {
            options = options.withReplication(replication);
        }
        if (type == LockType.FAIR) {
            options = options.withFairness(LockOptions.Fairness.FIFO);
        }
        return release == LockRelease.SENT ? options.withRelease(LockOptions.Release.SENT) : options;
    }

    /** Returns the defaults if there are no properties. */
    public static LockDefaults standard() {
        return new LockDefaults(
                null,
                LockMode.DEFAULT,
                LockType.DEFAULT,
                null,
                null,
                null,
                null,
                null,
                null,
                LockRelease.DEFAULT,
                null,
                OnRefused.DEFAULT,
                OnUnavailable.DEFAULT,
                OnLost.DEFAULT);
    }
}
