// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A command that its caller may execute itself while it waits for the answer. Until one of the methods is called, the
 * command has not been sent. One of them is called, at most once; if none is, the command was never sent.
 *
 * @since 0.1.0
 * @see LockBackend#offer(Command, Consumer)
 */
public interface CallerRun {

    /**
     * Executes the command on the calling thread, which blocks meanwhile. On return the handler has been called, unless
     * the answer has to wait for something else, such as a second attempt over another connection.
     *
     * <p>The command ends with {@link Reply.Failed} if there is no answer within the backend's command timeout, or if
     * the caller leaves. The backend may still execute it then.
     *
     * @param nanosLeft how long the caller goes on waiting from now on, in nanoseconds; if 0 or less, it leaves. It is
     *     asked after that time, and every 50 ms at least
     */
    void run(LongSupplier nanosLeft);

    /**
     * Returns whether the caller can leave a run at any time. If not, it blocks for the command timeout at most, and
     * does not ask {@code nanosLeft}. Then only a caller that waits for that long and heeds no interrupts calls it;
     * others call {@link #send}.
     *
     * @return {@code true} unless overridden
     */
    default boolean canBeLeft() {
        return true;
    }

    /** Sends the command as {@link LockBackend#send} does, because its caller does not execute it. */
    void send();
}
