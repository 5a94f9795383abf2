// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.Reply.LatchOutcome;
import io.boltwork.spi.Reply.Latched;
import io.boltwork.spi.ServerTime;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The rules of latches. Each method applies one command to the {@linkplain LatchRecord record} of a latch, as the
 * methods of {@link LockRules} do with that of a lock. Not thread-safe; one instance is for one command.
 *
 * @since 0.1.0
 */
public final class LatchRules {

    private final ServerTime server;
    private final long micros;
    private final BiConsumer<String, LatchOpened> publish;

    /**
     * Creates the rules for one command.
     *
     * @param server when and where the command is executed
     * @param micros the same moment in microseconds since the epoch
     * @param publish sends a message to a client, by its id
     */
    public LatchRules(ServerTime server, long micros, BiConsumer<String, LatchOpened> publish) {
        this.server = server;
        this.micros = micros;
        this.publish = publish;
    }

    /**
     * Sets the count.
     *
     * @param record the record of the latch
     * @param command the command
     * @return the reply
     */
    public Latched setCount(LatchRecord record, LatchCommand.SetCount command) {
        if (server.millis() > command.notAfter()) {
            return answer(record, LatchOutcome.STALE);
        }
        touch(record);
        if (record.setters.contains(command.id())) { // a repetition
            boolean isCurrent = command.id().equals(record.setters.peekLast());
            return answer(record, isCurrent ? LatchOutcome.DONE : LatchOutcome.OPEN);
        }
        boolean isLost = command.generation() > record.generation; // another server had it before this one took over
        if (!isLost && (record.count > 0 || command.generation() > 0)) {
            return answer(record, LatchOutcome.REFUSED);
        }
        if (record.generation > 0 && (record.count == 0 || record.generation == command.before())) {
            open(record, command.latch());
            rememberEnded(record, record.generation);
        } // else the current generation is lost, because the other server did not know it
        if (isLost && command.before() > 0) {
            rememberEnded(record, command.before());
        }
        record.counted.clear();
        record.generation = isLost ? command.generation() : Math.max(record.generation + 1, micros);
        record.setters.add(command.id());
        if (record.setters.size() > LatchRecord.SETTERS) {
            record.setters.remove();
        }
        record.count = command.count();
        return answer(record, LatchOutcome.DONE);
    }

    /** Remembers that a generation has ended. */
    private static void rememberEnded(LatchRecord record, long generation) {
        if (!record.ended.contains(generation)) {
            record.ended.add(generation);
            if (record.ended.size() > LatchRecord.REMEMBERED) {
                record.ended.remove();
            }
        }
    }

    /**
     * Counts down.
     *
     * @param record the record of the latch
     * @param command the command
     * @return the reply
     */
    public Latched countDown(LatchRecord record, LatchCommand.CountDown command) {
        if (server.millis() > command.notAfter()) {
            return answer(record, LatchOutcome.STALE);
        }
        if (record.generation == 0) {
            return answer(record, LatchOutcome.UNKNOWN);
        }
        touch(record);
        long meant = command.generation();
        if (meant > 0 && meant != record.generation) {
            return answer(record, record.ended.contains(meant) ? LatchOutcome.DONE : LatchOutcome.UNKNOWN);
        }
        if (record.generation > command.latest()) {
            return answer(record, LatchOutcome.OPEN); // the generation that was meant
        }
        if (record.count > 0 && record.counted.add(command.id())) {
            record.count--;
            if (record.count == 0) {
                open(record, command.latch());
            }
        }
        return answer(record, LatchOutcome.DONE);
    }

    /** Sets the count to zero, and tells all clients that wait. */
    private void open(LatchRecord record, String latch) {
        record.count = 0;
        record.counted.clear();
        List<String> told = List.copyOf(record.waiting);
        record.waiting.clear();
        for (String client : told) {
            publish.accept(client, new LatchOpened(latch, record.generation, server));
        }
    }

    /**
     * Answers whether a latch is open, and notes whether a client waits.
     *
     * @param record the record of the latch
     * @param command the command
     * @return the reply
     */
    public Latched await(LatchRecord record, LatchCommand.Await command) {
        LatchOutcome outcome = state(record, command.generation());
        boolean waits = command.waits() && outcome == LatchOutcome.CLOSED;
        if (!command.client().isEmpty()) {
            if (waits) {
                record.waiting.add(command.client());
            } else {
                record.waiting.remove(command.client());
            }
        }
        if (!record.isBlank()) {
            touch(record);
        }
        return answer(record, outcome);
    }

    private static LatchOutcome state(LatchRecord record, long generation) {
        if (generation > 0 && generation != record.generation) {
            return record.ended.contains(generation) ? LatchOutcome.OPEN : LatchOutcome.UNKNOWN;
        }
        return record.generation > 0 && record.count == 0 ? LatchOutcome.OPEN : LatchOutcome.CLOSED;
    }

    private void touch(LatchRecord record) {
        record.expiresAt = Math.max(record.expiresAt, server.millis() + IdleLife.LATCH_MILLIS);
    }

    private Latched answer(LatchRecord record, LatchOutcome outcome) {
        Long before = record.ended.peekLast();
        return new Latched(server, outcome, record.count, record.generation, before == null ? 0 : before);
    }
}
