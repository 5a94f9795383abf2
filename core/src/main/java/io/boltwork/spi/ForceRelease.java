// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;
import io.boltwork.spi.Command.LockCommand;

/**
 * Takes a lock away from its owner, or opens a lock that is kept closed, and grants it to the next waiter. A
 * {@link HoldTaken} message is sent to the owner's client. The fence is raised above the block of the hold that was
 * taken away, so that the owner learns of the loss at its next contact in any case and cannot restore the hold. The
 * fence is also raised if the server knows no owner, because it may have forgotten one.
 *
 * @param lock the name of the lock
 * @param expectedToken a token of the hold that is to end, anywhere in its block; if the lock has another owner or
 *     none, nothing is changed. 0 for any owner, or all holders
 * @param kind the kind of the lock
 * @since 0.1.0
 */
public record ForceRelease(String lock, long expectedToken, LockKind kind) implements LockCommand<Reply.Forced> {
    /**
     * Takes a plain lock away.
     *
     * @param lock the name of the lock
     * @param expectedToken a token of the hold that is to end, or 0
     */
    public ForceRelease(String lock, long expectedToken) {
        this(lock, expectedToken, LockKind.LOCK);
    }

    @Override
    public String toString() {
        return Printable.text(
                "ForceRelease[lock=" + lock + ", expectedToken=" + expectedToken + ", kind=" + kind + "]");
    }

    @Override
    public <T> T accept(CommandVisitor<T> visitor) {
        return visitor.forceRelease(this);
    }
}
