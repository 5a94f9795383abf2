package io.boltwork.engine;

import io.boltwork.ClientHealth;
import io.boltwork.ClientOptions;
import io.boltwork.LocalLock;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.machine.Hold;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.LockTerms;
import io.boltwork.machine.LockTiming;
import io.boltwork.machine.Promise;
import io.boltwork.machine.Ticker;
import io.boltwork.machine.Waiter;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.Durations;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Taken;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine of one client. It finds the {@link LockDriver} of a name and has what all locks of the client share.
 * {@link Callers} has the calls that block, {@link BackendWatch} the messages of the backend, {@link ClientStatus} the
 * questions about the client, and {@link Shutdown} its end. Thread-safe.
 */
public final class Engine extends ErrorFlagOwner {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    final LockBackend backend;
    final Ticker ticker;
    final Scheduler scheduler;

    /** The terms that were made last: most locks of a client have the same options. */
    private volatile LockTerms lastTerms = LockTerms.DEFAULTS;

    final Executor callbackExecutor;
    final LongUnaryOperator random;
    final Consumer<Throwable> defects;
    final LockTiming timing;
    final ReleaseLog releases;
    final LeaseRenewer leaseRenewer;
    public final Listeners listeners = new Listeners();
    final SuspensionDetector suspensionDetector;

    /** Makes nonces, and ids that no other client makes. */
    final Supplier<String> ids;

    final Callers callers;
    final BackendWatch backendWatch;
    final ClientStatus status;
    final Announcer announcer;
    final ErrorRecovery errorRecovery;
    final Shutdown shutdown;
    private final Heartbeat heartbeat;
    private final AtomicLong requests = new AtomicLong();
    private final ConcurrentHashMap<String, LockDriver> drivers = new ConcurrentHashMap<>();

    /**
     * The clocks, threads and ids that an engine runs on. The JVM or a simulation provides them.
     *
     * @param underWay the largest number of commands of one lock that may be under way at a time
     */
    record World(
            ClientRecord clientRecord,
            Ticker ticker,
            InstantSource wall,
            Supplier<String> ids,
            Scheduler scheduler,
            Executor callbacks,
            LongUnaryOperator random,
            Sleeper sleeper,
            Consumer<Throwable> defects,
            Runnable stopThreads,
            int underWay) {

        World(
                ClientRecord clientRecord,
                Ticker ticker,
                InstantSource wall,
                Supplier<String> ids,
                Scheduler scheduler,
                Executor callbacks,
                LongUnaryOperator random,
                Sleeper sleeper,
                Consumer<Throwable> defects,
                Runnable stopThreads) {
            this(
                    clientRecord,
                    ticker,
                    wall,
                    ids,
                    scheduler,
                    callbacks,
                    random,
                    sleeper,
                    defects,
                    stopThreads,
                    LockMachine.UNDER_WAY);
        }
    }

    private Engine(LockBackend backend, ClientOptions options, World world) {
        this.backend = backend;
        this.suspensionDetector = new SuspensionDetector(world.ticker, world.wall, this::suspended);
        this.ids = world.ids;
        this.ticker = world.ticker;
        this.scheduler = world.scheduler;
        this.callbackExecutor = world.callbacks;
        this.random = world.random;
        this.defects = world.defects;
        this.timing = new LockTiming(
                backend.commandTimeout().toNanos(),
                options.slice().toNanos(),
                options.outagePatience().toNanos(),
                world.underWay);
        this.releases = new ReleaseLog(ticker);
        this.callers = new Callers(this, world.sleeper);
        this.backendWatch = new BackendWatch(this);
        this.status = new ClientStatus(this);
        this.leaseRenewer = new LeaseRenewer(this);
        this.announcer = new Announcer(this, world.clientRecord);
        this.errorRecovery = new ErrorRecovery(this, errorFlag);
        this.shutdown = new Shutdown(this, options.shutdownTime(), world.stopThreads);
        this.heartbeat = new Heartbeat(
                this, List.of(suspensionDetector::look, announcer::check, errorRecovery::check, releases::forgetOld));
    }

    /** Opens an engine on this JVM's clock and threads. */
    public static Engine open(LockBackend backend, ClientOptions options) {
        return open(backend, options, UniqueIds.next());
    }

    /** Opens an engine on this JVM's clock and threads, for a client of that id. No other client may have the id. */
    public static Engine open(LockBackend backend, ClientOptions options, String id) {
        ClientThreads threads = new ClientThreads(options.callbackExecutor());
        World world = new World(
                Announcer.newRecord(id, options.application()),
                SystemTicker.start(),
                InstantSource.system(),
                UniqueIds::next,
                threads,
                threads.callbacks(),
                bound -> ThreadLocalRandom.current().nextLong(bound),
                Promise::sleep,
                defect -> LOG.log(System.Logger.Level.ERROR, "A defect in Boltwork; please report it", defect),
                threads::stop);
        Engine engine = open(backend, options, world);
        threads.onFailure(engine::timerFailed);
        engine.shutdown.keepUntilEnd(Checkpoints.afterRestore(engine::restored, Checkpoints.loaders()));
        return engine;
    }

    static Engine open(LockBackend backend, ClientOptions options, World world) {
        Engine engine = new Engine(backend, options, world);
        try {
            backend.open(engine.client(), engine.backendWatch);
        } catch (RuntimeException refused) {
            world.stopThreads.run();
            throw refused;
        }
        engine.announcer.begin();
        engine.heartbeat.plan();
        return engine;
    }

    // ================================================================ drivers and their events

    /** Returns the driver of a lock, or {@code null} if the lock is not in use. */
    @Nullable
    LockDriver driver(String name) {
        return drivers.get(name);
    }

    /** The drivers of all locks in use. */
    Collection<LockDriver> drivers() {
        return drivers.values();
    }

    /** The number of locks in use. */
    int states() {
        return drivers.size();
    }

    /** Posts an event to the machine of a lock. Returns {@code false} if there is none and the client is closed. */
    boolean post(String name, Mailbox.Event<LockDriver> event) {
        for (; ; ) {
            LockDriver driver = drivers.get(name);
            if (driver == null) {
                if (isClosed()) {
                    return false;
                }
                driver = drivers.computeIfAbsent(name, n -> new LockDriver(n, this));
                if (isClosed()) { // close() may have overlooked it
                    driver.post(shutdown::close);
                }
                if (!driver.client().equals(client())) { // cloned() may have overlooked it
                    driver.post(LockDriver::renamed);
                }
            }
            if (driver.post(event)) {
                return true;
            }
            drivers.remove(name, driver);
        }
    }

    /** Posts an event to the machine of a driver, or of the driver that has replaced it. */
    void post(LockDriver driver, Mailbox.Event<LockDriver> event) {
        if (!driver.post(event)) {
            post(driver.lock(), event);
        }
    }

    void forget(LockDriver driver) {
        drivers.remove(driver.lock(), driver);
    }

    /** Runs a callback of a lock after the lock's earlier callbacks. */
    void callBack(String name, Runnable callback) {
        LockDriver driver = drivers.get(name);
        if (driver == null) {
            newCallbackQueue().run(callback);
        } else {
            driver.callBack(callback);
        }
    }

    CallbackQueue newCallbackQueue() {
        return new CallbackQueue(callbackExecutor, errorFlag);
    }

    // ================================================================ acquiring and releasing

    /**
     * Returns the hold of a thread, valid, or lost and not yet left; {@code null} if there is none. A hold that the
     * thread has not taken does not count.
     */
    @Nullable
    Hold holdOf(String name, Thread thread) {
        Hold found = find(name, thread);
        return found == null || !found.isTaken() ? null : found;
    }

    private @Nullable Hold find(String name, Thread thread) {
        LockDriver driver = drivers.get(name);
        return driver == null ? null : driver.machine.holdOf(thread);
    }

    /**
     * Returns the hold of the current thread, which is acquiring, as {@link #holdOf} does. A hold that the thread has
     * not taken by now is given back, because an error has cut short the call that it was granted for.
     */
    @Nullable
    Hold ownHold(String name) {
        Hold found = find(name, Thread.currentThread());
        if (found == null || found.isTaken()) {
            return found;
        }
        if (found.giveUp()) {
            release(found);
        }
        return null;
    }

    /** Notes that an error has cut short an acquiring caller. Calls no method, because the stack may have ended. */
    void cutShort(Waiter waiter, Error cut) {
        waiter.forsaken = true;
        errorFlag.cause = cut;
        errorFlag.raised = true;
    }

    /**
     * Returns the hold that a thread must leave, as {@link #holdOf} does, or the hold that {@link #close} has ended.
     */
    @Nullable
    Hold holdToLeave(String name, Thread thread) {
        Hold hold = holdOf(name, thread);
        if (hold != null || !isClosed()) {
            return hold;
        }
        return shutdown.holdToLeave(name, thread);
    }

    /** Returns the hold of this client on a lock, or {@code null} if there is none. */
    @Nullable
    Hold hold(String name) {
        LockDriver driver = drivers.get(name);
        return driver == null ? null : driver.machine.hold();
    }

    /** Requests a lock. The waiter's outcome is decided now or later. */
    void request(String name, Waiter waiter) {
        if (!post(name, driver -> driver.machine.request(waiter))) {
            waiter.outcome.decide(new Waiter.Failed(Callers.closed(name, "cannot be acquired")));
        }
    }

    void cancel(String name, Waiter waiter, boolean timedOut) {
        post(name, driver -> driver.machine.cancel(waiter, timedOut));
    }

    /** Cancels a waiter after a time, unless its outcome is decided by then. */
    Future<?> cancelAfter(String name, Waiter waiter, long nanos) {
        return scheduler.schedule(() -> cancel(name, waiter, true), nanos);
    }

    /** Tells the machine that the last level of a hold was left. */
    void release(Hold hold) {
        if (!post(hold.request.lock(), driver -> driver.machine.release(hold))) {
            hold.released().decide(Optional.empty());
        }
    }

    /** Tells the machine that the deadline of a hold has passed. */
    void expired(Hold hold) {
        post(hold.request.lock(), driver -> driver.machine.expired(hold));
    }

    /** Tells the machine that the owner of a lost hold has tried to enter it once more. */
    void nested(Hold lost) {
        post(lost.request.lock(), driver -> driver.machine.nested(lost));
    }

    /** Tells the machine of a lock that this client has force-released the lock. */
    public void forced(String name, Reply.Forced forced) {
        String taken = forced.taken();
        post(name, driver -> {
            if (taken != null) { // the message may be lost
                driver.machine.taken(new Taken(name, taken, forced.takenToken(), forced.server()));
            }
            driver.machine.nudgeAfter(forced.claimMillis());
        });
    }

    // ================================================================ events that concern all locks

    /** The client's clock has missed this time, as another clock shows. Holds may have ended meanwhile. */
    private void suspended(long missed) {
        if (isClosed()) {
            return;
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "This machine was suspended for about {0}, or a clock was set; all holds are being verified with the backend",
                Printable.all(Durations.text(Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(missed)))));
        leaseRenewer.together(() -> drivers.values().forEach(driver -> driver.post(d -> d.machine.suspended(missed))));
    }

    /**
     * Gives the client a new id and ends its holds, unless the id has changed since. Called when another living client
     * has that id, or this JVM was restored from a snapshot.
     */
    void cloned(String id) {
        String fresh = ids.get();
        if (isClosed() || !announcer.rename(id, fresh)) {
            return;
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "The client {0}, or another one with the same id, was restored from a snapshot. This client continues as"
                        + " {1}; its holds are lost, and waiting callers ask again",
                Printable.all(id, fresh));
        backend.rename(fresh);
        drivers.values().forEach(driver -> driver.post(LockDriver::renamed));
        announcer.connected();
    }

    /** This JVM was restored from a checkpoint. Other JVMs may have been restored from the same one. */
    private void restored() {
        cloned(client());
    }

    /** Plans the next heartbeat if the timer was too short of memory to do so. */
    void ensureHeartbeat() {
        heartbeat.ensure();
    }

    /** Handles a failed task of the timer, or the death of its thread: planned tasks may be lost. For any thread. */
    void timerFailed(Throwable cause) {
        errorFlag.cause = cause;
        errorFlag.raised = true;
        heartbeat.planAgain();
    }

    // ================================================================ the client

    /**
     * Returns options in the form that the machine needs.
     *
     * @throws IllegalArgumentException if the backend does not support these options
     */
    LockTerms terms(LockOptions options) {
        LockTerms known = lastTerms;
        if (known.options == options) {
            return known;
        }
        check(options);
        LockTerms terms = LockTerms.of(options);
        lastTerms = terms;
        return terms;
    }

    private void check(LockOptions options) {
        options.replication().map(Replication::within).ifPresent(within -> {
            if (within.compareTo(backend.commandTimeout()) >= 0) {
                throw new IllegalArgumentException("within must be shorter than the backend's command timeout of "
                        + Durations.text(backend.commandTimeout()) + ", but is " + Durations.text(within));
            }
        });
    }

    /** The client's id. */
    String client() {
        return announcer.client();
    }

    long newRequest() {
        return requests.incrementAndGet();
    }

    /** Adds a listener that is called among the other callbacks. */
    public void listen(LockListener listener) {
        backendWatch.listen(listener, null);
    }

    /** Adds a listener that is called by an executor of its own. */
    public void listen(LockListener listener, Executor executor) {
        backendWatch.listen(listener, executor);
    }

    /** Sends the backend a command that concerns no machine. Sleeps until the backend has answered. */
    public Reply.Answer ask(Command<?> command) {
        return callers.ask(command);
    }

    /** The number of waiters. A machine that is busy at the moment may be left out. */
    public int waiting() {
        return status.waiting();
    }

    /** The number of held locks. A machine that is busy at the moment may be left out. */
    public int held() {
        return status.held();
    }

    /** By how many nanoseconds the renewal that is most overdue is late. */
    public long renewalLag() {
        return status.renewalLag();
    }

    /** Returns whether the client is open and connected to all servers that keep locks. */
    public boolean isConnected() {
        return !isClosed() && backendWatch.isConnected();
    }

    /** The holder and the waiters of a lock in this client. */
    public LocalLock local(String name) {
        return status.local(name);
    }

    /** The health of the client and its servers. Sleeps until the servers have answered. */
    public ClientHealth health() {
        return status.health();
    }

    // ================================================================ closing

    boolean isClosed() {
        return shutdown.isBegun();
    }

    public void close() {
        shutdown.begin();
    }

    @Override
    public String toString() {
        return client() + " on " + backend + ", " + drivers.size() + " locks in use";
    }
}
