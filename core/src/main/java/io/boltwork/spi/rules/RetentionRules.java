// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LockWanted;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rules for locks whose last client retains them: such a lock is recalled when another client wants it. A message
 * can be lost, so renewals say it as well. Part of {@link LockRules}.
 */
final class RetentionRules {
    private final ServerTime server;
    private final WaitQueue.Budget budget;
    private final Consumer<HolderMessage> tell;

    RetentionRules(ServerTime server, WaitQueue.Budget budget, Consumer<HolderMessage> tell) {
        this.server = server;
        this.budget = budget;
        this.tell = tell;
    }

    /**
     * Returns the outcome of a renewal or a restore for the owner, which may retain the lock although others wait for
     * it.
     */
    static Renewal held(LockRecord record) {
        return RequestId.isRetained(record.owner) && !record.queue.isEmpty() ? Renewal.WANTED : Renewal.OK;
    }

    /** Returns whether the client of the owner may retain the lock, and the request is one of another client. */
    static boolean isRetainedByAnother(LockRecord record, String request) {
        String owner = record.owner;
        return owner != null && RequestId.isRetained(owner) && !RequestId.haveOneClient(owner, request);
    }

    /** Returns whether no other request is before that one. */
    boolean isNext(LockRecord record, String request) {
        WaitQueue.QueuedRequest first = first(record);
        return first == null ? record.queue.isEmpty() : first.request().equals(request);
    }

    /**
     * Recalls a lock for a request that has been queued. The first request in the queue does so for all, unless it is a
     * late one of the owner's client.
     */
    void recall(String lock, LockRecord record, String request) {
        WaitQueue.QueuedRequest first = first(record);
        if (first != null
                && (first.request().equals(request)
                        || RequestId.haveOneClient(first.request(), Objects.requireNonNull(record.owner)))) {
            recall(lock, record);
        }
    }

    /** Recalls a lock from its new owner, if others wait already. */
    void granted(String lock, LockRecord record) {
        if (RequestId.isRetained(record.owner) && !record.queue.isEmpty()) {
            recall(lock, record);
        }
    }

    private WaitQueue.@Nullable QueuedRequest first(LockRecord record) {
        if (record.queue.isEmpty()) {
            return null;
        }
        WaitQueue.QueuedRequest first = record.queue.first(budget);
        record.queue.looked(server.millis());
        return first;
    }

    private void recall(String lock, LockRecord record) {
        tell.accept(new LockWanted(lock, Objects.requireNonNull(record.owner), record.token, server));
    }
}
