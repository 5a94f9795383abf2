// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;
import io.boltwork.spi.Command.LockCommand;

/**
 * A command of a quorum to one of its servers. A server votes for a request by making it the owner of a plain lock. The
 * request holds the lock of the quorum once a majority has voted for it. No request is queued.
 *
 * <p>Votes are extended with {@link Command.Renew}, restored with {@link Command.Restore}, and taken away with
 * {@link ForceRelease}.
 *
 * @param <R> the type of the answer
 * @since 0.1.0
 */
public sealed interface VoteCommand<R extends Reply.Answer> extends Command<R> permits VoteCommand.LockVote, Witness {

    /**
     * Calls the visitor's method for this kind of command.
     *
     * @param visitor the visitor
     * @return the visitor's result
     * @param <T> the type of the result
     */
    <T> T accept(VoteVisitor<T> visitor);

    @Override
    default <T> T accept(CommandVisitor<T> visitor) {
        return visitor.anyVote(this);
    }

    /**
     * Distinguishes the kinds of {@link VoteCommand}, too.
     *
     * @param <T> the type of the result
     */
    interface VoteVisitor<T> extends CommandVisitor<T> {
        @Override
        default T anyVote(VoteCommand<?> command) {
            return command.accept(this);
        }

        /**
         * Votes for a request, or refuses to.
         *
         * @param command the command
         * @return the result
         */
        T vote(Vote command);

        /**
         * Raises the fence of a vote that stands.
         *
         * @param command the command
         * @return the result
         */
        T raise(Raise command);

        /**
         * Takes a vote back from a request.
         *
         * @param command the command
         * @return the result
         */
        T giveBack(GiveBack command);

        /**
         * Keeps the longest time for which a run of the server is known to have been up.
         *
         * @param command the command
         * @return the result
         */
        T witness(Witness command);
    }

    /**
     * A command about the vote for one lock.
     *
     * @param <R> the type of the answer
     */
    sealed interface LockVote<R extends Reply.Answer> extends VoteCommand<R>, LockCommand<R> {
        @Override
        default LockKind kind() {
            return LockKind.LOCK;
        }
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
            implements LockVote<Reply.Acquired> {
        @Override
        public String toString() {
            return Printable.text("Vote[lock=" + lock + ", request=" + request + ", leaseMillis=" + leaseMillis
                    + ", takeoverMillis=" + takeoverMillis + ", notAfter=" + notAfter + ", watches=" + watches + "]");
        }

        @Override
        public <T> T accept(VoteVisitor<T> visitor) {
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
    record Raise(String lock, String request, long firstToken, long lastToken) implements LockVote<Reply.Raised> {
        @Override
        public String toString() {
            return Printable.text("Raise[lock=" + lock + ", request=" + request + ", firstToken=" + firstToken
                    + ", lastToken=" + lastToken + "]");
        }

        @Override
        public <T> T accept(VoteVisitor<T> visitor) {
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
            implements LockVote<Reply.Released> {
        @Override
        public String toString() {
            return Printable.text("GiveBack[lock=" + lock + ", request=" + request + ", firstToken=" + firstToken
                    + ", lastToken=" + lastToken + ", blockEnd=" + blockEnd + ", keepMillis=" + keepMillis + "]");
        }

        @Override
        public <T> T accept(VoteVisitor<T> visitor) {
            return visitor.giveBack(this);
        }
    }
}
