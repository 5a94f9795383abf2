// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * Executes each kind of command in one step, and returns its answer, as a backend whose data is in memory can.
 *
 * @since 0.1.0
 */
public interface CommandExecutor {
    /**
     * Grants a lock to a request, or queues or refuses the request.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Acquired acquire(Command.Acquire command);

    /**
     * Releases a lock.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Released release(Command.Release command);

    /**
     * Withdraws a request.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Withdrawn withdraw(Command.Withdraw command);

    /**
     * Renews leases.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Renewed renew(Command.Renew command);

    /**
     * Extends a lease and counts the copies of it.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Replicated replicate(Command.Replicate command);

    /**
     * Restores a hold that the backend has forgotten.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Restored restore(Command.Restore command);

    /**
     * Describes a lock.
     *
     * @param command the command
     * @return the answer
     */
    QueryReply.Inspected inspect(Query.Inspect command);

    /**
     * Releases a lock by force.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Forced forceRelease(ForceRelease command);

    /**
     * Sets the capacity of a lock.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Resized resize(Resize command);

    /**
     * Keeps, replaces or removes a client's record.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Announced announce(Announce command);

    /**
     * Finds the records of clients.
     *
     * @param command the command
     * @return the answer
     */
    QueryReply.Identified identify(Query.Identify command);

    /**
     * Lists locks, page by page.
     *
     * @param command the command
     * @return the answer
     */
    QueryReply.ScannedLocks scanLocks(Query.ScanLocks command);

    /**
     * Lists clients, page by page.
     *
     * @param command the command
     * @return the answer
     */
    QueryReply.ScannedClients scanClients(Query.ScanClients command);

    /**
     * Sets the count of a latch.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Latched setCount(LatchCommand.SetCount command);

    /**
     * Counts a latch down.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Latched countDown(LatchCommand.CountDown command);

    /**
     * Answers whether a latch is open.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Latched await(LatchCommand.Await command);

    /**
     * Votes for a request, or refuses to.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Acquired vote(VoteCommand.Vote command);

    /**
     * Raises the fence of a vote that stands.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Raised raise(VoteCommand.Raise command);

    /**
     * Takes a vote back from a request.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Released giveBack(VoteCommand.GiveBack command);

    /**
     * Keeps the longest time for which a run of the server is known to have been up.
     *
     * @param command the command
     * @return the answer
     */
    Reply.Witnessed witness(Witness command);
}
