// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * Distinguishes the kinds of commands. A new kind of command adds a method, so that no visitor can forget it.
 *
 * <p>Three groups of commands have one method each: queries, commands about latches, and votes. A visitor that
 * distinguishes them implements {@link Query.QueryVisitor}, {@link LatchCommand.LatchVisitor} or
 * {@link VoteCommand.VoteVisitor} instead. A visitor of the commands of a lock's machine alone is a
 * {@link Command.RequestVisitor}.
 *
 * <p>A visitor that executes commands has the results of type {@link Reply.Answer}. Each of its methods narrows that
 * type to the answer of its command, such as {@link Reply.Acquired} for {@link Command.Acquire}.
 *
 * @param <T> the type of the result
 * @since 0.1.0
 */
public interface CommandVisitor<T> extends Command.RequestVisitor<T> {
    /**
     * Releases a lock by force.
     *
     * @param command the command
     * @return the result
     */
    T forceRelease(ForceRelease command);

    /**
     * Sets the capacity of a lock.
     *
     * @param command the command
     * @return the result
     */
    T resize(Resize command);

    /**
     * Keeps, replaces or removes a client's record.
     *
     * @param command the command
     * @return the result
     */
    T announce(Announce command);

    /**
     * Reads locks or clients.
     *
     * @param command the command
     * @return the result
     */
    T anyQuery(Query<?> command);

    /**
     * Changes or reads a latch.
     *
     * @param command the command
     * @return the result
     */
    T anyLatch(LatchCommand command);

    /**
     * Takes part in the votes of a quorum.
     *
     * @param command the command
     * @return the result
     */
    T anyVote(VoteCommand<?> command);
}
