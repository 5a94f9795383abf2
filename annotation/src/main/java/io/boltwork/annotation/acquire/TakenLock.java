// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import io.boltwork.Lease;
import io.boltwork.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * A hold, owned by this thread or by a handle. A handle costs more, but any thread may release it.
 *
 * @param target the lock
 * @param lease the handle; {@code null} if this thread owns the hold
 */
public record TakenLock(LockTarget target, @Nullable Lease lease) {

    /** Releases the hold; throws if it had been lost. */
    public void release() {
        if (lease == null) {
            target.unlock();
        } else {
            lease.release();
        }
    }

    /**
     * Lets the log report the end of a fixed lease as a loss at once, because code is executed under it. Without a
     * listener, such an end may be that of a cool-down, and is reported only if the lock is released later.
     */
    public TakenLock watch(LockOptions options) {
        Lease held = options.isRenewed() ? null : lease == null ? target.currentLease() : lease;
        if (held != null) {
            held.whenLost();
        }
        return this;
    }
}
