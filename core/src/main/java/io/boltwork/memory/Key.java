package io.boltwork.memory;

import org.jspecify.annotations.Nullable;

/** The record of one lock at a server: the fields of the hash in Redis. */
final class Key {
    /** The request that owns the lock, {@link Step#KEPT}, or {@code null}. */
    @Nullable
    String owner;

    /** The first token of the owner's block. */
    long token;

    /** The end of the owner's lease and takeover delay, in milliseconds of the server's clock. */
    long until;

    /** {@code true} if the owner got the lock by message and has not confirmed it yet. */
    boolean claim;

    /** The queue entry that a short claim was granted to, or {@code null}. */
    Ring.@Nullable Entry shortClaim;

    /** No token larger than this has been issued. */
    long fence;

    final Ring queue = new Ring();

    /** The last millisecond of the server's clock at which the record exists. */
    long expiresAt;

    Key copy() {
        Key copy = new Key();
        copy.owner = owner;
        copy.token = token;
        copy.until = until;
        copy.claim = claim;
        copy.shortClaim = shortClaim;
        copy.fence = fence;
        copy.queue.enterAll(queue);
        copy.expiresAt = expiresAt;
        return copy;
    }

    void clearOwner() {
        owner = null;
        token = 0;
        until = 0;
        claim = false;
        shortClaim = null;
    }

    boolean isBlank() {
        return owner == null && fence == 0 && queue.isEmpty();
    }
}
