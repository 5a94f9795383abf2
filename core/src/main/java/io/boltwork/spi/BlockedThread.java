// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;
import java.util.List;

/**
 * A thread of a client that holds something and has waited for long. Other clients find cycles by it.
 *
 * @param holds the numbers of the requests that it holds, as in {@link RequestId}
 * @param kind the kind of the lock that it waits for
 * @param lock the name of that lock
 * @param isLimited whether something ends its wait or one of its holds by itself, or another thread may end a hold
 * @since 0.1.0
 */
public record BlockedThread(List<Long> holds, LockKind kind, String lock, boolean isLimited) {

    /**
     * Copies the numbers.
     *
     * @param holds the numbers of the requests that it holds
     * @param kind the kind of the lock that it waits for
     * @param lock the name of that lock
     * @param isLimited whether something may end its wait or one of its holds
     */
    public BlockedThread {
        holds = List.copyOf(holds);
    }

    @Override
    public String toString() {
        return Printable.text("BlockedThread[holds=" + holds + ", kind=" + kind + ", lock=" + lock + ", isLimited="
                + isLimited + "]");
    }
}
