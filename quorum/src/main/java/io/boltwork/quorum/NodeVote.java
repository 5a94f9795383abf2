// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.spi.Reply;
import org.jspecify.annotations.Nullable;

/** The vote of one server in one round of a request. */
final class NodeVote {

    /** The last answer of the server. */
    enum State {
        /** It was not asked. */
        NONE,
        /** It was asked and has not answered. */
        ASKED,
        /** It has voted for the request. */
        GIVEN,
        /** It votes for no request, or for another one. */
        REFUSED,
        /** It has lost the vote, and has voted for no other request since. */
        FORGOTTEN,
        /** The vote is gone: it ended, or was taken away. */
        LOST,
        /** The question has failed. */
        UNKNOWN
    }

    final QuorumNode node;
    State state = State.NONE;

    /** The first token that the server gave, 0 if it has not voted. */
    long firstToken;

    /** {@code true} if the server has not answered in time. Its vote counts if it comes later. */
    boolean isLate;

    /** {@code true} if the server has raised its fence for this vote. */
    boolean isRaised;

    /** The answer of a server that has refused. */
    Reply.@Nullable Acquired refusal;

    /** The number of commands that may make the request the owner and were not answered. */
    private int unanswered;

    /** The time of the server's clock until which such a command may still be executed, in milliseconds. */
    long mayRunUntil;

    /** The time after which no lease of this vote is left, whatever has happened. */
    long endsAt;

    NodeVote(QuorumNode node) {
        this.node = node;
    }

    boolean isGiven() {
        return state == State.GIVEN;
    }

    /** Returns whether the server may still answer in time. */
    boolean isOpen() {
        return state == State.ASKED && !isLate;
    }

    /** Returns whether the vote may count again: it is given, or was, or may have been. */
    boolean mayCount() {
        return state == State.GIVEN || state == State.FORGOTTEN || state == State.ASKED || state == State.UNKNOWN;
    }

    /** Returns whether the server may have to be informed that the vote is given back. */
    boolean mayBeLeft() {
        return state != State.NONE && state != State.REFUSED;
    }

    /** Returns whether a command may be executed later that makes the request the owner. */
    boolean isTainted() {
        return unanswered > 0;
    }

    /** Extends the end of the lease for a command that was sent. */
    void prolongs(long now, long nanos) {
        endsAt = Math.max(endsAt, now + nanos);
    }

    /** Counts a sent command that may make the request the owner. */
    void asked(long now, long nanos, long serverNotAfter) {
        prolongs(now, nanos);
        mayRunUntil = Math.max(mayRunUntil, serverNotAfter);
        unanswered++;
    }

    /** Records the reply to such a command. */
    void replied(Reply reply) {
        if (!(reply instanceof Reply.Failed failed && failed.executed())) {
            unanswered--;
        }
    }
}
