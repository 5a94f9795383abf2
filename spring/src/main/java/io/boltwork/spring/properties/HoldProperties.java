// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import io.boltwork.LockOptions;
import io.boltwork.Replication;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/**
 * The properties of a hold, for all locks or for those of one group.
 *
 * @param waitFor how long to wait for the lock
 * @param lease length of a lease that is not renewed
 * @param renewedLease length of a lease that is renewed
 * @param minHold shortest time that the lock stays taken
 * @param maxHold longest time that the lock is held
 * @param takeoverDelay how much longer the lock stays unavailable after a lease that ended without a release
 * @param replication a number of replicas, {@code disk} or {@code none}
 * @param replicationWithin maximum time to wait for the replication
 */
public record HoldProperties(
        @Nullable Duration waitFor,
        @Nullable Duration lease,
        @Nullable Duration renewedLease,
        @Nullable Duration minHold,
        @Nullable Duration maxHold,
        @Nullable Duration takeoverDelay,
        @Nullable String replication,
        @Nullable Duration replicationWithin) {

    /** Checks these properties; the exception names the wrong one, under {@code prefix}. */
    void check(String prefix) {
        BoltworkProperties.atLeast(Duration.ZERO, prefix + ".wait-for", waitFor);
        if (lease != null && renewedLease != null) {
            throw BoltworkProperties.invalid(
                    prefix + ".renewed-lease",
                    renewedLease,
                    "It must not be set together with " + prefix + ".lease, which is a lease that is not renewed.");
        }
        LockOptions options = LockOptions.defaults();
        if (lease != null) {
            options = BoltworkProperties.apply(prefix + ".lease", lease, LockOptions::fixedLease);
        }
        if (renewedLease != null) {
            options = BoltworkProperties.apply(prefix + ".renewed-lease", renewedLease, LockOptions::renewedLease);
        }
        if (maxHold != null) {
            options = BoltworkProperties.apply(prefix + ".max-hold", maxHold, options::withMaxHold);
        }
        if (minHold != null) {
            options = BoltworkProperties.apply(prefix + ".min-hold", minHold, options::withMinHold);
        }
        if (takeoverDelay != null) {
            BoltworkProperties.check(prefix + ".takeover-delay", takeoverDelay, options::withTakeoverDelay);
        }
        replication(prefix, replication, replicationWithin);
    }

    /** Returns the replication that the two properties specify together; {@code null} for the master alone. */
    public static @Nullable Replication replication(String prefix, @Nullable String where, @Nullable Duration within) {
        if (!StringUtils.hasText(where) || where.equals("none")) {
            if (within != null && !StringUtils.hasText(where)) {
                throw BoltworkProperties.invalid(
                        prefix + ".replication-within", within, "It needs " + prefix + ".replication.");
            }
            return null;
        }
        if (within == null) {
            throw BoltworkProperties.invalid(
                    prefix + ".replication", where, "It needs " + prefix + ".replication-within, such as 200ms.");
        }
        if (where.equals("disk")) {
            return BoltworkProperties.apply(prefix + ".replication-within", within, Replication::onDisk);
        }
        int replicas;
        try {
            replicas = Integer.parseInt(where);
        } catch (NumberFormatException e) {
            throw BoltworkProperties.invalid(
                    prefix + ".replication", where, "It must be a number of replicas, 'disk' or 'none'.");
        }
        BoltworkProperties.check(
                prefix + ".replication", replicas, number -> Replication.atLeast(number, Duration.ofMillis(1)));
        return BoltworkProperties.apply(
                prefix + ".replication-within", within, time -> Replication.atLeast(replicas, time));
    }
}
