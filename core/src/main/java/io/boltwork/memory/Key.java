package io.boltwork.memory;

import org.jspecify.annotations.Nullable;

/** All that a server knows of one lock: the fields of the hash in Redis. */
final class Key {
    /** Who has the lock: a request, {@link Step#KEPT}, or nobody. */
    @Nullable
    String owner;

    /** The first token of the owner's block. */
    long token;

    /** The end of the owner's lease and takeover delay, in milliseconds of the server's clock. */
    long until;

    /** Whether the owner got the lock by message and has not confirmed it yet. */
    boolean claim;

    /** If the claim is a short one, the entry that it was given to. */
    Ring.@Nullable Entry shortClaim;

    /** No token above it was ever issued. */
    long fence;

    final Ring queue = new Ring();

    /** The last millisecond of the server's clock at which there is the key. */
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
