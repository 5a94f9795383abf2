package io.boltwork.spi.rules;

import io.boltwork.spi.IdleLife;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The record of one lock at a server: the fields of the hash in Redis. */
public final class LockRecord implements StoredRecord<LockRecord> {

    /** Creates the record of a lock that has never been used. */
    public LockRecord() {}

    /** The request that owns the lock, {@link LockRules#KEPT}, or {@code null}. */
    @Nullable
    String owner;

    /** The first token of the owner's block. */
    long token;

    /** The end of the owner's lease and takeover delay, in milliseconds of the server's clock. */
    public long until;

    /** {@code true} if the owner got the lock by message and has not confirmed it yet. */
    boolean claim;

    /** The queue entry that a short claim was granted to, or {@code null}. */
    WaitQueue.@Nullable QueuedRequest shortClaim;

    /** The condition of which the owner has taken a signal, while it is a claim; otherwise {@code null}. */
    @Nullable
    String signalled;

    /** No token larger than this has been issued. */
    public long fence;

    final WaitQueue queue = new WaitQueue();

    final ConditionQueues conditions = new ConditionQueues();

    /** The clients that are told when the vote is free, the oldest first, and until when, in milliseconds. */
    final Map<String, Long> watchers = new LinkedHashMap<>();

    /** The last millisecond of the server's clock at which the record exists. */
    public long expiresAt;

    @Override
    public LockRecord copy() {
        LockRecord copy = new LockRecord();
        copy.owner = owner;
        copy.token = token;
        copy.until = until;
        copy.claim = claim;
        copy.shortClaim = shortClaim;
        copy.signalled = signalled;
        copy.fence = fence;
        copy.queue.enterAll(queue);
        copy.conditions.enterAll(conditions);
        copy.watchers.putAll(watchers);
        copy.expiresAt = expiresAt;
        return copy;
    }

    /** Sets the expiry again if it is due, so that the record lives for that long after the end of the lease. */
    void touch(long now, long lifeMillis, long closedMillis) {
        if (isBlank()) {
            return;
        }
        long end = Math.max(until, now + closedMillis);
        if (IdleLife.isDue(expiresAt - end, lifeMillis)) {
            expiresAt = end + lifeMillis;
        }
    }

    void clearOwner() {
        owner = null;
        token = 0;
        until = 0;
        confirmClaim();
    }

    /** Notes that the owner is not, or no longer, a claim. */
    void confirmClaim() {
        claim = false;
        shortClaim = null;
        signalled = null;
    }

    @Override
    public long expiresAt() {
        return expiresAt;
    }

    @Override
    public boolean isBlank() {
        return owner == null && fence == 0 && queue.isEmpty();
    }
}
