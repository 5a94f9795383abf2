// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Printable;
import io.boltwork.spi.ServerTime;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The leases that one statement has extended.
 *
 * @param locks the names of their locks
 * @param server the clock of the store; {@code null} if none was extended
 * @since 0.1.0
 */
public record Extended(Set<String> locks, @Nullable ServerTime server) {

    /** No lease was extended. */
    public static final Extended NONE = new Extended(Set.of(), null);

    /**
     * Copies the names.
     *
     * @param locks the names of their locks
     * @param server the clock of the store
     */
    public Extended {
        locks = Set.copyOf(locks);
    }

    @Override
    public String toString() {
        return Printable.text("Extended[locks=" + locks + ", server=" + server + "]");
    }
}
