// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static io.boltwork.spi.PrintableLog.LOG;

import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Decides whether a short form is used. A short form that the database refuses, for whatever reason, must not stop a
 * command that has a long form, so it is left out for a minute. Thread-safe.
 */
final class ShortFormSwitch {
    /** A refusal that passes costs little, and one that lasts costs one statement more each minute. */
    private static final long PAUSE = TimeUnit.MINUTES.toNanos(1);

    private final String command;
    private final SqlFailures failures;
    private final LongSupplier clock;
    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile long refusedAt;

    /** A short form, or the condition for one. */
    @FunctionalInterface
    interface SqlForm<T> {
        T attempt() throws SQLException;
    }

    /**
     * Creates a switch.
     *
     * @param command what the short form does, for the log
     * @param failures knows what errors mean
     * @param clock a monotonic clock, in nanoseconds
     */
    ShortFormSwitch(String command, SqlFailures failures, LongSupplier clock) {
        this.command = command;
        this.failures = failures;
        this.clock = clock;
        this.refusedAt = clock.getAsLong() - PAUSE - 1;
    }

    /** Returns whether to try the short form. */
    boolean isOn() {
        return clock.getAsLong() - refusedAt > PAUSE;
    }

    /**
     * Tries a short form. One that fails has changed nothing, unless the connection broke.
     *
     * @param otherwise the result if the long form has to follow
     */
    <T> T attempt(T otherwise, SqlForm<T> form) throws SQLException {
        try {
            return form.attempt();
        } catch (SQLException failure) {
            if (SqlFailures.isConflict(failure)) {
                return otherwise;
            }
            if (!failures.isRefusal(failure)) {
                throw failure;
            }
            refusedAt = clock.getAsLong();
            if (warned.compareAndSet(false, true)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "The database refuses the statement that {0}, so more statements are used: {1}",
                        command,
                        SqlFailures.told(failure));
            }
            return otherwise;
        }
    }
}
