// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.spi.Durations;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Settings;
import io.boltwork.spi.Utf8;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link LockClient}. Immutable.
 *
 * @since 0.1.0
 */
public final class ClientOptions {

    private static final ClientOptions DEFAULTS = new ClientOptions(new Values());

    private static final int LONGEST_APPLICATION = 200;

    /** The client looks for long holds and waits once a second. */
    private static final Duration SHORTEST_REPORTED = Duration.ofSeconds(1);

    private final Values values;

    private static final class Values extends Settings {
        String application = program();

        @Nullable
        Executor callbackExecutor;

        Duration slice = Duration.ofMillis(1);
        Duration outagePatience = Duration.ofSeconds(30);
        Duration shutdownTime = Duration.ofSeconds(5);
        Duration recallWait = Duration.ofMillis(20);

        @Nullable
        Duration longHold;

        @Nullable
        Duration longWait;
    }

    private ClientOptions(Values values) {
        this.values = values;
    }

    private ClientOptions with(Consumer<Values> change) {
        return new ClientOptions(Settings.changed(values, change));
    }

    /** Returns the first word of the command line, without directories: a main class or a jar. */
    private static String program() {
        String command = System.getProperty("sun.java.command", "");
        String first = command.isBlank() ? "java" : command.strip().split("\\s", 2)[0];
        return first.substring(first.lastIndexOf('/') + 1);
    }

    /**
     * Returns the default options: the application is named after its main class or jar, callbacks run on the client's
     * own threads, the slice is 1 ms, the outage patience 30 s, the shutdown time 5 s and the recall wait 20 ms. Long
     * holds and long waits are not reported.
     *
     * @return the defaults
     */
    public static ClientOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets the name of the application, which is shown by {@link LockInspector} to users who look for the holder of a
     * lock. The backend keeps it until the client is closed, and for up to one minute if the client dies. Default: the
     * main class or jar that the JVM was started with; {@code java} if it is not known.
     *
     * @param name a name such as {@code checkout}, 1 to 200 characters
     * @return options with that setting
     * @throws IllegalArgumentException if the name is blank, too long or not well-formed UTF-16
     */
    public ClientOptions withApplication(String name) {
        Objects.requireNonNull(name, "name");
        if (name.isBlank() || name.length() > LONGEST_APPLICATION) {
            throw new IllegalArgumentException("name must have 1 to " + LONGEST_APPLICATION
                    + " characters and not be blank, but has " + name.length() + ": '"
                    + Printable.text(name.substring(0, Math.min(40, name.length()))) + "'");
        }
        Utf8.length("name", name);
        return with(s -> s.application = name);
    }

    /**
     * Sets the executor for callbacks: listeners, and the stages that depend on {@link Lease#whenLost()} and on
     * asynchronous results. Callbacks of one lock run one after the other. They may block and use locks, so the
     * executor needs at least as many threads as there are callbacks that wait for each other. Its {@code execute}
     * method must not block. If it rejects a task, throws, or runs a task on the submitting thread
     * ({@code CallerRunsPolicy}), one of the client's own threads runs the task. Default: the client's own daemon
     * threads, created as needed.
     *
     * @param executor the executor; the client does not shut it down
     * @return options with that setting
     */
    public ClientOptions withCallbackExecutor(Executor executor) {
        return with(s -> s.callbackExecutor = Objects.requireNonNull(executor, "executor"));
    }

    /**
     * Sets for how long a client may hand a lock over from one of its threads to the next before other clients get it.
     * If four round trips take longer than the slice, it is extended to that time, up to 100 ms. A slice does not end
     * before eight owners have had the lock, unless half a second has passed. A longer slice gives more throughput on
     * one lock and longer waits in other clients. Default: 1 ms.
     *
     * @param slice 0 to 1 s
     * @return options with that setting
     * @throws IllegalArgumentException if the slice is out of that range
     */
    public ClientOptions withSlice(Duration slice) {
        Objects.requireNonNull(slice, "slice");
        if (slice.isNegative() || slice.compareTo(Duration.ofSeconds(1)) > 0) {
            throw new IllegalArgumentException("slice must be between 0 and 1 s, but is " + Durations.text(slice));
        }
        return with(s -> s.slice = slice);
    }

    /**
     * Sets how long a call without a time limit ({@code lock()}, {@code acquire()}) keeps waiting while the backend
     * gives no answer. After that the call throws {@link BackendException}. The time counts for each lock, from the
     * first command for that lock that got no answer. A caller that waits for another client asks the backend as soon
     * as the connection is lost. For a caller that waits for another thread of this client, the time counts from the
     * moment at which that thread releases the lock. If this client itself stood still, at most the command timeout of
     * that time counts. Default: 30 s.
     *
     * @param patience 0 to 365 days; fractions of a millisecond are dropped
     * @return options with that setting
     * @throws IllegalArgumentException if the patience is out of that range
     */
    public ClientOptions withOutagePatience(Duration patience) {
        return with(
                s -> s.outagePatience = Durations.between("patience", patience, Duration.ZERO, Duration.ofDays(365)));
    }

    /**
     * Sets how long {@link LockClient#close()} may take to release everything. Default: 5 s.
     *
     * @param time 0 to 1 h; fractions of a millisecond are dropped
     * @return options with that setting
     * @throws IllegalArgumentException if the time is out of that range
     */
    public ClientOptions withShutdownTime(Duration time) {
        return with(s -> s.shutdownTime = Durations.between("time", time, Duration.ZERO, Duration.ofHours(1)));
    }

    /**
     * Sets how long a {@link FencedLock#tryLock() tryLock()} waits if only a
     * {@linkplain LockOptions#withRetention retained} lock is in its way: its client gives it back on a message, unless
     * it is in use. Default: 20 ms.
     *
     * @param time 0 to 1 s; fractions of a millisecond are dropped
     * @return options with that setting
     * @throws IllegalArgumentException if the time is out of that range
     */
    public ClientOptions withRecallWait(Duration time) {
        return with(s -> s.recallWait = Durations.between("recallWait", time, Duration.ZERO, Duration.ofSeconds(1)));
    }

    /**
     * Sets how long a hold may last before it is reported: once, to {@link LockListener#longHold}, and to the log with
     * the stack of its thread. The hold itself is not affected. It is reported within a second of that time, or within
     * an eighth of it if that is longer. Default: holds are not reported.
     *
     * @param time 1 s to 365 days; fractions of a millisecond are dropped
     * @return options with that setting
     * @throws IllegalArgumentException if the time is out of that range
     */
    public ClientOptions withLongHold(Duration time) {
        return with(s -> s.longHold = Durations.between("longHold", time, SHORTEST_REPORTED, Duration.ofDays(365)));
    }

    /**
     * Sets how long a caller may wait for a lock before its wait is reported: once, to {@link LockListener#longWait},
     * and to the log with the stack of its thread. The wait itself is not affected. It is reported within a second of
     * that time. Waits for latches are not reported. Default: waits are not reported.
     *
     * @param time 1 s to 365 days; fractions of a millisecond are dropped
     * @return options with that setting
     * @throws IllegalArgumentException if the time is out of that range
     */
    public ClientOptions withLongWait(Duration time) {
        return with(s -> s.longWait = Durations.between("longWait", time, SHORTEST_REPORTED, Duration.ofDays(365)));
    }

    /**
     * Returns the name of the application, see {@link #withApplication}.
     *
     * @return the name
     */
    public String application() {
        return values.application;
    }

    /**
     * Returns the executor for callbacks, see {@link #withCallbackExecutor}.
     *
     * @return the executor; {@code null} for threads of the client
     */
    @Nullable
    public Executor callbackExecutor() {
        return values.callbackExecutor;
    }

    /**
     * Returns for how long a lock is handed over inside the client, see {@link #withSlice}.
     *
     * @return the duration
     */
    public Duration slice() {
        return values.slice;
    }

    /**
     * Returns how long calls without a time limit wait in an outage, see {@link #withOutagePatience}.
     *
     * @return the duration
     */
    public Duration outagePatience() {
        return values.outagePatience;
    }

    /**
     * Returns how long closing the client may take, see {@link #withShutdownTime}.
     *
     * @return the duration
     */
    public Duration shutdownTime() {
        return values.shutdownTime;
    }

    /**
     * Returns how long a {@code tryLock()} waits for a retained lock, see {@link #withRecallWait}.
     *
     * @return the duration
     */
    public Duration recallWait() {
        return values.recallWait;
    }

    /**
     * Returns how long a hold may last before it is reported, see {@link #withLongHold}.
     *
     * @return the duration; empty if holds are not reported
     */
    public Optional<Duration> longHold() {
        return Optional.ofNullable(values.longHold);
    }

    /**
     * Returns how long a caller may wait before its wait is reported, see {@link #withLongWait}.
     *
     * @return the duration; empty if waits are not reported
     */
    public Optional<Duration> longWait() {
        return Optional.ofNullable(values.longWait);
    }

    @Override
    public String toString() {
        Values s = values;
        return "application " + Printable.text(s.application) + ", slice " + s.slice.toNanos() / 1_000
                + " µs, outage patience " + Durations.text(s.outagePatience) + ", shutdown time "
                + Durations.text(s.shutdownTime) + ", recall wait " + Durations.text(s.recallWait)
                + (s.longHold == null ? "" : ", long hold " + Durations.text(s.longHold))
                + (s.longWait == null ? "" : ", long wait " + Durations.text(s.longWait));
    }
}
