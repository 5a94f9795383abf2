// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Share;

/** The known facts about the part of a shared lock that a request wants or holds. Belongs to the lock's machine. */
public final class SharedPart {

    /** The permits that are wanted or held: all, until a writer becomes a reader. */
    int permits;

    /** The last token of the hold's block. */
    long blockEnd;

    /** The first token of the latest grant, and the last token of its block. */
    private long grantedToken;

    private long grantedEnd;

    /** The not-after of the last restore that was sent: a server time. */
    private long restoredUntil;

    SharedPart(int permits) {
        this.permits = permits;
    }

    /** Sets the block of a grant. */
    public void granted(long token, long end) {
        grantedToken = token;
        grantedEnd = end;
    }

    /** Sets the tokens of a hold that begins with that token. */
    void startHold(long token) {
        // the block of an unknown grant has one token at least
        blockEnd = token == grantedToken ? Math.min(grantedEnd, token + LockBackend.TOKENS_PER_HOLD - 1) : token;
    }

    /** Keeps the latest not-after of the restores that were sent. */
    public void restored(long notAfter) {
        restoredUntil = Math.max(restoredUntil, notAfter);
    }

    /** Returns what commands about the hold say of the part. */
    HeldShare of(Share share) {
        return new HeldShare(share, blockEnd, restoredUntil);
    }
}
