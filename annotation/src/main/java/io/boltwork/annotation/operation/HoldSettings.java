// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.LockOptions;
import io.boltwork.Replication;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a hold, for all locks or for those of one group. Immutable.
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
public record HoldSettings(
        @Nullable Duration waitFor,
        @Nullable Duration lease,
        @Nullable Duration renewedLease,
        @Nullable Duration minHold,
        @Nullable Duration maxHold,
        @Nullable Duration takeoverDelay,
        @Nullable String replication,
        @Nullable Duration replicationWithin) {
    static final HoldSettings NONE = new HoldSettings(null, null, null, null, null, null, null, null);

    /** Checks these settings; the exception names the wrong one, under {@code prefix}. */
    public void check(String prefix, SettingErrors errors) {
        if (waitFor != null && waitFor.isNegative()) {
            throw errors.invalid(prefix + ".wait-for", waitFor, "It must be at least 0 ms.");
        }
        if (lease != null && renewedLease != null) {
            throw errors.invalid(
                    prefix + ".renewed-lease",
                    renewedLease,
                    "It must not be set together with " + prefix + ".lease, which is a lease that is not renewed.");
        }
        LockOptions options = LockOptions.defaults();
        if (lease != null) {
            options = apply(errors, prefix + ".lease", lease, LockOptions::fixedLease);
        }
        if (renewedLease != null) {
            options = apply(errors, prefix + ".renewed-lease", renewedLease, LockOptions::renewedLease);
        }
        if (maxHold != null) {
            options = apply(errors, prefix + ".max-hold", maxHold, options::withMaxHold);
        }
        if (minHold != null) {
            options = apply(errors, prefix + ".min-hold", minHold, options::withMinHold);
        }
        if (takeoverDelay != null) {
            apply(errors, prefix + ".takeover-delay", takeoverDelay, options::withTakeoverDelay);
        }
        replication(prefix, replication, replicationWithin, errors);
    }

    /** Returns the replication that the two settings specify together; {@code null} for the master alone. */
    public static @Nullable Replication replication(
            String prefix, @Nullable String replication, @Nullable Duration within, SettingErrors errors) {
        String where = replication == null || replication.isBlank() ? "" : replication;
        if (where.isEmpty() || where.equals("none")) {
            if (within != null && where.isEmpty()) {
                throw errors.invalid(prefix + ".replication-within", within, "It needs " + prefix + ".replication.");
            }
            return null;
        }
        if (within == null) {
            throw errors.invalid(
                    prefix + ".replication", where, "It needs " + prefix + ".replication-within, such as 200ms.");
        }
        if (where.equals("disk")) {
            return apply(errors, prefix + ".replication-within", within, Replication::onDisk);
        }
        int replicas;
        try {
            replicas = Integer.parseInt(where);
        } catch (NumberFormatException e) {
            throw errors.invalid(prefix + ".replication", where, "It must be a number of replicas, 'disk' or 'none'.");
        }
        apply(errors, prefix + ".replication", replicas, number -> Replication.atLeast(number, Duration.ofMillis(1)));
        return apply(errors, prefix + ".replication-within", within, time -> Replication.atLeast(replicas, time));
    }

    private static <T, R> R apply(SettingErrors errors, String setting, T value, Function<T, R> rule) {
        try {
            return rule.apply(value);
        } catch (IllegalArgumentException e) {
            throw errors.invalid(setting, value, String.valueOf(e.getMessage()));
        }
    }
}
