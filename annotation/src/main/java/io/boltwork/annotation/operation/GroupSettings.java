// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRelease;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one group, {@code boltwork.lock.names.*}, which override the annotations. {@code null}, or {@code
 * DEFAULT}, overrides nothing. Immutable.
 *
 * @param enabled whether the lock is taken at all
 * @param optional whether the application may start without a lock of this group
 * @param client the name of the client that provides the lock
 * @param mode the behavior while another owner holds the lock
 * @param type the order in which waiting callers get the lock: not {@code READ} or {@code WRITE}, because a setting
 *     must not turn a lock into one that excludes less
 * @param permits the total number of permits, for methods that have a semaphore
 * @param release the time at which a release returns
 * @param onRefused the outcome for a caller that is refused
 * @param onUnavailable the outcome for a caller while the backend does not answer
 * @param onLost the behavior when the lease is lost
 * @param hold the settings of the hold
 */
public record GroupSettings(
        boolean enabled,
        boolean optional,
        @Nullable String client,
        @Nullable LockMode mode,
        @Nullable LockType type,
        @Nullable Integer permits,
        @Nullable LockRelease release,
        @Nullable OnRefused onRefused,
        @Nullable OnUnavailable onUnavailable,
        @Nullable OnLost onLost,
        HoldSettings hold) {

    /** Checks these settings; the exception names the wrong one, under {@code prefix}. */
    public void check(String prefix, SettingErrors errors) {
        hold.check(prefix, errors);
        if (permits != null && permits < 1) {
            throw errors.invalid(prefix + ".permits", permits, "It must be at least 1.");
        }
    }
}
