// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.diagnose;

import io.boltwork.LockKind;
import io.boltwork.engine.diagnose.LongWaits.Wait;
import io.boltwork.spi.BlockedThread;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Threads of several clients that wait for each other, each for what the next one holds. Begins with the oldest wait of
 * this client. If two looks find equal cycles, the same threads wait for the same holds.
 */
record RemoteCycle(List<Link> links) {

    /** A lock at the server. */
    record Name(LockKind kind, String lock) {}

    /**
     * A thread that waits.
     *
     * @param here the thread if it is one of this client; otherwise {@code null}
     */
    record Member(
            String client, BlockedThread thread, @Nullable OutwardWait here) {
        Name wanted() {
            return new Name(thread.kind(), thread.lock());
        }

        boolean holds(long request) {
            return thread.holds().contains(request);
        }
    }

    /**
     * A thread that waits for a hold of the next one.
     *
     * @param queued the request that waits at the server, if the thread is one of another client; otherwise empty
     * @param holder the request that holds the lock
     * @param token the first token of that request
     * @param isCertain whether the thread goes on only after that request has ended
     */
    record Link(Member waiter, String queued, String holder, long token, boolean isCertain) {}

    /** Returns the cycle of some links, at least one of which is of this client. */
    static RemoteCycle of(List<Link> links) {
        List<Link> rotated = new ArrayList<>(links);
        int oldest = 0;
        for (int i = 1; i < links.size(); i++) {
            if (number(links.get(i)) < number(links.get(oldest))) {
                oldest = i;
            }
        }
        Collections.rotate(rotated, -oldest);
        return new RemoteCycle(List.copyOf(rotated));
    }

    private static long number(Link link) {
        OutwardWait here = link.waiter.here;
        return here == null ? Long.MAX_VALUE : here.waiting().number;
    }

    /** Returns whether nothing ends the cycle by itself. */
    boolean isCertain() {
        return links.stream().allMatch(link -> link.isCertain && !link.waiter.thread.isLimited());
    }

    /** Returns whether a thread of this client is known to have left the cycle. */
    boolean isOver() {
        return here().anyMatch(OutwardWait::isOver);
    }

    /** Returns the waits of this client. */
    List<Wait> waitsHere() {
        return here().map(OutwardWait::waiting).toList();
    }

    private Stream<OutwardWait> here() {
        return links.stream().map(link -> link.waiter.here).filter(Objects::nonNull);
    }
}
