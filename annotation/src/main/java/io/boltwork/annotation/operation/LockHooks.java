// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.annotation.LockNaming;
import io.boltwork.annotation.LockRefusal;
import io.boltwork.annotation.text.LockCall;
import io.boltwork.spi.Printable;
import org.jspecify.annotations.Nullable;

/**
 * The application's beans that see all calls. Immutable.
 *
 * @param naming gives each lock its name; {@code null} if annotations alone do
 * @param refusal decides what a refused caller gets; {@code null} for an exception
 */
public record LockHooks(
        @Nullable LockNaming naming, @Nullable LockRefusal refusal) {

    /** Returns the name of an operation's lock for this call. */
    public String name(LockOperation operation, LockCall call) {
        String name = operation.lockName(call);
        if (naming == null) {
            return name;
        }
        String own = naming.name(call.seen(name, operation.client()));
        if (own == null) {
            throw new IllegalStateException(Printable.text(call.where() + ": the LockNaming bean returned null for '"
                    + name + "'. Nothing was executed. Return a name for each call"));
        }
        return own;
    }

    /** Returns what gave a lock its name, for a message; empty if only the annotation did. */
    public String origin() {
        return naming == null ? "" : ". The LockNaming bean returned the name";
    }
}
