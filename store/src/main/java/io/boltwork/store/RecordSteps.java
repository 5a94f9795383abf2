// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.BackendException;
import io.boltwork.spi.rules.StoredRecord;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Changes records of a store: reads a record, applies a rule, and writes the record if it is unchanged, until that
 * succeeds. No step holds a lock of the store, so a client that stops between reading and writing delays no other.
 * Thread-safe.
 */
final class RecordSteps {

    /** The most requests that wait for one lock: each change writes them all. */
    static final int MOST_WAITING = 1_000;

    /** About a round trip to a store nearby: the other client has written by then. */
    private static final long SHORTEST_PAUSE = TimeUnit.MICROSECONDS.toNanos(200);
    /** Short beside the command timeout, so that a step is repeated often before it fails. */
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

    private final RecordStore store;
    private final long idleMillis;
    private final LongAdder conflicts = new LongAdder();

    private final OwnClient self;

    /** Takes the messages to the own client. */
    interface OwnClient {
        /** Delivers a message to the own client. */
        void deliver(String message);

        /** Returns whether a client is the own one. */
        boolean isSelf(String client);
    }

    /**
     * The change that a command makes to a record.
     *
     * @param notAfter the time of the store's clock after which nothing may be written; {@link Long#MAX_VALUE} for none
     * @param always whether the record is written even if it does not change, so that a late write that was based on it
     *     fails
     * @param rule changes the record and returns the answer
     * @param waits returns whether the answer lets a request of this client wait
     */
    record Step<R, A>(long notAfter, boolean always, BiFunction<StepContext, R, A> rule, Predicate<A> waits) {}

    RecordSteps(RecordStore store, OwnClient self) {
        this.store = store;
        this.self = self;
        this.idleMillis = store.idleLife().toMillis();
    }

    /** Returns how many writes have failed because another client had changed the record. */
    long conflicts() {
        return conflicts.sum();
    }

    long idleMillis() {
        return idleMillis;
    }

    /**
     * Makes a step.
     *
     * @param found the record if it has just been read, otherwise {@code null}
     * @param attempt is told before each write that may have been made when it fails
     */
    <R extends StoredRecord<R>, A> A run(
            RecordKey key, RecordFormat<R> format, Step<R, A> step, @Nullable StoredText found, WriteAttempt attempt) {
        long begun = System.nanoTime();
        StoredText before = found == null ? store.recall(key) : found;
        for (int attempts = 1; ; attempts++) {
            StepContext context = context(before.clock());
            R record = format.of(key, before);
            A answer = step.rule().apply(context, record);
            record.forgetPast(context.server.millis()); // a short form needs a record of one line
            String after = record.text();
            if (isSame(record, before, after) && !step.always()) {
                if (store.isCurrent(key, before)) {
                    return answer;
                }
            } else {
                checkQueue(key, format.waiting().applyAsInt(record));
                if (step.waits().test(answer)) {
                    store.beforeWaiting();
                }
                attempt.begin();
                RecordChange change = change(context, record, after, step.notAfter());
                if (store.write(key, before, change, context.messages(client -> !self.isSelf(client)))) {
                    context.messages(self::isSelf).forEach(message -> self.deliver(message.text()));
                    return answer;
                }
                attempt.failed();
            }
            conflicts.increment();
            pause(key, begun, attempts);
            before = attempts == 1 ? store.recall(key) : store.read(key); // a store forgets what it recalls
        }
    }

    private static <R extends StoredRecord<R>> boolean isSame(R record, StoredText before, String after) {
        return record.isBlank()
                ? before.text() == null
                : after.equals(before.text()) && before.delayMillis().isEmpty();
    }

    /** Returns the rules at a time of the store's clock. */
    StepContext context(StoreClock clock) {
        return new StepContext(clock, idleMillis, this::isListening);
    }

    private <R extends StoredRecord<R>> RecordChange change(StepContext context, R record, String text, long notAfter) {
        long now = context.server.millis();
        long expiresAt = Math.max(record.expiresAt(), now + idleMillis);
        return new RecordChange(text, expiresAt, now > notAfter ? Long.MAX_VALUE : notAfter);
    }

    private boolean isListening(String client) {
        return self.isSelf(client) || store.listens(client);
    }

    private static void checkQueue(RecordKey key, int waiting) {
        if (waiting > MOST_WAITING) {
            throw new BackendException(
                    key + " has " + MOST_WAITING + " waiting requests, the most that a store keeps for one lock."
                            + " The request was not queued",
                    true,
                    null);
        }
    }

    private void pause(RecordKey key, long begun, int attempts) {
        long timeout = store.commandTimeout().toNanos();
        if (System.nanoTime() - begun > timeout) {
            throw new BackendException(
                    "The record of " + key + " was changed by other clients " + attempts + " times within "
                            + store.commandTimeout().toMillis() + " ms, and the command was not executed",
                    true,
                    null);
        }
        long most = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE << Math.min(attempts, 10));
        LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(most));
    }

    /** Remembers whether a failed command may have changed something. Not thread-safe. */
    static final class WriteAttempt {
        private boolean written;
        private boolean underWay;

        /** Marks a write as under way, just before it is made. */
        void begin() {
            written |= underWay;
            underWay = true;
        }

        /** Clears the mark of a write that was not made and never will be. */
        void failed() {
            underWay = false;
        }

        boolean mayHaveChanged() {
            return written || underWay;
        }
    }
}
