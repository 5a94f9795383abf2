// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.engine.Engine;
import io.boltwork.engine.locks.EngineLatch;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.EngineReadWriteLock;
import io.boltwork.engine.locks.EngineSemaphore;
import io.boltwork.engine.locks.multi.EngineMultiLock;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Durations;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Utf8;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;

/**
 * The entry point: creates locks by name. A client owns its backend, renews the leases of all its locks, and releases
 * them when it is closed. An application usually has one client. Thread-safe.
 *
 * <!-- snippet: ClassExamples.java#LockClient -->
 * <pre>{@code
 * try (LockClient locks = LockClient.create(RedisBackend.connect("redis://localhost:6379"))) {
 *     FencedLock stock = locks.lock("stock:1001");
 * }
 * }</pre>
 *
 * @since 0.1.0
 */
public final class LockClient implements AutoCloseable {

    private static final int LONGEST_NAME = 1_024;

    private final Engine engine;

    LockClient(Engine engine) {
        this.engine = engine;
    }

    /**
     * Creates a client with {@linkplain ClientOptions#defaults() default options}. Blocks until the backend is
     * connected.
     *
     * @param backend the backend where leases are kept; it belongs to this client, which closes it
     * @return a new client
     * @throws BackendException if the backend cannot be reached or refuses the client; the backend has been closed
     * @throws IllegalStateException if the backend belongs to another client
     */
    public static LockClient create(LockBackend backend) {
        return create(backend, ClientOptions.defaults());
    }

    /**
     * Creates a client. Blocks until the backend is connected.
     *
     * @param backend the backend where leases are kept; it belongs to this client, which closes it
     * @param options the settings
     * @return a new client
     * @throws BackendException if the backend cannot be reached or refuses the client; the backend has been closed
     * @throws IllegalStateException if the backend belongs to another client
     */
    public static LockClient create(LockBackend backend, ClientOptions options) {
        Objects.requireNonNull(backend, "backend");
        Objects.requireNonNull(options, "options");
        return new LockClient(Engine.open(backend, options));
    }

    /**
     * Returns the lock of a name, with {@linkplain LockOptions#defaults() default options}. No round trip; a lock that
     * is not in use takes no memory.
     *
     * @param name 1 to 1,024 bytes in UTF-8; any characters except unpaired surrogates
     * @return the lock
     * @throws InvalidNameException if the name is empty, too long or not well-formed
     */
    public FencedLock lock(String name) {
        return lock(name, LockOptions.defaults());
    }

    /**
     * Returns the lock of a name. No round trip; a lock that is not in use takes no memory.
     *
     * @param name 1 to 1,024 bytes in UTF-8; any characters except unpaired surrogates
     * @param options the options with which it is held
     * @return the lock
     * @throws IllegalArgumentException if the name is empty, too long or not well-formed, or if the options ask for
     *     {@linkplain LockOptions#withReplication replication} within a time that is not shorter than the backend's
     *     command timeout, or for something that a quorum does not have
     */
    public FencedLock lock(String name, LockOptions options) {
        checkName(name);
        return new EngineLock(engine, name, Objects.requireNonNull(options, "options"));
    }

    /**
     * Returns the read-write lock of a name, with {@linkplain LockOptions#defaults() default options}. It has nothing
     * to do with the {@linkplain #lock(String) plain lock} of the same name. No round trip.
     *
     * @param name the name of the lock, as for {@link #lock(String)}
     * @return the lock
     * @throws InvalidNameException if the name is empty, too long or not well-formed
     * @throws UnsupportedOperationException if the backend has none: a quorum
     */
    public FencedReadWriteLock readWriteLock(String name) {
        return readWriteLock(name, LockOptions.defaults());
    }

    /**
     * Returns the read-write lock of a name. No round trip.
     *
     * @param name the name of the lock, as for {@link #lock(String)}
     * @param options the options with which both sides are held
     * @return the lock
     * @throws IllegalArgumentException if the name is empty, too long or not well-formed, or as for
     *     {@link #lock(String, LockOptions)}
     * @throws UnsupportedOperationException if the backend has none: a quorum
     */
    public FencedReadWriteLock readWriteLock(String name, LockOptions options) {
        checkName(name);
        engine.require(Capability.SHARES);
        return new EngineReadWriteLock(engine, name, Objects.requireNonNull(options, "options"));
    }

    /**
     * Returns a semaphore with default options. No round trip; the same name always stands for the same semaphore.
     *
     * @param name the name of the semaphore, as for {@link #lock(String)}
     * @param permits how many permits it has, 1 or more, unless another client was the first to say, or
     *     {@link LeasedSemaphore#resize} has set another number
     * @return the semaphore
     * @throws IllegalArgumentException if the name is empty, too long or not well-formed, or the number is not positive
     * @throws UnsupportedOperationException if the backend has none: a quorum
     */
    public LeasedSemaphore semaphore(String name, int permits) {
        return semaphore(name, permits, LockOptions.defaults());
    }

    /**
     * Returns a semaphore.
     *
     * @param name the name of the semaphore, as for {@link #lock(String)}
     * @param permits how many permits it has, 1 or more, unless another client was the first to say
     * @param options the options; {@link LockOptions.OnLoss#INTERRUPT} is refused, because a lease belongs to no thread
     * @return the semaphore
     * @throws IllegalArgumentException if the name is empty, too long or not well-formed, or the number is not positive
     * @throws UnsupportedOperationException if the backend has none: a quorum
     */
    public LeasedSemaphore semaphore(String name, int permits, LockOptions options) {
        checkName(name);
        if (permits < 1) {
            throw new IllegalArgumentException("permits must be 1 or more, but is " + permits);
        }
        engine.require(Capability.SHARES);
        return new EngineSemaphore(engine, name, permits, options);
    }

    /**
     * Returns the latch of a name. No round trip.
     *
     * @param name the name of the latch, as for {@link #lock(String)}
     * @return the latch
     * @throws InvalidNameException if the name is empty, too long or not well-formed
     * @throws UnsupportedOperationException if the backend has none: a quorum
     */
    public DistributedLatch latch(String name) {
        checkName(name);
        engine.require(Capability.LATCHES);
        return new EngineLatch(engine, name);
    }

    /**
     * Returns a lock of several locks of this client, which are acquired together. For locks of several clients, use
     * {@link #multiLockOf}. No round trip.
     *
     * @param members 1 or more locks of this client: plain locks, read locks and write locks
     * @return the lock
     * @throws IllegalArgumentException if there are no members, a member is given twice or is a lock of another client,
     *     or both sides of a read-write lock are members
     */
    public MultiLock multiLock(FencedLock... members) {
        return EngineMultiLock.of(engine, members);
    }

    /**
     * Returns a lock of several locks, which may be of several clients and backends. No round trip.
     *
     * <p>Each client keeps its own waiters and leases. Locks with equal names on different servers are ordered by the
     * key prefixes of their backends. If these are equal too, no order of the servers is common to all JVMs. Then only
     * one of these locks is waited for, while none of the others is held. The others are tried. If one of them is
     * taken, all of these are given back, and requested again after a pause of up to 10 ms.
     *
     * @param members 1 or more locks, made by clients; the members of a multi-lock are taken in its place
     * @return the lock
     * @throws IllegalArgumentException if there are no members, a member is given twice, both sides of a read-write
     *     lock are members, or a member was not made by a client
     */
    public static MultiLock multiLockOf(FencedLock... members) {
        return EngineMultiLock.of(members);
    }

    /**
     * Returns an inspector of the backend, which shows the locks there, their holders and their waiters. No round trip
     * by itself.
     *
     * @return an inspector
     */
    public LockInspector inspector() {
        return new LockInspector(engine);
    }

    /**
     * Returns the state of this client and its backend: for each server whether it is reachable, its role, its latency
     * and its version; how many locks are held and waited for; and whether renewals are late. Makes one round trip to
     * each server, all at the same time. Blocks until the servers have answered, normally for the command timeout at
     * most (2 s by default), and never for more than twice that time. A server that cannot be reached is reported in
     * the result, not by an exception.
     *
     * @return the state at this moment
     * @throws ClientClosedException if this client is closed
     */
    public ClientHealth health() {
        return engine.health();
    }

    /**
     * Returns about how many callers of this client wait for a lock, for use as a gauge. A lock that is busy at this
     * moment may be left out. No round trip; does not block.
     *
     * @return the count; 0 if this client is closed
     */
    public int waiting() {
        return engine.waiting();
    }

    /**
     * Returns about how many locks this client holds, for use as a gauge. A lock that is busy at this moment may be
     * left out. No round trip; does not block.
     *
     * @return the count; 0 if this client is closed
     */
    public int held() {
        return engine.held();
    }

    /**
     * Returns by how much the most overdue renewal is late, for use as a gauge. See {@link ClientHealth#renewalLag}. No
     * round trip; does not block.
     *
     * @return the time; 0 if no renewal is late
     */
    public Duration renewalLag() {
        return Duration.ofNanos(engine.renewalLag());
    }

    /**
     * Returns whether this client can reach all its locks, for use as a gauge. Of a quorum, a majority of the servers
     * is enough; of a cluster, each master is needed. No round trip; does not block.
     *
     * @return {@code false} during an outage, and if this client is closed
     */
    public boolean isConnected() {
        return engine.isConnected();
    }

    /**
     * Adds a listener, which is notified of what happens to this client's locks from now on. A listener that is added
     * twice is notified twice. Does not block.
     *
     * @param listener the listener, called on the client's callback executor
     */
    public void addListener(LockListener listener) {
        engine.listen(Objects.requireNonNull(listener, "listener"));
    }

    /**
     * Adds a listener with its own executor, for a listener that is fast and receives many events.
     * {@code Runnable::run} notifies it on the thread on which the event happens, without waking another thread: a
     * caller's thread, or one on which replies of the backend arrive. On such a thread the listener must neither block
     * nor wait for a lock, because that lock, or all locks, would stop. The events of one lock are passed to the
     * executor one after the other, in their order; an executor with several threads may run them in another order. If
     * the executor rejects an event or throws, the client's callback executor is used instead.
     *
     * @param listener the listener
     * @param executor the executor on which the listener is called; the client does not shut it down
     */
    public void addListener(LockListener listener, Executor executor) {
        engine.listen(Objects.requireNonNull(listener, "listener"), Objects.requireNonNull(executor, "executor"));
    }

    /**
     * Removes a listener. An event that is being delivered may still arrive. Does nothing if the listener was not
     * added.
     *
     * @param listener the listener
     */
    public void removeListener(LockListener listener) {
        engine.removeListener(Objects.requireNonNull(listener, "listener"));
    }

    /**
     * Waits until the locks of this client have been released or lost, or the time has passed. For an orderly end: stop
     * new work, call this method, and then {@link #close()}, which takes the locks from their holders. The locks of the
     * calling thread do not count, nor do those that can no longer be released, because their threads have ended or
     * their leases are unreachable. No round trip.
     *
     * @param wait the longest time to wait; zero or less means not to wait
     * @return whether no lock was held at the end
     * @throws InterruptedException if the thread was interrupted
     */
    public boolean awaitReleases(Duration wait) throws InterruptedException {
        return engine.awaitReleases(Durations.nanos("wait", wait));
    }

    /**
     * Closes this client within its shutdown time (5 s by default). Waiting callers receive
     * {@link ClientClosedException}, holders are notified ({@link LeaseLoss.Reason#CLOSED}), and holds are released. A
     * hold whose release the backend does not answer in time ends with its lease. A later {@code unlock()} or
     * {@code release()} of a hold that the client closed throws {@link LeaseLostException}, once for each level,
     * because the work under it may not have been protected to its end. If holds are taken from other threads or from
     * handles, the log says how many and names some locks: see {@link #awaitReleases}. Blocks until this is done;
     * closing twice does nothing.
     */
    @Override
    public void close() {
        engine.close();
    }

    /**
     * Checks a name, as all methods that take one do.
     *
     * @param name the name of a lock, a semaphore or a latch: 1 to 1,024 bytes in UTF-8; any characters except unpaired
     *     surrogates
     * @throws InvalidNameException if the name is empty, too long or not well-formed
     */
    public static void checkName(String name) {
        Objects.requireNonNull(name, "name");
        if (name.isEmpty()) {
            throw new InvalidNameException(
                    "name must not be empty; name what the lock protects, such as 'stock:1001'", null);
        }
        int bytes;
        try {
            bytes = Utf8.length("name", name);
        } catch (IllegalArgumentException malformed) {
            throw new InvalidNameException(String.valueOf(malformed.getMessage()), malformed);
        }
        if (bytes > LONGEST_NAME) {
            throw new InvalidNameException(
                    "name must be at most " + LONGEST_NAME + " bytes in UTF-8, but has " + bytes + ": '"
                            + name.substring(0, 40) + "…'; use a hash of the long part",
                    null);
        }
    }

    @Override
    public String toString() {
        return "LockClient[" + engine + "]";
    }
}
