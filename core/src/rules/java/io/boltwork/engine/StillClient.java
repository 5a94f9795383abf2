// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.LockOptions;
import io.boltwork.engine.client.EngineWorld;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.Ticker;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;

/**
 * A client without threads of its own, on a memory server, for tests under a model checker. Both share one clock.
 * The clock stands still unless moved, timers run on request, and callbacks run on the thread that causes them.
 */
public final class StillClient {

    private static final long LONGEST_SLEEP = Duration.ofHours(1).toNanos();

    /** The maximum number of tasks at one moment; more of them are an endless loop. */
    private static final int MOST_AT_ONCE = 1_000;

    /** One server for each partition, or one for all. */
    final List<MemoryServer> servers = new ArrayList<>();

    public final MemoryServer server;
    public final Engine engine;

    /** Returns the answer to a command; {@code null} for no answer. */
    public volatile Function<Command<?>, Reply> wire = this::execute;

    /** The time in transit of answers, in nanoseconds. */
    public volatile long delay;

    volatile LongUnaryOperator random = bound -> 0;

    /** True if time passes while a thread sleeps: for tests with one thread, where no other thread would wake it. */
    public volatile boolean timePassesInSleep;

    /** The longest time for which a thread sleeps without looking at the clock, in real nanoseconds. */
    volatile long longestNap = Ticker.NEVER;

    /** The number of sleeps that a thread has begun without letting time pass, by thread. */
    final ConcurrentHashMap<Thread, Integer> naps;

    /** The difference between the wall clock and the monotonic clock. */
    private final AtomicLong wallAhead = new AtomicLong();

    private final AtomicLong ids;
    private final AtomicLong now;
    private final ConcurrentLinkedQueue<Task> tasks;
    private volatile Throwable defect;

    /** The error of the next call that schedules a task; {@code null} if there is none. */
    volatile Error scheduleFails;

    /** Delivers commands to the server and grants to the client, on the thread that causes them. */
    private final class Wire implements LockBackend {
        private String client = "";

        @Override
        public void open(String opener, BackendListener listener) {
            client = opener;
            servers.forEach(one -> one.subscribe(client, listener::granted, listener::told));
        }

        @Override
        public void rename(String other) {
            servers.forEach(one -> {
                one.unsubscribe(client);
                one.subscribe(other, engine.backendWatch::granted, engine.backendWatch::told);
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

    /** A scheduled task. */
    public static final class Task extends CompletableFuture<Void> {
        public final long at;
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

        public void run() {
            if (!cancelled) {
                task.run();
            }
        }
    }

    public StillClient() {
        this(1);
    }

    /** Creates a client with several servers, whose clocks are an hour apart. */
    public StillClient(int partitions) {
        this(partitions, ClientOptions.defaults());
    }

    StillClient(int partitions, ClientOptions options) {
        naps = new ConcurrentHashMap<>();
        ids = new AtomicLong();
        now = new AtomicLong();
        tasks = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < partitions; i++) {
            MemoryServer one = MemoryServer.create(() -> Instant.EPOCH.plusNanos(now()));
            one.advance(Duration.ofHours(i));
            servers.add(one);
        }
        server = servers.get(0);
        engine = Engine.open(new Wire(), options, world("c"));
    }

    /** Creates another client of the same servers, which shares the clock and the timers of the first one. */
    StillClient(StillClient first, String id) {
        naps = first.naps;
        ids = first.ids;
        now = first.now;
        tasks = first.tasks;
        longestNap = first.longestNap;
        servers.addAll(first.servers);
        server = first.server;
        engine = Engine.open(new Wire(), ClientOptions.defaults(), world(id));
    }

    private EngineWorld world(String id) {
        return new EngineWorld(
                new ClientRecord(id, "test", "here", 1, 0, LockBackend.WIRE_VERSION),
                this::now,
                () -> Instant.EPOCH.plusNanos(now() + wallAhead.get()),
                () -> "id" + ids.incrementAndGet(),
                this::schedule,
                Runnable::run,
                bound -> random.applyAsLong(bound),
                this::sleep,
                thrown -> defect = thrown,
                () -> {},
                LockMachine.UNDER_WAY);
    }

    /** Returns the partition of a lock: the digit at the end of its name. */
    private int partitionOf(String lock) {
        return servers.size() == 1 ? 0 : lock.charAt(lock.length() - 1) - '0';
    }

    /** Executes a command at the server that has the lock's partition. */
    public Reply execute(Command<?> command) {
        List<String> locks = command.locks();
        return servers.get(locks.isEmpty() ? 0 : partitionOf(locks.get(0))).execute(command);
    }

    public long now() {
        return now.get();
    }

    /** Suspends the client's machine: the clocks of the servers advance, but its monotonic clock does not. */
    void suspend(long nanos) {
        setWall(nanos);
        servers.forEach(one -> one.advance(Duration.ofNanos(nanos)));
    }

    /** Sets the wall clock forward, or back if the number is negative. */
    void setWall(long nanos) {
        wallAhead.addAndGet(nanos);
    }

    private void sleep(Promise<?> outcome, Object blocker, long nanos) {
        if (!timePassesInSleep) {
            naps.merge(Thread.currentThread(), 1, Integer::sum);
            outcome.sleep(blocker, Math.min(nanos, longestNap));
            return;
        }
        long end = now() + Math.min(nanos, LONGEST_SLEEP);
        while (!outcome.isDecided() && now() < end) {
            Task next = next();
            passTo(next == null ? end : Math.min(end, Math.max(now(), next.at)));
        }
        if (!outcome.isDecided() && nanos > LONGEST_SLEEP) {
            throw new IllegalStateException("sleeps forever");
        }
    }

    Task schedule(Runnable task, long delayNanos) {
        Error end = scheduleFails;
        if (end != null) {
            scheduleFails = null;
            throw end;
        }
        Task scheduled = new Task(now() + Math.max(0, delayNanos), task);
        tasks.add(scheduled);
        return scheduled;
    }

    /** Moves the clock without running tasks; those that become due are late. */
    public void moveTo(long time) {
        now.set(time);
    }

    /** Returns the next task to run, {@code null} if there is none. */
    public Task next() {
        tasks.removeIf(task -> task.cancelled);
        Task first = null;
        for (Task task : tasks) {
            if (first == null || task.at < first.at) {
                first = task;
            }
        }
        return first;
    }

    /** Removes the next task from the schedule, for the caller to run. */
    public Task takeNext() {
        Task first = next();
        tasks.remove(first);
        return first;
    }

    /** Lets time pass, and runs each task when it is due. */
    public void passTo(long end) {
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
        moveTo(Math.max(now(), end)); // a task may have stalled the client
    }

    public FencedLock lock(LockOptions options) {
        return new EngineLock(engine, "lock", options);
    }

    /** Returns whether the server would grant the lock to another client at once. */
    public boolean isFree() {
        QueryReply.Inspected lock = server.execute(new Query.Inspect("lock"));
        return lock.untilMillis() <= lock.server().millis() && lock.queue().isEmpty();
    }

    /** Makes another client take the lock for the given time. */
    public void holdElsewhere(long nanos) {
        server.execute(new Command.Acquire(
                "lock", "other:1", true, Duration.ofNanos(nanos).toMillis(), 0, Long.MAX_VALUE));
    }

    /** Makes the server forget the lock and its waiters, without any message. */
    public void freeElsewhereUnheard() {
        server.delete("lock");
    }

    /** Returns a defect that the engine has detected in itself. */
    public boolean isSound() {
        return defect == null;
    }
}
