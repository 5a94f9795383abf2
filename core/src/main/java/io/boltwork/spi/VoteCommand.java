// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;
import io.boltwork.spi.Command.LockCommand;

/**
 * A command about the vote of one server of a quorum. A server votes for a request by making it the owner of a plain
 * lock. The request holds the lock of the quorum once a majority has voted for it. No request is queued.
 *
 * <p>Votes are extended with {@link Command.Renew}, restored with {@link Command.Restore}, and taken away with
 * {@link ForceRelease}.
 *
 * @param <R> the type of the answer
 * @since 0.1.0
 */
public sealed interface VoteCommand<R extends Reply.Answer> extends LockCommand<R> {

    @Override
    default LockKind kind() {
        return LockKind.LOCK;
    }

    /**
     * Asks for a vote. The verdict is GRANTED, REFUSED or STALE. Idempotent as {@link Command.Acquire} is.
     *
     * @param lock the name of the lock
     * @param request the request
     * @param leaseMillis the lease that is wanted
     * @param takeoverMillis how much longer the server votes for no other request if the lease ends without being given
     *     back
     * @param notAfter the time after which the command is stale
     * @param watches whether the client is told when the vote is free, if it is refused now
     */
    record Vote(String lock, String request, long leaseMillis, long takeoverMillis, long notAfter, boolean watches)
            implements VoteCommand<Reply.Acquired> {
        @Override
        public String toString() {
            return Printable.text("Vote[lock=" + lock + ", request=" + request + ", leaseMillis=" + leaseMillis
                    + ", takeoverMillis=" + takeoverMillis + ", notAfter=" + notAfter + ", watches=" + watches + "]");
        }

        @Override
        public Reply.Acquired executeWith(CommandExecutor executor) {
            return executor.vote(this);
        }

        @Override
        public <T> T accept(CommandVisitor<T> visitor) {
            return visitor.vote(this);
        }
    }

    /**
     * Raises the fence to the end of the block of tokens that a majority has agreed on, if the vote still stands. So no
     * later vote of this server proposes a token of that block.
     *
     * @param lock the name of the lock
     * @param request the request
     * @param firstToken the first token of the vote
     * @param lastToken the last token of the block
     */
    record Raise(String lock, String request, long firstToken, long lastToken) implements VoteCommand<Reply.Raised> {
        @Override
        public String toString() {
            return Printable.text("Raise[lock=" + lock + ", request=" + request + ", firstToken=" + firstToken
                    + ", lastToken=" + lastToken + "]");
        }

        @Override
        public Reply.Raised executeWith(CommandExecutor executor) {
            return executor.raise(this);
        }

        @Override
        public <T> T accept(CommandVisitor<T> visitor) {
            return visitor.raise(this);
        }
    }

    /**
     * Gives a vote back, whether or not it was given, and tells clients that wait for it. The fence goes down to the
     * last token that was used, if no later request can have been given a token above it; otherwise the fence goes up
     * to that token.
     *
     * @param lock the name of the lock
     * @param request the request
     * @param firstToken the first token of the vote; 0 if none is known
     * @param lastToken the last token that was used, and at least {@code firstToken}; 0 for none
     * @param blockEnd the last token of the block that a majority has agreed on; 0 if there was no agreement
     * @param keepMillis how much longer the server votes for no request
     */
    record GiveBack(String lock, String request, long firstToken, long lastToken, long blockEnd, long keepMillis)
            implements VoteCommand<Reply.Released> {
        @Override
        public String toString() {
            return Printable.text("GiveBack[lock=" + lock + ", request=" + request + ", firstToken=" + firstToken
                    + ", lastToken=" + lastToken + ", blockEnd=" + blockEnd + ", keepMillis=" + keepMillis + "]");
        }

        @Override
        public Reply.Released executeWith(CommandExecutor executor) {
            return executor.giveBack(this);
        }

        @Override
        public <T> T accept(CommandVisitor<T> visitor) {
            return visitor.giveBack(this);
        }
    }
}
