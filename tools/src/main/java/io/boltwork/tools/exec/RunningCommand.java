// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.exec;

import java.time.Duration;

/** The command that runs under the lock, with all processes of its group. Thread-safe. */
interface RunningCommand extends AutoCloseable {

    /** Passes a signal on, such as {@code TERM}. Does nothing if the command has ended. */
    void signal(String name);

    /** Sends TERM, and after the grace KILL to the processes that are left. Does not block. */
    void end();

    /** Sends TERM, and after a time KILL to the processes that are left. Does not block. */
    void end(Duration untilKill);

    /**
     * Waits for the end of the command, after which nothing of its group is left. Returns its exit code, or 128 and the
     * number of the signal that ended it.
     */
    int await() throws InterruptedException;

    /** Ends the command at once if it still runs. */
    @Override
    void close();
}
