package io.boltwork;

import io.boltwork.Waiter.Verdict;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The engine of one client: a machine for each lock in use, and what they share. Thread-safe. */
final class Engine implements BackendListener {

    private static final System.Logger LOG = System.getLogger("io.boltwork");
    private static final long CLOSING_STEP = 1_000_000;

    final LockBackend backend;
    final Ticker ticker;
    final Scheduler scheduler;
    final Executor callbackExecutor;
    final LongUnaryOperator random;
    final Consumer<Throwable> defects;
    final LockMachine.Timing timing;
    final ServerClock serverClock = new ServerClock();
    final ReleaseLog releases;
    final Keeper keeper;

    private final long shutdownNanos;
    private final Runnable stopThreads;
    private final String client;
    private final String prefix;
    private final AtomicLong requests = new AtomicLong();
    private final ConcurrentHashMap<String, LockDriver> drivers = new ConcurrentHashMap<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** What an engine runs on: given by the JVM, or by a simulation. */
    record World(
            String client,
            Ticker ticker,
            Scheduler scheduler,
            Executor callbacks,
            LongUnaryOperator random,
            Consumer<Throwable> defects,
            Runnable stopThreads) {}

    private Engine(LockBackend backend, ClientOptions options, World world) {
        this.backend = backend;
        this.client = world.client;
        this.prefix = client + ":";
        this.ticker = world.ticker;
        this.scheduler = world.scheduler;
        this.callbackExecutor = world.callbacks;
        this.random = world.random;
        this.defects = world.defects;
        this.stopThreads = world.stopThreads;
        this.timing = new LockMachine.Timing(
                backend.commandTimeout().toNanos(),
                options.slice().toNanos(),
                options.outagePatience().toNanos());
        this.shutdownNanos = options.shutdownTime().toNanos();
        this.releases = new ReleaseLog(ticker);
        this.keeper = new Keeper(this);
    }

    /** An engine on this JVM's clock and threads. */
    static Engine open(LockBackend backend, ClientOptions options) {
        ClientThreads threads = new ClientThreads(options.callbackExecutor());
        World world = new World(
                UUID.randomUUID().toString(),
                Ticker.system(),
                threads,
                threads.callbacks(),
                bound -> ThreadLocalRandom.current().nextLong(bound),
                defect -> LOG.log(System.Logger.Level.ERROR, "A defect of Boltwork; please report it", defect),
                threads::stop);
        return open(backend, options, world);
    }

    static Engine open(LockBackend backend, ClientOptions options, World world) {
        Engine engine = new Engine(backend, options, world);
        try {
            backend.open(engine.client, engine);
        } catch (RuntimeException refused) {
            world.stopThreads.run();
            throw refused;
        }
        return engine;
    }

    // ================================================================ acquiring and releasing

    /** The hold of this thread, valid or lost and not unwound; or {@code null}. */
    @Nullable
    Hold holdOf(String name, Thread thread) {
        LockDriver driver = drivers.get(name);
        return driver == null ? null : driver.machine.holdOf(thread);
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
            waiter.outcome.decide(new Waiter.Failed(new ClientClosedException(
                    "The lock '" + name + "' was asked for through a client that is closed")));
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
    Verdict await(String name, Waiter waiter, long nanos, boolean interruptible) throws InterruptedException {
        long start = ticker.nanos();
        boolean interrupted = false;
        boolean cancelled = false;
        while (!waiter.outcome.isDecided()) {
            long left = nanos == Ticker.NEVER || cancelled ? Ticker.NEVER : nanos - (ticker.nanos() - start);
            if (left <= 0) {
                cancelled = true; // the verdict is the machine's all the same: it may have been granted just now
                cancel(name, waiter, true);
                continue;
            }
            waiter.outcome.sleep(this, left);
            if (Thread.interrupted()) {
                interrupted = true;
                if (interruptible && !cancelled) {
                    cancelled = true;
                    cancel(name, waiter, false);
                }
            }
        }
        Verdict verdict = waiter.outcome.value();
        if (interrupted) {
            if (verdict == Waiter.Denied.CANCELLED) {
                throw new InterruptedException("Interrupted while waiting for the lock '" + name + "'");
            }
            Thread.currentThread().interrupt();
        }
        return verdict;
    }

    /** A level of a hold was left. The outcome is what had been lost, decided when the backend has answered to the release. */
    Outcome<Optional<LeaseLoss>> left(Hold hold, Hold.Left left) {
        switch (left) {
            case NESTED -> {}
            case LAST -> {
                release(hold);
                return hold.released;
            }
            case LOST_NESTED -> expired(hold);
            case LOST_LAST -> release(hold);
        }
        return Outcome.decided(left.isLost() ? lossToTell(hold) : Optional.empty());
    }

    /** Who closed the client knows that its holds have ended. */
    private static Optional<LeaseLoss> lossToTell(Hold hold) {
        LeaseLoss loss = hold.lossOf();
        return loss.reason() == LeaseLoss.Reason.CLOSED ? Optional.empty() : Optional.of(loss);
    }

    private void release(Hold hold) {
        if (!post(hold.request.lock, driver -> driver.machine.release(hold))) {
            hold.released.decide(Optional.empty());
        }
    }

    /**
     * Sleeps until the backend has answered to a release, at most the command timeout.
     *
     * @throws LeaseLostException if the hold had been lost
     */
    void await(Outcome<Optional<LeaseLoss>> left) {
        long start = ticker.nanos();
        boolean interrupted = false;
        while (!left.isDecided()) {
            long rest = timing.commandTimeout() - (ticker.nanos() - start);
            if (rest <= 0) {
                left.decide(Optional.empty());
                break;
            }
            left.sleep(this, rest);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        Optional<LeaseLoss> loss = left.value();
        if (loss.isPresent()) {
            throw new LeaseLostException(loss.get());
        }
    }

    /** Who released does not wait longer than the command timeout. */
    Scheduler.Timer decideAfterTimeout(Outcome<Optional<LeaseLoss>> left) {
        return scheduler.schedule(() -> left.decide(Optional.empty()), timing.commandTimeout());
    }

    /** Somebody noticed that the deadline of a hold has passed. */
    void expired(Hold hold) {
        post(hold.request.lock, driver -> driver.machine.expired(hold));
    }

    /** Cancels a waiter after a time, unless it has its verdict by then. */
    Scheduler.Timer cancelAfter(String name, Waiter waiter, long nanos) {
        return scheduler.schedule(() -> cancel(name, waiter, true), nanos);
    }

    /** Callbacks of that lock, in order. */
    CallbackQueue callbacks(String name) {
        LockDriver driver = drivers.get(name);
        return driver == null ? new CallbackQueue(callbackExecutor) : driver.callbacks();
    }

    // ================================================================ events

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
                    driver.mailbox.post(d -> d.machine.close());
                }
            }
            if (driver.mailbox.post(event)) {
                return true;
            }
            drivers.remove(name, driver);
        }
    }

    /** Posts an event to a machine, or to its successor. */
    void post(LockDriver driver, Mailbox.Event<LockDriver> event) {
        if (!driver.mailbox.post(event)) {
            post(driver.machine.name, event);
        }
    }

    void forget(LockDriver driver) {
        drivers.remove(driver.machine.name, driver);
    }

    /** Learns the server's clock from a reply. */
    void heard(Reply reply) {
        if (reply instanceof Reply.Answer answer) {
            serverClock.read(answer.server(), ticker.nanos());
        }
    }

    @Override
    public void granted(Grant grant) {
        post(grant.lock(), driver -> driver.machine.granted(grant));
    }

    @Override
    public void connected(ServerTime server) {
        boolean another = !server.run().equals(serverClock.run());
        serverClock.read(server, ticker.nanos());
        keeper.together(() -> {
            for (LockDriver driver : drivers.values()) {
                driver.mailbox.post(d -> d.machine.connected());
            }
        });
        if (another) {
            for (ReleaseLog.Entry entry : releases.recent()) {
                post(entry.lock(), d -> d.machine.releaseAgain(entry.request(), entry.lastToken()));
            }
        }
    }

    @Override
    public void disconnected(Throwable cause) {
        LOG.log(System.Logger.Level.DEBUG, "A connection to " + backend + " was lost; leases run on", cause);
    }

    // ================================================================ the rest

    Collection<LockDriver> drivers() {
        return drivers.values();
    }

    /** How many locks have state here. */
    int states() {
        return drivers.size();
    }

    String newRequestId() {
        return prefix + requests.incrementAndGet();
    }

    boolean isOurs(String request) {
        return request.startsWith(prefix);
    }

    boolean isClosed() {
        return closed.get();
    }

    /** Asks the backend for something that no machine has to know of. */
    Reply.Answer ask(Command command) {
        if (isClosed()) {
            throw new ClientClosedException("The client is closed; it cannot ask " + backend + " any more");
        }
        Outcome<Reply> outcome = new Outcome<>();
        backend.send(command, outcome::decide);
        long start = ticker.nanos();
        boolean interrupted = false;
        long left = timing.commandTimeout();
        while (!outcome.isDecided() && left > 0) {
            outcome.sleep(this, left);
            interrupted |= Thread.interrupted();
            left = timing.commandTimeout() - (ticker.nanos() - start);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (!outcome.isDecided()) {
            throw new BackendException(
                    "No answer from " + backend + " within its command timeout of "
                            + Durations.text(backend.commandTimeout()) + ". Is the server frozen, or the network?",
                    true,
                    null);
        }
        Reply reply = outcome.value();
        if (reply instanceof Reply.Answer answer) {
            return answer;
        }
        BackendException cause = ((Reply.Failed) reply).cause();
        throw new BackendException(String.valueOf(cause.getMessage()), cause.isRetryable(), cause);
    }

    void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        long start = ticker.nanos();
        for (LockDriver driver : drivers.values()) {
            driver.mailbox.post(d -> d.machine.close());
        }
        boolean interrupted = false;
        while (!drivers.isEmpty() && ticker.nanos() - start < shutdownNanos) {
            LockSupport.parkNanos(this, CLOSING_STEP);
            interrupted |= Thread.interrupted();
            for (LockDriver driver : drivers.values()) {
                driver.mailbox.post(d -> {}); // retires what has become idle
            }
        }
        if (!drivers.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Closed without an answer of {0} for {1} locks, among them ''{2}''; what is left there ends with its lease",
                    backend,
                    drivers.size(),
                    drivers.keys().nextElement());
            drivers.clear();
        }
        backend.close();
        stopThreads.run();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return client + " on " + backend + ", " + drivers.size() + " locks in use";
    }
}
