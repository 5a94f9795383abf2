// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.LockKind;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.QueryReply.Inspected.Holder;
import io.boltwork.spi.ServerTime;
import java.util.List;
import java.util.Optional;

/**
 * Reads the record of a lock for those who inspect it.
 *
 * @since 0.1.0
 */
public final class LockReports {

    private LockReports() {}

    /**
     * Returns the lock as the server sees it.
     *
     * @param record the record of the lock
     * @param server when and where it is read
     * @return the reply
     */
    public static Inspected inspect(LockRecord record, ServerTime server) {
        String owner = LockRules.ownerOf(record);
        List<Holder> holders =
                owner == null ? List.of() : List.of(new Holder(owner, 1, record.token, record.until, record.claim));
        return new Inspected(server, holders, owner == null ? record.until : 0, record.fence, waiting(record.queue), 1);
    }

    /**
     * Returns the summary of a lock; empty if it is neither held, nor kept closed, nor waited for.
     *
     * @param name the name of the lock
     * @param record the record of the lock
     * @param server when and where it is read
     * @return the summary; empty if there is nothing to show
     */
    public static Optional<QueryReply.ScannedLocks.Lock> summary(String name, LockRecord record, ServerTime server) {
        boolean open = record.owner == null || server.millis() >= record.until;
        if (open && record.queue.isEmpty()) {
            return Optional.empty();
        }
        LockRecord shown = open ? new LockRecord() : record;
        int holders = LockRules.ownerOf(shown) == null ? 0 : 1;
        return Optional.of(new QueryReply.ScannedLocks.Lock(
                LockKind.LOCK, name, holders, holders, shown.token, shown.until, shown.claim, record.queue.length()));
    }

    /** Returns the requests in a queue. */
    static List<Inspected.Waiting> waiting(WaitQueue queue) {
        return queue.entries().stream()
                .map(entry -> new Inspected.Waiting(entry.request(), entry.weight(), entry.sinceMillis()))
                .toList();
    }
}
