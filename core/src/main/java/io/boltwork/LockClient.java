package io.boltwork;

import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Utf8;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;

/**
 * Where locks come from. A client has a backend of its own, renews the leases of all its locks, and gives everything back when
 * it is closed. Usually there is one for each application. Thread-safe.
 *
 * <!-- snippet: ClassExamples.java#LockClient -->
 * <pre>{@code
 * try (LockClient locks = LockClient.create(RedisBackend.connect("redis://localhost:6379"))) {
 *     FencedLock stock = locks.lock("stock:1001");
 * }
 * }</pre>
 */
public final class LockClient implements AutoCloseable {

    private static final int LONGEST_NAME = 1_024;

    private final Engine engine;

    LockClient(Engine engine) {
        this.engine = engine;
    }

    /**
     * Makes a client with {@linkplain ClientOptions#defaults() default options}.
     *
     * @param backend where leases are kept; it belongs to this client, which closes it
     * @return a client
     * @throws BackendException if the backend cannot be reached
     * @throws IllegalStateException if the backend belongs to another client
     */
    public static LockClient create(LockBackend backend) {
        return create(backend, ClientOptions.defaults());
    }

    /**
     * Makes a client.
     *
     * @param backend where leases are kept; it belongs to this client, which closes it
     * @param options settings
     * @return a client
     * @throws BackendException if the backend cannot be reached
     * @throws IllegalStateException if the backend belongs to another client
     */
    public static LockClient create(LockBackend backend, ClientOptions options) {
        Objects.requireNonNull(backend, "backend");
        Objects.requireNonNull(options, "options");
        return new LockClient(Engine.open(backend, options));
    }

    /**
     * The lock of that name, with {@linkplain LockOptions#defaults() default options}. No round trip; a name that is not used
     * costs nothing.
     *
     * @param name 1 to 1,024 bytes in UTF-8; any characters, but no unpaired surrogate
     * @return the lock
     * @throws IllegalArgumentException if the name is empty, too long or not well-formed
     */
    public FencedLock lock(String name) {
        return lock(name, LockOptions.defaults());
    }

    /**
     * The lock of that name. No round trip; a name that is not used costs nothing.
     *
     * @param name 1 to 1,024 bytes in UTF-8; any characters, but no unpaired surrogate
     * @param options how it is held
     * @return the lock
     * @throws IllegalArgumentException if the name is empty, too long or not well-formed
     */
    public FencedLock lock(String name, LockOptions options) {
        checkName(name);
        return new EngineLock(engine, name, Objects.requireNonNull(options, "options"));
    }

    /**
     * A look at the backend: which locks there are, who holds them and who waits. No round trip by itself.
     *
     * @return an inspector
     */
    public LockInspector inspector() {
        return new LockInspector(engine);
    }

    /**
     * How this client and its backend are: whether each server is reachable, in which role, how long it takes to answer, its
     * version; how many locks are held and waited for, and whether renewals are late. One round trip to each server, all at
     * once; blocks until they have answered, for the command timeout as a rule (2 s by default) and twice that at most. What cannot be reached is in
     * the answer and no exception.
     *
     * @return how they are just now
     * @throws ClientClosedException if this client is closed
     */
    public ClientHealth health() {
        return engine.health();
    }

    /**
     * About how many callers of this client wait for a lock just now, for a gauge: a lock that is busy at this moment may be left
     * out. No round trip; does not block.
     *
     * @return the count, 0 if this client is closed
     */
    public int waiting() {
        return engine.waiting();
    }

    /**
     * Returns about how many locks this client holds, for a gauge: a lock that is busy at this moment may be left out. No round
     * trip; does not block.
     *
     * @return the count, 0 if this client is closed
     */
    public int held() {
        return engine.held();
    }

    /**
     * Returns by how much the renewal that is most overdue is late, for a gauge, as in {@link ClientHealth#renewalLag}. No round
     * trip; does not block.
     *
     * @return the time, 0 if no renewal is late
     */
    public Duration renewalLag() {
        return Duration.ofNanos(engine.renewalLag());
    }

    /**
     * Returns whether this client is connected to all servers that keep its locks, for a gauge. No round trip; does not block.
     *
     * @return {@code false} during an outage, and if this client is closed
     */
    public boolean isConnected() {
        return engine.isConnected();
    }

    /**
     * Tells a listener from now on what happens to this client's locks. A listener that is added twice is told twice.
     *
     * @param listener who is told, on the client's callback executor
     */
    public void addListener(LockListener listener) {
        engine.listen(Objects.requireNonNull(listener, "listener"));
    }

    /**
     * The same on an executor of the listener's own, for one that is quick and hears much. {@code Runnable::run} tells it on the
     * thread on which the event happens, with no other thread to wake: a caller's, or one that answers of the backend come in
     * on. There it must neither block nor wait for a lock, since that lock, or all of them, would stand still. Events of one
     * lock are handed over one after the other, in their order; what comes of that on several threads is the executor's affair.
     * If the executor refuses, or throws anything else, the client's callback executor is taken.
     *
     * @param listener who is told
     * @param executor where
     */
    public void addListener(LockListener listener, Executor executor) {
        engine.listen(Objects.requireNonNull(listener, "listener"), Objects.requireNonNull(executor, "executor"));
    }

    /**
     * Tells a listener nothing more; an event that is being told may still arrive. Does nothing if it was not added.
     *
     * @param listener who was told
     */
    public void removeListener(LockListener listener) {
        engine.listeners.remove(Objects.requireNonNull(listener, "listener"));
    }

    /**
     * Ends everything within the client's shutdown time (5 s by default): who waits gets {@link ClientClosedException}, holders
     * are told ({@link LeaseLoss.Reason#CLOSED}), holds are released; what the backend does not answer in time ends with its
     * lease. A later {@code unlock()} or {@code release()} of such a hold throws {@link LeaseLostException}, once for each level:
     * what was done under it may not have been protected to its end. Closing twice does nothing.
     */
    @Override
    public void close() {
        engine.close();
    }

    static void checkName(String name) {
        Objects.requireNonNull(name, "name");
        if (name.isEmpty()) {
            throw new IllegalArgumentException(
                    "name must not be empty; name what the lock protects, such as 'stock:1001'");
        }
        int bytes = Utf8.length("name", name);
        if (bytes > LONGEST_NAME) {
            throw new IllegalArgumentException("name must be at most " + LONGEST_NAME + " bytes in UTF-8, but has "
                    + bytes + ": '" + Printable.text(name.substring(0, 40)) + "…'; use a hash of the long part");
        }
    }

    @Override
    public String toString() {
        return "LockClient[" + engine + "]";
    }
}
