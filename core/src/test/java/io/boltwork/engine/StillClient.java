package io.boltwork.engine;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.LockOptions;
import io.boltwork.machine.Promise;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;

/**
 * A client without threads of its own, on a memory server, for scenes under a model checker: its clock, which is the server's
 * as well, stands still unless moved, its timers run when told, and callbacks run on the thread that causes them.
 */
public final class StillClient {

    private static final long LONGEST_SLEEP = Duration.ofHours(1).toNanos();

    /** Tasks of one moment: more of them are a loop that time cannot end. */
    private static final int MOST_AT_ONCE = 1_000;

    /** One for each partition, or one. */
    final List<MemoryServer> servers = new ArrayList<>();

    final MemoryServer server;
    final Engine engine;

    /** What becomes of a command; {@code null} is no answer. */
    volatile Function<Command<?>, Reply> wire = this::execute;

    /** How long answers are under way, in nanoseconds. */
    volatile long delay;

    volatile LongUnaryOperator random = bound -> 0;

    /** Whether time passes while somebody sleeps: for scenes of one thread, where nobody else would wake it. */
    volatile boolean timePassesInSleep;

    /** By how much the wall clock is ahead of the monotonic one. */
    private final AtomicLong wallAhead = new AtomicLong();

    private final AtomicLong ids = new AtomicLong();
    private final AtomicLong now = new AtomicLong();
    private final ConcurrentLinkedQueue<Task> tasks = new ConcurrentLinkedQueue<>();
    private volatile Throwable defect;

    /** Brings commands to the server and grants back, on the thread that causes them. */
    private final class Wire implements LockBackend {
        private String client = "";

        @Override
        public void open(String opener, BackendListener listener) {
            client = opener;
            servers.forEach(one -> one.subscribe(client, listener::granted, listener::taken));
        }

        @Override
        public void rename(String other) {
            servers.forEach(one -> {
                one.unsubscribe(client);
                one.subscribe(other, engine::granted);
            });
            client = other;
        }

        @Override
        public void send(Command<?> command, Consumer<Reply> handler) {
            Reply reply = wire.apply(command);
            if (reply != null && delay > 0) {
                schedule(() -> handler.accept(reply), delay);
            } else if (reply != null) {
                handler.accept(reply);
            }
        }

        @Override
        public Duration commandTimeout() {
            return Duration.ofSeconds(2);
        }

        @Override
        public int partitions() {
            return servers.size();
        }

        @Override
        public int partition(String lock) {
            return partitionOf(lock);
        }

        @Override
        public void close() {
            servers.forEach(one -> one.unsubscribe(client));
        }
    }

    /** Something scheduled. */
    static final class Task extends CompletableFuture<Void> {
        final long at;
        private final Runnable task;
        private volatile boolean cancelled;

        Task(long at, Runnable task) {
            this.at = at;
            this.task = task;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            cancelled = true;
            return true;
        }

        void run() {
            if (!cancelled) {
                task.run();
            }
        }
    }

    public StillClient() {
        this(1);
    }

    /** With servers whose clocks are an hour apart. */
    public StillClient(int partitions) {
        for (int i = 0; i < partitions; i++) {
            MemoryServer one = MemoryServer.create(() -> Instant.EPOCH.plusNanos(now()));
            one.advance(Duration.ofHours(i));
            servers.add(one);
        }
        server = servers.get(0);
        Engine.World world = new Engine.World(
                new ClientRecord("c", "test", "here", 1, 0, LockBackend.WIRE_VERSION),
                this::now,
                () -> Instant.EPOCH.plusNanos(now() + wallAhead.get()),
                () -> "id" + ids.incrementAndGet(),
                this::schedule,
                Runnable::run,
                bound -> random.applyAsLong(bound),
                this::sleep,
                thrown -> defect = thrown,
                () -> {});
        engine = Engine.open(new Wire(), ClientOptions.defaults(), world);
    }

    /** The digit at the end of a lock's name. */
    private int partitionOf(String lock) {
        return servers.size() == 1 ? 0 : lock.charAt(lock.length() - 1) - '0';
    }

    /** By the server that has the lock's partition. */
    Reply execute(Command<?> command) {
        List<String> locks = command.locks();
        return servers.get(locks.isEmpty() ? 0 : partitionOf(locks.get(0))).execute(command);
    }

    long now() {
        return now.get();
    }

    /** The machine is suspended for so long: the clocks of the servers go on, the monotonic one here does not. */
    void suspend(long nanos) {
        setWall(nanos);
        servers.forEach(one -> one.advance(Duration.ofNanos(nanos)));
    }

    /** The wall clock is set; negative: back. */
    void setWall(long nanos) {
        wallAhead.addAndGet(nanos);
    }

    private void sleep(Promise<?> outcome, Object blocker, long nanos) {
        if (!timePassesInSleep) {
            outcome.sleep(blocker, nanos);
            return;
        }
        long end = now() + Math.min(nanos, LONGEST_SLEEP);
        while (!outcome.isDecided() && now() < end) {
            Task next = next();
            passTo(next == null ? end : Math.min(end, Math.max(now(), next.at)));
        }
        if (!outcome.isDecided() && nanos > LONGEST_SLEEP) {
            throw new IllegalStateException("sleeps for ever");
        }
    }

    Task schedule(Runnable task, long delayNanos) {
        Task scheduled = new Task(now() + Math.max(0, delayNanos), task);
        tasks.add(scheduled);
        return scheduled;
    }

    /** Moves the clock, and nothing else: what is due then is late. */
    void moveTo(long time) {
        now.set(time);
    }

    /** The first task that will run, {@code null} if there is none. */
    Task next() {
        Task first = null;
        for (Task task : tasks) {
            if (!task.cancelled && (first == null || task.at < first.at)) {
                first = task;
            }
        }
        return first;
    }

    /** Takes the first task out of the schedule; to be run by the caller. */
    Task takeNext() {
        Task first = next();
        tasks.remove(first);
        return first;
    }

    /** Lets time pass: what is due happens when it is due. */
    void passTo(long end) {
        int atOnce = 0;
        for (Task task; (task = next()) != null && task.at <= end; ) {
            atOnce = task.at > now() ? 0 : atOnce + 1;
            if (atOnce > MOST_AT_ONCE) {
                throw new IllegalStateException("time does not pass");
            }
            tasks.remove(task);
            moveTo(Math.max(now(), task.at));
            task.run();
        }
        moveTo(end);
    }

    public FencedLock lock(LockOptions options) {
        return new EngineLock(engine, "lock", options);
    }

    /** Whether the server would give the lock to somebody else at once. */
    boolean isFree() {
        Reply.Inspected lock = server.execute(new Command.Inspect("lock"));
        return lock.untilMillis() <= lock.server().millis() && lock.queue().isEmpty();
    }

    /** Another client takes the lock for so long. */
    void holdElsewhere(long nanos) {
        server.execute(new Command.Acquire(
                "lock", "other:1", true, Duration.ofNanos(nanos).toMillis(), 0, Long.MAX_VALUE));
    }

    /** The server forgets that lock and who waits for it, and nobody is told. */
    void freeElsewhereUnheard() {
        server.delete("lock");
    }

    /** A defect that the engine has found in itself. */
    boolean isSound() {
        return defect == null;
    }
}
