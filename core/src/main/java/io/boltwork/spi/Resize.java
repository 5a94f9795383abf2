// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;
import io.boltwork.spi.Command.LockCommand;

/**
 * Sets the capacity of a lock that is shared, and grants the lock to waiting requests that fit now. Holds that no
 * longer fit stay until they end.
 *
 * @param lock the name of the lock
 * @param kind the kind of the lock
 * @param permits the new capacity, 1 or more
 * @since 0.1.0
 */
public record Resize(String lock, LockKind kind, int permits) implements LockCommand<Reply.Resized> {
    @Override
    public String toString() {
        return Printable.text("Resize[lock=" + lock + ", kind=" + kind + ", permits=" + permits + "]");
    }

    @Override
    public <T> T accept(CommandVisitor<T> visitor) {
        return visitor.resize(this);
    }
}
