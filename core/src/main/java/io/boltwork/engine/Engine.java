package io.boltwork.engine;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.ClientHealth;
import io.boltwork.ClientOptions;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LocalLock;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.machine.Extension;
import io.boltwork.machine.Hold;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.LockTerms;
import io.boltwork.machine.LostHolds;
import io.boltwork.machine.Promise;
import io.boltwork.machine.RecoveryTally;
import io.boltwork.machine.Ticker;
import io.boltwork.machine.Waiter;
import io.boltwork.machine.Waiter.WaitResult;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.Durations;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Taken;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The engine of one client: a machine for each lock in use, and what they share. Thread-safe. */
public final class Engine extends ErrorFlagOwner implements BackendListener {

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    /** How long to look away before looking again, 1 ms: about a round trip. */
    private static final long LOOK_AGAIN = 1_000_000;

    /** Locks to look at before many are taken for held. */
    private static final int MOST_LOOKS = 64;

    final LockBackend backend;
    final Ticker ticker;
    final Scheduler scheduler;

    /** The terms that were made last: most locks of a client have the same options. */
    private volatile LockTerms lastTerms = LockTerms.DEFAULTS;

    final Executor callbackExecutor;
    final LongUnaryOperator random;
    private final Sleeper sleeper;
    final Consumer<Throwable> defects;
    final LockMachine.Timing timing;
    final ServerClocks clocks;
    final ReleaseLog releases;
    final LeaseRenewer leaseRenewer;
    public final Listeners listeners = new Listeners();

    private final long shutdownNanos;
    private final Runnable stopThreads;
    final SuspensionDetector suspensionDetector;

    /** Makes ids that no other client makes, and nonces. */
    final Supplier<String> ids;

    private final Announcer announcer;
    private final ErrorRecovery errorRecovery;

    /** Kept until the client is closed, and not used: else it would be collected. */
    private final AtomicReference<@Nullable Object> restoredBy = new AtomicReference<>();

    private final Heartbeat heartbeat;
    private final CallbackQueue backendEvents;
    private final AtomicLong requests = new AtomicLong();
    private final ConcurrentHashMap<String, LockDriver> drivers = new ConcurrentHashMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Whether an error has cut {@link #close} short; a later beat goes on with it. */
    private volatile boolean unfinished;

    /** Whether it has come to its end. */
    private volatile boolean ended;

    /** What threads held, or had lost and not left, when the client was closed: they hear of it when they leave. */
    private final ConcurrentHashMap<String, LostHolds> closedHolds = new ConcurrentHashMap<>();

    private final BitSet everything = new BitSet();
    private final PartitionOutages partitionOutages = new PartitionOutages();
    private final List<String> warnings = new CopyOnWriteArrayList<>();

    /** Who listens, and what is warned of, change one after the other: so each warning is told to each listener once. */
    private final ReentrantLock warning = new ReentrantLock();

    /**
     * What an engine runs on: given by the JVM, or by a simulation.
     *
     * @param underWay how many commands of one lock may be under way at a time
     */
    record World(
            ClientRecord card,
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
                ClientRecord card,
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
                    card,
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
        this.clocks = new ServerClocks(backend.partitions(), suspensionDetector);
        this.everything.set(0, backend.partitions());
        this.ids = world.ids;
        this.ticker = world.ticker;
        this.scheduler = world.scheduler;
        this.callbackExecutor = world.callbacks;
        this.random = world.random;
        this.sleeper = world.sleeper;
        this.defects = world.defects;
        this.stopThreads = world.stopThreads;
        this.timing = new LockMachine.Timing(
                backend.commandTimeout().toNanos(),
                options.slice().toNanos(),
                options.outagePatience().toNanos(),
                world.underWay);
        this.shutdownNanos = options.shutdownTime().toNanos();
        this.releases = new ReleaseLog(ticker);
        this.leaseRenewer = new LeaseRenewer(this);
        this.announcer = new Announcer(this, world.card);
        this.errorRecovery = new ErrorRecovery(this, errorFlag);
        this.heartbeat = new Heartbeat(
                this, List.of(suspensionDetector::look, announcer::check, errorRecovery::check, releases::forgetOld));
        this.backendEvents = newCallbackQueue();
    }

    /** An engine on this JVM's clock and threads. */
    public static Engine open(LockBackend backend, ClientOptions options) {
        return open(backend, options, UniqueIds.next());
    }

    /** The same for a client of that id, which must be its alone. */
    public static Engine open(LockBackend backend, ClientOptions options, String id) {
        ClientThreads threads = new ClientThreads(options.callbackExecutor());
        World world = new World(
                Announcer.card(id, options.application()),
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
        engine.restoredBy.set(Checkpoints.afterRestore(engine::restored, Checkpoints.loaders()));
        return engine;
    }

    static Engine open(LockBackend backend, ClientOptions options, World world) {
        Engine engine = new Engine(backend, options, world);
        try {
            backend.open(engine.client(), engine);
        } catch (RuntimeException refused) {
            world.stopThreads.run();
            throw refused;
        }
        engine.announcer.begin();
        engine.heartbeat.plan();
        return engine;
    }

    // ================================================================ acquiring and releasing

    /** The hold of this thread, valid or lost and not unwound; or {@code null}. One that it has not taken is none. */
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
     * The same for the thread itself when it acquires. What it has not taken by now it never will: an error has cut short the
     * call that it was for. So that is given back.
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

    /** An error has cut a caller short that was acquiring. Calls nothing: the stack may have ended. */
    void cutShort(Waiter waiter, Error cut) {
        waiter.forsaken = true;
        errorFlag.cause = cut;
        errorFlag.raised = true;
    }

    /** The hold that this thread has to leave: as {@link #holdOf}, and after {@link #close} what that has ended. */
    @Nullable
    Hold holdToLeave(String name, Thread thread) {
        Hold hold = holdOf(name, thread);
        if (hold != null || !isClosed()) {
            return hold;
        }
        LostHolds ended = closedHolds.get(name);
        return ended == null ? null : ended.of(thread);
    }

    /** Who of this client holds the lock. */
    @Nullable
    Hold hold(String name) {
        LockDriver driver = drivers.get(name);
        return driver == null ? null : driver.machine.hold();
    }

    /** Wants a lock; the waiter gets its verdict sooner or later. */
    void request(String name, Waiter waiter) {
        if (!post(name, driver -> driver.machine.request(waiter))) {
            waiter.outcome.decide(new Waiter.Failed(closed(name, "cannot be acquired")));
        }
    }

    void cancel(String name, Waiter waiter, boolean timedOut) {
        post(name, driver -> driver.machine.cancel(waiter, timedOut));
    }

    /**
     * Sleeps until the waiter has its verdict.
     *
     * @param nanos how long it is willing to wait; {@link Ticker#NEVER} for ever
     * @throws InterruptedException if it is interruptible, and was interrupted before the verdict
     */
    WaitResult await(String name, Waiter waiter, long nanos, boolean interruptible) throws InterruptedException {
        long start = ticker.nanos();
        if (nanos > 0 && !waiter.outcome.isDecided()) {
            sleeper.sleep(waiter.outcome, this, Math.min(nanos, ProgressWatch.patience(this)));
        }
        return waiter.outcome.isDecided()
                ? waiter.outcome.value() // most callers are served by then: nothing needs to be watched
                : awaitWatched(name, waiter, nanos, start, interruptible);
    }

    private WaitResult awaitWatched(String name, Waiter waiter, long nanos, long start, boolean interruptible)
            throws InterruptedException {
        boolean interrupted = false;
        ProgressWatch watch = new ProgressWatch(this, name, waiter, start);
        boolean cancelled = false;
        while (!waiter.outcome.isDecided()) {
            long left = nanos == Ticker.NEVER || cancelled ? Ticker.NEVER : nanos - (ticker.nanos() - start);
            if (left <= 0) {
                cancelled = true; // the verdict is the machine's all the same: it may have been granted just now
                watch.ends();
                cancel(name, waiter, true);
                continue;
            }
            sleeper.sleep(waiter.outcome, this, Math.min(left, watch.left()));
            if (Thread.interrupted()) {
                interrupted = true;
                if (interruptible && !cancelled) {
                    cancelled = true;
                    watch.ends();
                    cancel(name, waiter, false);
                }
            }
            watch.look();
        }
        WaitResult verdict = waiter.outcome.value();
        if (interrupted) {
            if (verdict == Waiter.Denied.CANCELLED) {
                throw new InterruptedException("Interrupted while waiting for the lock '" + Printable.text(name) + "'");
            }
            Thread.currentThread().interrupt();
        }
        return verdict;
    }

    /**
     * A level of a hold was left. The outcome is what had been lost, decided when the backend has answered to the release, or
     * now if that is not awaited.
     */
    Promise<Optional<LeaseLoss>> left(Hold hold, Hold.Left left) {
        switch (left) {
            case NESTED -> {}
            case LAST -> {
                Promise<Optional<LeaseLoss>> released = hold.released();
                release(hold);
                if (hold.request.terms.options.release() == LockOptions.Release.AWAITED) {
                    return released;
                }
            }
            case LOST_NESTED -> expired(hold);
            case LOST_LAST -> release(hold);
        }
        return Promise.decided(left.isLost() ? Optional.of(hold.lossOf()) : Optional.empty());
    }

    private void release(Hold hold) {
        if (!post(hold.request.lock(), driver -> driver.machine.release(hold))) {
            hold.released().decide(Optional.empty());
        }
    }

    /**
     * Sleeps until the backend has answered to a release, at most the command timeout.
     *
     * @throws LeaseLostException if the hold had been lost
     */
    void await(Promise<Optional<LeaseLoss>> left) {
        if (!sleep(left, timing.commandTimeout())) {
            left.decide(Optional.empty());
        }
        Optional<LeaseLoss> loss = left.value();
        if (loss.isPresent()) {
            throw new LeaseLostException(loss.get());
        }
    }

    /** Sleeps until it is decided; {@code false} if it is not after that time. Interrupts wait, too. */
    private boolean sleep(Promise<?> outcome, long nanos) {
        long start = ticker.nanos();
        boolean interrupted = false;
        for (long left = nanos; !outcome.isDecided() && left > 0; left = nanos - (ticker.nanos() - start)) {
            sleeper.sleep(outcome, this, left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return outcome.isDecided();
    }

    /**
     * Makes a hold last for {@code nanos} from now on at least. Sleeps until the backend has answered.
     *
     * @throws LeaseLostException if it was lost
     */
    void extend(Hold hold, long nanos) {
        long start = ticker.nanos();
        long bound = hold.request.bound(start);
        if (nanos > bound) {
            throw new IllegalArgumentException("atLeast must not exceed what is left of maxHold, "
                    + Durations.text(Duration.ofNanos(Math.max(0, bound))) + ", but is "
                    + Durations.text(Duration.ofNanos(nanos)));
        }
        for (; ; ) {
            Promise<Extension> outcome = new Promise<>();
            if (!post(hold.request.lock(), driver -> driver.machine.extend(hold, nanos, outcome))) {
                throw closed(hold.request.lock(), "cannot be extended");
            }
            Extension extension = null;
            if (sleep(outcome, timing.commandTimeout() - (ticker.nanos() - start))) {
                extension = outcome.value();
            }
            if (extension == Extension.DONE) {
                return;
            }
            if (extension == Extension.LOST) {
                throw lossOr(hold, releasedMeanwhile(hold, "extended"));
            }
            if (extension instanceof Extension.Failed failed) {
                BackendException cause = failed.cause();
                throw new BackendException(
                        cause.getMessage() + ". The lease was not extended and runs on until its deadline",
                        cause.isRetryable(),
                        cause);
            }
            if (extension == null) {
                post(hold.request.lock(), driver -> driver.machine.extensionGivenUp(outcome));
                throw silent();
            }
            lookAway(); // it is being restored
        }
    }

    /** Sleeps while the server is asked about a hold since the machine was suspended: at most the command timeout. */
    void awaitVerified(Hold hold) {
        boolean interrupted = false;
        while (hold.isUnverified() && !hold.isOver()) {
            lookAway();
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void lookAway() {
        sleeper.sleep(new Promise<>(), this, LOOK_AGAIN);
    }

    /**
     * Asks the backend whether it knows the hold. Sleeps until it has answered.
     *
     * @return whether it has confirmed it; else there was no answer, and the hold is valid by the clock
     * @throws LeaseLostException if it was lost
     */
    boolean verify(Hold hold) {
        String lock = hold.request.lock();
        long start = ticker.nanos();
        for (; ; ) {
            Promise<Extension> outcome = new Promise<>();
            if (!post(lock, driver -> driver.machine.verify(hold, outcome))) {
                throw lossOr(hold, closed(lock, "cannot be verified"));
            }
            if (!sleep(outcome, timing.commandTimeout() - (ticker.nanos() - start))) {
                post(lock, driver -> driver.machine.extensionGivenUp(outcome));
                return validByClock(hold);
            }
            Extension answer = outcome.value();
            if (answer == Extension.DONE) {
                return true;
            }
            if (answer == Extension.LOST) {
                throw lossOr(hold, releasedMeanwhile(hold, "verified"));
            }
            if (answer instanceof Extension.Failed) {
                return validByClock(hold);
            }
            lookAway(); // it is being restored
        }
    }

    /** Returns {@code false}, that the backend has not confirmed the hold; throws if the clock says that it is lost. */
    private static boolean validByClock(Hold hold) {
        if (!hold.isValid()) {
            throw lossOr(hold, releasedMeanwhile(hold, "verified"));
        }
        return false;
    }

    private static RuntimeException lossOr(Hold hold, RuntimeException otherwise) {
        LeaseLoss loss = hold.loss();
        return loss == null ? otherwise : new LeaseLostException(loss);
    }

    private static IllegalStateException releasedMeanwhile(Hold hold, String what) {
        return new IllegalStateException("The lease of the lock '" + Printable.text(hold.request.lock())
                + "' was released before it could be " + what);
    }

    /** Who released does not wait longer than the command timeout. */
    Future<?> decideAfterTimeout(Promise<Optional<LeaseLoss>> left) {
        return scheduler.schedule(() -> left.decide(Optional.empty()), timing.commandTimeout());
    }

    /** Somebody noticed that the deadline of a hold has passed. */
    void expired(Hold hold) {
        post(hold.request.lock(), driver -> driver.machine.expired(hold));
    }

    /** The owner of a lost hold has tried to go one level deeper. */
    void nested(Hold lost) {
        post(lost.request.lock(), driver -> driver.machine.nested(lost));
    }

    /** Cancels a waiter after a time, unless it has its verdict by then. */
    Future<?> cancelAfter(String name, Waiter waiter, long nanos) {
        return scheduler.schedule(() -> cancel(name, waiter, true), nanos);
    }

    /** Runs a callback of that lock, after its others. */
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

    /** The queues of locks are resumed with them. */
    void resumeCallbacks() {
        backendEvents.resume();
    }

    // ================================================================ events

    /** This client has taken a lock away by force. */
    public void forced(String name, Reply.Forced forced) {
        String taken = forced.taken();
        post(name, driver -> {
            if (taken != null) { // the message may be lost
                driver.machine.taken(new Taken(name, taken, forced.takenToken(), forced.server()));
            }
            driver.machine.nudgeAfter(forced.claimMillis());
        });
    }

    /** Posts an event to the machine of a lock; {@code false} if there is none any more and the client is closed. */
    boolean post(String name, Mailbox.Event<LockDriver> event) {
        for (; ; ) {
            LockDriver driver = drivers.get(name);
            if (driver == null) {
                if (closed.get()) {
                    return false;
                }
                driver = drivers.computeIfAbsent(name, n -> new LockDriver(n, this));
                if (closed.get()) { // close() may have overlooked it
                    driver.post(this::close);
                }
                if (!driver.client().equals(client())) { // as may cloned()
                    driver.post(LockDriver::renamed);
                }
            }
            if (driver.post(event)) {
                return true;
            }
            drivers.remove(name, driver);
        }
    }

    /** Posts an event to a machine, or to its successor. */
    void post(LockDriver driver, Mailbox.Event<LockDriver> event) {
        if (!driver.post(event)) {
            post(driver.lock(), event);
        }
    }

    void forget(LockDriver driver) {
        drivers.remove(driver.lock(), driver);
    }

    /** Learns the clock of a partition's server from a reply. */
    void heard(int partition, Reply reply) {
        if (reply instanceof Reply.Answer answer) {
            clocks.read(partition, answer.server(), ticker.nanos());
        }
    }

    @Override
    public void granted(Grant grant) {
        post(grant.lock(), driver -> driver.machine.granted(grant));
    }

    @Override
    public void taken(Taken taken) {
        LockDriver driver = drivers.get(taken.lock());
        if (driver != null) { // else nothing is held here
            post(driver, d -> d.machine.taken(taken));
        }
    }

    @Override
    public void connected(ServerTime server) {
        connected(server, everything);
    }

    @Override
    public void connected(ServerTime server, BitSet partitions) {
        boolean another = clocks.connected(partitions, server, ticker.nanos());
        List<PartitionOutages.Return> returns = partitionOutages.end(partitions, another);
        RecoveryTally recovery =
                returns.isEmpty() ? new RecoveryTally() : returns.get(0).recovery();
        leaseRenewer.together(() -> forEach(partitions, driver -> connected(driver, recovery)));
        for (PartitionOutages.Return back : returns) {
            if (back.over()) {
                up(back);
            }
        }
        announcer.connected();
        if (another) {
            List<ReleaseLog.Entry> lost = releases.recent();
            lost.removeIf(entry -> !partitions.get(backend.partition(entry.lock())));
            new ReleaseRepeats(this, lost).run();
        }
        for (PartitionOutages.Return back : returns) {
            if (back.over()) {
                back.recovery().over(counts -> recovered(back, counts));
            }
        }
    }

    /** This client's clock has missed so much, as another clock tells: what is held may have ended. */
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
     * Another living client has that id, or this JVM was restored from a snapshot: takes a new one, unless the id has changed
     * since. What was held is lost.
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

    /** This JVM was restored from a checkpoint, and so were others, perhaps. */
    private void restored() {
        cloned(client());
    }

    /** Whether something is held; also if so many locks are in use that it would take long to look. */
    boolean isHolding() {
        int looks = 0;
        for (LockDriver driver : drivers.values()) {
            if (driver.machine.hold() != null || ++looks == MOST_LOOKS) {
                return true;
            }
        }
        return false;
    }

    private static void connected(LockDriver driver, RecoveryTally recovery) {
        recovery.begin();
        boolean taken = driver.post(d -> {
            d.machine.connected(recovery);
            recovery.done();
        });
        if (!taken) {
            recovery.done();
        }
    }

    private void up(PartitionOutages.Return back) {
        LOG.log(System.Logger.Level.INFO, "Connected to {0} again", Printable.all(backend));
        if (!listeners.isEmpty()) {
            Duration outage = Duration.ofNanos(ticker.nanos() - back.since());
            tell(l -> l.backendUp(new LockListener.BackendUp(backend.toString(), outage, back.another())));
        }
    }

    /** All that was held when the connection came back has been verified. */
    private void recovered(PartitionOutages.Return back, RecoveryTally.Counts counts) {
        if (closed.get()) {
            return;
        }
        Duration took = Duration.ofNanos(ticker.nanos() - back.since());
        LOG.log(
                System.Logger.Level.INFO,
                "After the outage of {0}: {1} holds kept, {2} restored, {3} lost, {4} waiting requests sent again",
                Printable.all(backend, counts.kept(), counts.restored(), counts.lost(), counts.askedAgain()));
        if (!listeners.isEmpty()) {
            tell(l -> l.backendRecovered(new LockListener.BackendRecovered(
                    backend.toString(),
                    took,
                    back.another(),
                    counts.kept(),
                    counts.restored(),
                    counts.lost(),
                    counts.askedAgain())));
        }
    }

    @Override
    public void warned(String warned) {
        String what = Printable.text(warned);
        LOG.log(System.Logger.Level.WARNING, "{0}: {1}", Printable.all(backend, what));
        Listeners told;
        warning.lock();
        try {
            warnings.add(what);
            told = listeners.copy();
        } finally {
            warning.unlock();
        }
        warn(told, what);
    }

    private void warn(Listeners told, String what) {
        LockListener.BackendWarning event = new LockListener.BackendWarning(backend.toString(), what);
        told.tell(listener -> listener.backendWarning(event), backendEvents::run);
    }

    /** Tells of the backend. */
    private void tell(Consumer<LockListener> event) {
        listeners.tell(event, backendEvents::run);
    }

    public void listen(LockListener listener) {
        listen(listener, null);
    }

    /** Tells a listener from now on, and of the warnings so far; with the other callbacks if it has no executor. */
    public void listen(LockListener listener, @Nullable Executor executor) {
        Listeners told = new Listeners();
        told.add(listener, executor);
        List<String> known;
        warning.lock();
        try {
            listeners.add(listener, executor);
            known = List.copyOf(warnings);
        } finally {
            warning.unlock();
        }
        known.forEach(what -> warn(told, what));
    }

    /** As the machines say; one that is busy just now may be left out. */
    public int waiting() {
        AtomicInteger waiting = new AtomicInteger();
        for (LockDriver driver : drivers.values()) {
            driver.post(d -> waiting.addAndGet(d.machine.waiting()));
        }
        return waiting.get();
    }

    /** How many locks are held; one that is busy just now may be left out. */
    public int held() {
        AtomicInteger held = new AtomicInteger();
        for (LockDriver driver : drivers.values()) {
            driver.post(d -> held.addAndGet(d.machine.hold() == null ? 0 : 1));
        }
        return held.get();
    }

    /** By how many nanoseconds the renewal that is most overdue is late. */
    public long renewalLag() {
        AtomicLong lag = new AtomicLong();
        for (LockDriver driver : drivers.values()) {
            driver.post(d -> lag.accumulateAndGet(d.machine.renewalLag(), Math::max));
        }
        return lag.get();
    }

    /** Whether all servers that keep locks are connected. */
    public boolean isConnected() {
        return !isClosed() && partitionOutages.isNone();
    }

    /** The holder and the waiters of a lock in this client. */
    public LocalLock local(String name) {
        LockDriver driver = drivers.get(name);
        AtomicInteger waiting = new AtomicInteger();
        if (driver != null) {
            driver.post(d -> waiting.addAndGet(d.machine.waiting()));
        }
        Hold hold = driver == null ? null : driver.machine.hold();
        return new LocalLock(
                name,
                Optional.ofNullable(hold).map(held -> held.asker.getName()),
                hold == null ? 0 : hold.token,
                waiting.get());
    }

    /** Asks the servers how they are, and the machines what they have; sleeps until the servers have answered. */
    public ClientHealth health() {
        if (isClosed()) {
            throw new ClientClosedException("The client is closed; it cannot report its health");
        }
        Promise<List<NodeStatus>> nodes = new Promise<>();
        backend.nodes().whenComplete((answer, failure) -> nodes.decide(failure == null ? answer : List.of()));
        AtomicInteger held = new AtomicInteger();
        AtomicInteger waiting = new AtomicInteger();
        AtomicLong lag = new AtomicLong();
        for (LockDriver driver : drivers.values()) {
            driver.post(d -> {
                held.addAndGet(d.machine.hold() == null ? 0 : 1);
                waiting.addAndGet(d.machine.waiting());
                lag.accumulateAndGet(d.machine.renewalLag(), Math::max);
            });
        }
        boolean told = sleep(nodes, 2 * timing.commandTimeout()); // the backend keeps to one; its timer may be late
        return new ClientHealth(
                partitionOutages.isNone(),
                told ? nodes.value() : List.of(),
                held.get(),
                waiting.get(),
                Duration.ofNanos(lag.get()),
                warnings());
    }

    private List<String> warnings() {
        List<String> all = new ArrayList<>(warnings);
        String passing = errorRecovery.warning();
        if (passing != null) {
            all.add(passing);
        }
        return all;
    }

    /** Sees to it that checks go on, however short of memory the timer was. */
    void ensureHeartbeat() {
        heartbeat.ensure();
    }

    /** Handles a failed task of the timer, or the death of its thread: planned tasks may be lost. For any thread. */
    void timerFailed(Throwable cause) {
        errorFlag.cause = cause;
        errorFlag.raised = true;
        heartbeat.planAgain();
    }

    @Override
    public void disconnected(Throwable cause) {
        disconnected(cause, everything);
    }

    @Override
    public void disconnected(Throwable cause, BitSet partitions) {
        if (!partitionOutages.begin(partitions, ticker.nanos(), new RecoveryTally())) {
            return;
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "The connection to {0} was lost: {1}. Leases run on until their deadlines, and waiting callers keep waiting",
                Printable.all(backend, cause.getMessage()));
        if (!listeners.isEmpty()) {
            tell(l -> l.backendDown(new LockListener.BackendDown(backend.toString(), cause)));
        }
        forEach(partitions, driver -> driver.post(d -> d.machine.disconnected()));
    }

    private void forEach(BitSet partitions, Consumer<LockDriver> action) {
        for (LockDriver driver : drivers.values()) {
            if (partitions.get(driver.partition)) {
                action.accept(driver);
            }
        }
    }

    // ================================================================ the rest

    /**
     * Returns these options as the machine needs them.
     *
     * @throws IllegalArgumentException if locks with these options cannot be had here
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

    /** The locks in use. */
    Collection<LockDriver> drivers() {
        return drivers.values();
    }

    /** How many locks have state here. */
    int states() {
        return drivers.size();
    }

    /** The client's id. */
    String client() {
        return announcer.client();
    }

    long newRequest() {
        return requests.incrementAndGet();
    }

    boolean isClosed() {
        return closed.get();
    }

    /** Asks the backend for something that no machine has to know of. */
    public Reply.Answer ask(Command<?> command) {
        if (isClosed()) {
            throw new ClientClosedException("The client is closed; it can no longer ask " + backend);
        }
        Promise<Reply> outcome = new Promise<>();
        backend.send(command, outcome::decide);
        if (!sleep(outcome, timing.commandTimeout())) {
            throw silent();
        }
        Reply reply = outcome.value();
        if (reply instanceof Reply.Failed failed) {
            throw again(failed.cause());
        }
        return (Reply.Answer) reply;
    }

    /** The same exception, thrown here: who catches it wants to see its own stack. */
    private static BackendException again(BackendException cause) {
        return new BackendException(String.valueOf(cause.getMessage()), cause.isRetryable(), cause);
    }

    private BackendException silent() {
        return new BackendException(
                "No answer from " + backend + " within its command timeout of "
                        + Durations.text(backend.commandTimeout()) + ". Is the server frozen, or the network down?",
                true,
                null);
    }

    private static ClientClosedException closed(String lock, String what) {
        return new ClientClosedException("The lock '" + lock + "' " + what + ": its client is closed");
    }

    public void close() {
        boolean own = false;
        try {
            own = closed.compareAndSet(false, true);
            if (own) {
                end();
            }
        } catch (Error cut) {
            if (own) { // no call: the stack may have ended
                errorFlag.cause = cut;
                errorFlag.raised = true;
                unfinished = true;
            }
            throw cut;
        }
    }

    private void cutShortClosing(Error cut) {
        errorFlag.cause = cut;
        errorFlag.raised = true;
        unfinished = true;
    }

    /** Goes on with a close that an error has cut short, on a thread of its own: the timer is needed meanwhile. */
    void closeOn() {
        errorRecovery.check();
        if (unfinished) {
            unfinished = false;
            try {
                Thread thread = new Thread(this::endOn, "boltwork-close");
                thread.setDaemon(true);
                thread.start();
            } catch (Error cut) {
                cutShortClosing(cut);
                throw cut;
            }
        }
    }

    private void endOn() {
        try {
            end();
        } catch (Error cut) {
            cutShortClosing(cut);
        }
    }

    /** Returns whether {@link #close} has come to its end. */
    boolean hasEnded() {
        return ended;
    }

    private void end() {
        long start = ticker.nanos();
        for (LockDriver driver : drivers.values()) {
            driver.post(this::close);
        }
        boolean interrupted = false;
        Promise<Reply> farewell = announcer.end();
        while (!drivers.isEmpty() && ticker.nanos() - start < shutdownNanos) {
            lookAway();
            interrupted |= Thread.interrupted();
            for (LockDriver driver : drivers.values()) {
                driver.post(d -> {}); // retires what has become idle
            }
        }
        if (!drivers.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Closed without an answer from {0} about {1} locks, ''{2}'' among them; they become free when their leases end",
                    Printable.all(backend, drivers.size(), drivers.keys().nextElement()));
            drivers.clear();
        }
        long left = Math.min(timing.commandTimeout(), shutdownNanos - (ticker.nanos() - start));
        sleep(farewell, partitionOutages.isNone() ? left : 0);
        backend.close();
        restoredBy.set(null);
        ended = true;
        stopThreads.run();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void close(LockDriver driver) {
        LostHolds left = driver.machine.holdsToLeave();
        if (!left.isEmpty()) { // before the machine forgets them: their threads may be looking just now
            closedHolds.put(driver.lock(), left);
        }
        driver.machine.close();
    }

    @Override
    public String toString() {
        return client() + " on " + backend + ", " + drivers.size() + " locks in use";
    }
}
