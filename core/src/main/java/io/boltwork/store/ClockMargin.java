package io.boltwork.store;

import io.boltwork.spi.Command;
import io.boltwork.spi.LatchCommand;

/**
 * Makes commands safe at a store whose time is uncertain: the true time is at most that much later than the time at which the
 * rules run and that clients are told.
 *
 * <p>A lease begins for its holder when its command is sent, before the clock is read. So it ends, by the true clock, at most the
 * margin later than by the time that was read, and the lock stays closed for as much longer: the margin is added to the
 * takeover delay. The same covers a grant by message. Its owner counts the claim from the difference between the grant's time
 * and the time in its own last answer; the former is no later than the truth, the latter at most the margin earlier, and the
 * delay in the queue entry is the owner's. A not-after that the client has calculated from the time it was told has passed when
 * the latest time has, so it comes earlier by the margin.
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
                        of(command.notAfter()),
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
                        of(command.notAfter()));
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
                        of(command.notAfter()),
                        command.held());
    }

    LatchCommand.SetCount of(LatchCommand.SetCount command) {
        return millis == 0
                ? command
                : new LatchCommand.SetCount(
                        command.latch(),
                        command.id(),
                        command.count(),
                        command.generation(),
                        command.before(),
                        of(command.notAfter()));
    }

    LatchCommand.CountDown of(LatchCommand.CountDown command) {
        return millis == 0
                ? command
                : new LatchCommand.CountDown(
                        command.latch(), command.id(), command.generation(), command.latest(), of(command.notAfter()));
    }

    /** Returns the time told to the client at which a not-after may have passed by the true clock. */
    long of(long notAfter) {
        return notAfter == Long.MAX_VALUE ? notAfter : notAfter - millis;
    }
}
