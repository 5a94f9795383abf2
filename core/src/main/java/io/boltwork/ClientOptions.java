package io.boltwork;

import io.boltwork.spi.Printable;
import io.boltwork.spi.Utf8;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link LockClient}. Immutable. */
public final class ClientOptions {

    private static final ClientOptions DEFAULTS =
            new ClientOptions(program(), null, Duration.ofMillis(1), Duration.ofSeconds(30), Duration.ofSeconds(5));

    private static final int LONGEST_APPLICATION = 200;

    private final String application;
    private final @Nullable Executor callbackExecutor;
    private final Duration slice;
    private final Duration outagePatience;
    private final Duration shutdownTime;

    private ClientOptions(
            String application,
            @Nullable Executor callbackExecutor,
            Duration slice,
            Duration outagePatience,
            Duration shutdownTime) {
        this.application = application;
        this.callbackExecutor = callbackExecutor;
        this.slice = slice;
        this.outagePatience = outagePatience;
        this.shutdownTime = shutdownTime;
    }

    /** The first word of the command line: a main class, or a jar. */
    private static String program() {
        String command = System.getProperty("sun.java.command", "");
        String first = command.isBlank() ? "java" : command.strip().split("\\s", 2)[0];
        return first.substring(first.lastIndexOf('/') + 1);
    }

    /**
     * The application named after its main class or jar, threads of the client's own for callbacks, slice 1 ms, outage patience 30 s, shutdown time 5 s.
     *
     * @return the defaults
     */
    public static ClientOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets what people see who ask who holds a lock. The backend keeps it until the client is closed, and for up to a minute if
     * the client dies. Default:
     * the main class or jar that the JVM was started with, {@code java} if it is not known.
     *
     * @param name such as {@code checkout}, 1 to 200 characters
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
        return new ClientOptions(name, callbackExecutor, slice, outagePatience, shutdownTime);
    }

    /**
     * Sets who runs callbacks: listeners, and what is chained to {@link Lease#whenLost()} and to asynchronous
     * results. Callbacks of one
     * lock run one after the other; they may block and use locks, so the executor must not be bounded to fewer threads than
     * wait for each other. If it refuses, throws, or runs a task on the thread that hands it over ({@code CallerRunsPolicy}), a
     * thread of the client's own runs the task. Its {@code execute} must not block. Default: daemon threads of the client's own, made as needed.
     *
     * @param executor who runs them; the client does not shut it down
     * @return options with that setting
     */
    public ClientOptions withCallbackExecutor(Executor executor) {
        return new ClientOptions(
                application, Objects.requireNonNull(executor, "executor"), slice, outagePatience, shutdownTime);
    }

    /**
     * Sets for how long a client may pass a lock from one of its threads to the next before it lets other clients have it.
     * A slice is never shorter than several round trips, and never ends before eight owners have had the lock within half a
     * second. Longer slices mean more throughput of one lock and longer waits in other clients. Default: 1 ms.
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
        return new ClientOptions(application, callbackExecutor, slice, outagePatience, shutdownTime);
    }

    /**
     * Sets how long a call without a time limit ({@code lock()}, {@code acquire()}) goes on waiting while the backend gives
     * no answer; then it throws {@link BackendException}. It counts for each lock, from the first command about it that got no
     * answer; who waits for another client asks at once when the connection is lost, who waits for a thread of this client
     * counts from when that thread gives the lock back. Default: 30 s.
     *
     * @param patience 0 to 365 days
     * @return options with that setting
     * @throws IllegalArgumentException if the patience is out of that range
     */
    public ClientOptions withOutagePatience(Duration patience) {
        return new ClientOptions(
                application,
                callbackExecutor,
                slice,
                Durations.between("patience", patience, Duration.ZERO, Duration.ofDays(365)),
                shutdownTime);
    }

    /**
     * Sets how long {@link LockClient#close()} may take to give everything back. Default: 5 s.
     *
     * @param time 0 to 1 h
     * @return options with that setting
     * @throws IllegalArgumentException if the time is out of that range
     */
    public ClientOptions withShutdownTime(Duration time) {
        return new ClientOptions(
                application,
                callbackExecutor,
                slice,
                outagePatience,
                Durations.between("time", time, Duration.ZERO, Duration.ofHours(1)));
    }

    String application() {
        return application;
    }

    @Nullable
    Executor callbackExecutor() {
        return callbackExecutor;
    }

    Duration slice() {
        return slice;
    }

    Duration outagePatience() {
        return outagePatience;
    }

    Duration shutdownTime() {
        return shutdownTime;
    }

    @Override
    public String toString() {
        return "application " + Printable.text(application) + ", slice " + slice.toNanos() / 1_000
                + " µs, outage patience " + Durations.text(outagePatience) + ", shutdown time "
                + Durations.text(shutdownTime);
    }
}
