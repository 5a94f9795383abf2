// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Grant;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.ServerTime;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** Makes answers of two servers comparable. Their time and server are compared separately. */
final class Timeless {
    private static final ServerTime NO_TIME = new ServerTime(0, "");

    private Timeless() {}

    /**
     * Returns an answer without time and server, which are compared separately, and without an order where none is
     * promised.
     */
    static Reply of(Reply reply) {
        if (reply instanceof Acquired acquired) {
            return of(acquired);
        } else if (reply instanceof Reply.Released released) {
            Acquired next = released.next() == null ? null : of(released.next());
            return new Reply.Released(NO_TIME, released.outcome(), next, released.claimMillis(), released.owner());
        } else if (reply instanceof Reply.Withdrawn withdrawn) {
            return new Reply.Withdrawn(NO_TIME, withdrawn.known(), withdrawn.claimMillis(), withdrawn.owner());
        } else if (reply instanceof Reply.Renewed renewed) {
            return new Reply.Renewed(NO_TIME, renewed.items());
        } else if (reply instanceof Reply.Restored restored) {
            return new Reply.Restored(NO_TIME, restored.outcome(), restored.owner(), restored.claimMillis());
        } else if (reply instanceof Reply.Forced forced) {
            return new Reply.Forced(
                    NO_TIME,
                    forced.released(),
                    forced.claimMillis(),
                    forced.owner(),
                    forced.taken(),
                    forced.takenToken(),
                    forced.ended());
        } else if (reply instanceof Reply.Announced announced) {
            return new Reply.Announced(NO_TIME, announced.before());
        } else if (reply instanceof QueryReply.Identified identified) {
            return new QueryReply.Identified(NO_TIME, identified.clients());
        } else if (reply instanceof QueryReply.ScannedLocks scanned) {
            return new QueryReply.ScannedLocks(
                    NO_TIME, sorted(scanned.locks(), QueryReply.ScannedLocks.Lock::name), scanned.cursor());
        } else if (reply instanceof QueryReply.ScannedClients scanned) {
            return new QueryReply.ScannedClients(
                    NO_TIME, sorted(scanned.clients(), ClientRecord::id), scanned.cursor());
        } else if (reply instanceof Inspected is) {
            List<Inspected.Holder> holders = sorted(is.holders(), Inspected.Holder::request);
            return new Inspected(NO_TIME, holders, is.keptUntilMillis(), is.fence(), is.queue(), is.capacity());
        } else if (reply instanceof Reply.Resized resized) {
            return new Reply.Resized(NO_TIME, resized.capacity(), resized.set(), resized.claimMillis());
        }
        return reply;
    }

    private static <T> List<T> sorted(List<T> found, Function<T, String> name) {
        return found.stream().sorted(Comparator.comparing(name)).toList();
    }

    static Acquired of(Acquired acquired) {
        return new Acquired(
                NO_TIME,
                acquired.verdict(),
                acquired.token(),
                acquired.remainingMillis(),
                acquired.position(),
                acquired.known(),
                acquired.owner(),
                acquired.share());
    }

    static Grant of(Grant grant) {
        return new Grant(
                grant.lock(),
                grant.request(),
                grant.token(),
                grant.leaseMillis(),
                NO_TIME,
                grant.kind(),
                grant.blockEnd(),
                grant.signalled());
    }
}
