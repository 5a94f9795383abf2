// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * Distinguishes the kinds of commands. A new kind of command adds a method, so that no visitor can forget it.
 *
 * @param <T> the type of the result
 * @since 0.1.0
 */
public interface CommandVisitor<T> {
    /**
     * Returns the result for a command of the kind {@link Command.Acquire}.
     *
     * @param command the command
     * @return the result
     */
    T acquire(Command.Acquire command);

    /**
     * Returns the result for a command of the kind {@link Command.Release}.
     *
     * @param command the command
     * @return the result
     */
    T release(Command.Release command);

    /**
     * Returns the result for a command of the kind {@link Command.Withdraw}.
     *
     * @param command the command
     * @return the result
     */
    T withdraw(Command.Withdraw command);

    /**
     * Returns the result for a command of the kind {@link Command.Renew}.
     *
     * @param command the command
     * @return the result
     */
    T renew(Command.Renew command);

    /**
     * Returns the result for a command of the kind {@link Command.Replicate}.
     *
     * @param command the command
     * @return the result
     */
    T replicate(Command.Replicate command);

    /**
     * Returns the result for a command of the kind {@link Command.Restore}.
     *
     * @param command the command
     * @return the result
     */
    T restore(Command.Restore command);

    /**
     * Handles the kind {@link Query.Inspect}.
     *
     * @param command the command
     * @return the result
     */
    T inspect(Query.Inspect command);

    /**
     * Returns the result for a command of the kind {@link ForceRelease}.
     *
     * @param command the command
     * @return the result
     */
    T forceRelease(ForceRelease command);

    /**
     * Returns the result for a command of the kind {@link Resize}.
     *
     * @param command the command
     * @return the result
     */
    T resize(Resize command);

    /**
     * Returns the result for a command of the kind {@link Announce}.
     *
     * @param command the command
     * @return the result
     */
    T announce(Announce command);

    /**
     * Handles the kind {@link Query.Identify}.
     *
     * @param command the command
     * @return the result
     */
    T identify(Query.Identify command);

    /**
     * Handles the kind {@link Query.ScanLocks}.
     *
     * @param command the command
     * @return the result
     */
    T scanLocks(Query.ScanLocks command);

    /**
     * Handles the kind {@link Query.ScanClients}.
     *
     * @param command the command
     * @return the result
     */
    T scanClients(Query.ScanClients command);

    /**
     * Returns the result for a command of the kind {@link LatchCommand.SetCount}.
     *
     * @param command the command
     * @return the result
     */
    T setCount(LatchCommand.SetCount command);

    /**
     * Returns the result for a command of the kind {@link LatchCommand.CountDown}.
     *
     * @param command the command
     * @return the result
     */
    T countDown(LatchCommand.CountDown command);

    /**
     * Returns the result for a command of the kind {@link LatchCommand.Await}.
     *
     * @param command the command
     * @return the result
     */
    T await(LatchCommand.Await command);

    /**
     * Returns the result for a command of the kind {@link VoteCommand.Vote}.
     *
     * @param command the command
     * @return the result
     */
    T vote(VoteCommand.Vote command);

    /**
     * Returns the result for a command of the kind {@link VoteCommand.Raise}.
     *
     * @param command the command
     * @return the result
     */
    T raise(VoteCommand.Raise command);

    /**
     * Returns the result for a command of the kind {@link VoteCommand.GiveBack}.
     *
     * @param command the command
     * @return the result
     */
    T giveBack(VoteCommand.GiveBack command);

    /**
     * Returns the result for a command of the kind {@link Witness}.
     *
     * @param command the command
     * @return the result
     */
    T witness(Witness command);
}
