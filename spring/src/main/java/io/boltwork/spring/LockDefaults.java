package io.boltwork.spring;

import io.boltwork.LockOptions;
import io.boltwork.Replication;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/*
 * The properties of a group go before the annotation on the method, that before the one on its class, and that before these.
 */
/**
 * What holds for a {@link DistributedLock} where neither its attributes nor the properties of its group say anything. Immutable.
 *
 * @param group the name in metrics; {@code null} for the beginning of the lock's name
 * @param mode what happens while another owner has the lock
 * @param type in which order those who wait get the lock
 * @param waitFor how long to wait; {@code null} for the mode's own
 * @param lease length of a lease that is not renewed; {@code null} for one that is renewed
 * @param renewedLease length of a lease that is renewed; {@code null} for that of {@link io.boltwork.LockOptions#defaults()}
 * @param minHold shortest time that the lock stays taken; {@code null} for none
 * @param maxHold longest time that the lock is held; {@code null} for none
 * @param takeoverDelay how much longer the lock stays closed after a lease that ended by itself; {@code null} for none
 * @param release when a release returns
 * @param replication where the lock must be known before it counts as acquired; {@code null} for the master alone
 * @param onRefused what happens to a caller that is refused
 * @param onUnavailable what happens to a caller while the backend gives no answer
 * @param onLost what happens when the lease is lost
 */
record LockDefaults(
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

    /** {@code DEFAULT} stands for what {@link #standard()} has. */
    LockDefaults {
        mode = mode == LockMode.DEFAULT ? LockMode.LOCK : mode;
        type = type == LockType.DEFAULT ? LockType.REENTRANT : type;
        release = release == LockRelease.DEFAULT ? LockRelease.AWAITED : release;
        onRefused = onRefused == OnRefused.DEFAULT ? OnRefused.THROW : onRefused;
        onUnavailable = onUnavailable == OnUnavailable.DEFAULT ? OnUnavailable.THROW : onUnavailable;
        onLost = onLost == OnLost.DEFAULT ? OnLost.THROW : onLost;
    }

    /** Returns the options of locks that are taken in code. What happens when a lease is lost is for methods alone. */
    LockOptions options() {
        LockOptions leased = LockOptions.defaults();
        if (lease != null) {
            leased = LockOptions.fixedLease(lease);
        } else if (renewedLease != null) {
            leased = LockOptions.renewedLease(renewedLease);
        }
        return options(leased, minHold, maxHold, takeoverDelay, type, release, replication);
    }

    /** Returns the options of a lease with everything else that is given. */
    static LockOptions options(
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

    /** Returns the defaults without any properties. */
    static LockDefaults standard() {
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
