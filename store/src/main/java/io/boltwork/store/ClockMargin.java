// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Command;

/**
 * Makes leases safe at a store whose time is uncertain: the true time is at most that much later than the time at which
 * the rules run and that clients are told.
 *
 * <p>A lease begins for its holder when its command is sent, before the clock is read. So it ends, by the true clock,
 * at most the margin later than by the time that was read, and the lock stays closed for as much longer: the margin is
 * added to the takeover delay. The same covers a grant by message. Its owner counts the claim from the difference
 * between the grant's time and the time in its own last answer; the former is no later than the truth, the latter at
 * most the margin earlier, and the delay in the queue entry is the owner's.
 *
 * <p>A not-after may pass late by the margin. It only spares work here: a command that was given up cannot be executed
 * after the one that followed it, because the later one has changed the version.
 *
 * @param millis the margin; with 0, all commands are what they were
 */
record ClockMargin(long millis) {

    Command.Acquire of(Command.Acquire command) {
        return millis == 0
                ? command
                : new Command.Acquire(
                        command.lock(),
                        command.request(),
                        command.queue(),
                        command.leaseMillis(),
                        command.takeoverMillis() + millis,
                        command.notAfter(),
                        command.share(),
                        command.condition());
    }

    Command.Release of(Command.Release command) {
        Command.Acquire next = command.next();
        return millis == 0 || next == null
                ? command
                : new Command.Release(
                        command.lock(),
                        command.request(),
                        command.firstToken(),
                        command.lastToken(),
                        command.keepMillis(),
                        of(next),
                        command.held(),
                        command.signals());
    }

    Command.Replicate of(Command.Replicate command) {
        Command.Renew.Item item = command.item();
        boolean extendsLease = item.leaseMillis() + item.takeoverMillis() > 0;
        return millis == 0
                ? command
                : new Command.Replicate(
                        new Command.Renew.Item(
                                item.lock(),
                                item.request(),
                                item.firstToken(),
                                item.leaseMillis(),
                                item.takeoverMillis() + (extendsLease ? millis : 0),
                                item.share()),
                        command.copies(),
                        command.onDisk(),
                        command.withinMillis(),
                        command.notAfter());
    }

    Command.Restore of(Command.Restore command) {
        return millis == 0
                ? command
                : new Command.Restore(
                        command.lock(),
                        command.request(),
                        command.firstToken(),
                        command.leaseMillis(),
                        command.takeoverMillis() + millis,
                        command.notAfter(),
                        command.held());
    }
}
