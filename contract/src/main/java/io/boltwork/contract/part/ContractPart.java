// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.part;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.BusyLock;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.WatchedBackend;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** The clients, threads and locks of one test, and the check that the test leaves nothing behind. */
@Timeout(value = 90, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class ContractPart {

    /**
     * The maximum time from a wake-up to the hold. It is well below the 5 s after which waiters ask again by
     * themselves.
     */
    protected static final Duration PROMPT = Duration.ofSeconds(2);

    /** The maximum delay of an event on a busy machine. */
    protected static final Duration TOLERANCE = Slack.seconds(1);

    /** A lease that is renewed. The time that remains when a renewal is due outlasts the stalls of a busy machine. */
    protected static final Duration RENEWED = millis(1_000);

    /** A fixed lease that ends during the test, but not before the test has done its first steps. */
    protected static final Duration FIXED = millis(400);

    private static final ClientOptions OPTIONS = ClientOptions.defaults().withShutdownTime(Duration.ofSeconds(2));

    protected final LockSite site;

    /** The unique name of the lock under test. */
    protected final String name = "contract:" + UUID.randomUUID();

    private final List<Party> parties = new CopyOnWriteArrayList<>();
    private final List<Task<?>> tasks = new CopyOnWriteArrayList<>();
    private final List<ExecutorService> executors = new CopyOnWriteArrayList<>();
    private @Nullable LockBackend spare;

    /** Returns whether a command extends a lease, and does not only verify it. */
    protected static boolean prolongs(Command<?> command) {
        return command instanceof Command.Renew renew
                && renew.items().stream().anyMatch(item -> item.leaseMillis() > 0);
    }

    protected ContractPart(LockSite site) {
        this.site = site;
    }

    /** A client and its backend. */
    public record Party(LockClient client, WatchedBackend backend) {
        public FencedLock lock(String name) {
            return client.lock(name);
        }

        public FencedLock lock(String name, LockOptions options) {
            return client.lock(name, options);
        }

        public Duration commandTimeout() {
            return backend.commandTimeout();
        }

        /** Cuts the client off permanently, as if its JVM had been killed. */
        public void kill() {
            backend.close();
        }
    }

    /** A thread that acquires a lock and holds it until told to release it. */
    public record Holder(Task<?> task, CompletableFuture<Long> held, CountDownLatch letGo) {
        public boolean isHolding() {
            return held.isDone();
        }

        /** Returns the token of its hold; waits until there is one. */
        public long token() {
            return ContractPart.get(held);
        }

        public void release() {
            letGo.countDown();
            task.get();
        }
    }

    /** An action that may throw. */
    @FunctionalInterface
    public interface Body {
        void run() throws Exception;
    }

    /** A counter that is exact only if a lock protects it. */
    public static final class Counter {
        private int value;

        public void increment() {
            int read = value;
            if (read % 8 == 0) {
                Thread.yield(); // on a machine with much else to do, this may take 40 ms
            }
            value = read + 1;
        }

        public int value() {
            return value;
        }
    }

    protected final Party party() {
        return party(OPTIONS);
    }

    protected final Party party(ClientOptions options) {
        WatchedBackend backend = new WatchedBackend(site.newBackend());
        Party party = new Party(LockClient.create(backend, options), backend);
        parties.add(party);
        return party;
    }

    /** Creates a client that ends soon, and whose shutdown takes at most 100 ms. */
    protected final Party doomedParty() {
        return party(OPTIONS.withShutdownTime(Duration.ofMillis(100)));
    }

    /** Returns the lock under test, from a new client. */
    protected final FencedLock newLock() {
        return party().lock(name);
    }

    protected final FencedLock newLockNamed(String any) {
        return party().lock(any);
    }

    /** Returns the lock under test from a new client, held by the calling thread. */
    protected final FencedLock heldElsewhere() {
        FencedLock lock = newLock();
        lock.lock();
        return lock;
    }

    protected final <T> Task<T> start(Callable<T> body) {
        Task<T> task = Task.start("contract-" + (tasks.size() + 1), body);
        tasks.add(task);
        return task;
    }

    protected final Task<?> run(Body body) {
        return start(() -> {
            body.run();
            return true;
        });
    }

    /**
     * Starts a thread that waits for the lock, holds it for a moment, and returns the time at which it got the lock.
     */
    protected final Task<Long> visitor(FencedLock lock) {
        return start(() -> {
            lock.lock();
            long when = System.nanoTime();
            lock.unlock();
            return when;
        });
    }

    /** Starts a thread that holds the lock, and waits until it does. */
    protected final Holder hold(FencedLock lock) {
        Holder holder = holdInTime(lock);
        holder.token();
        return holder;
    }

    /** Starts a thread that will hold the lock. */
    protected final Holder holdInTime(FencedLock lock) {
        CompletableFuture<Long> held = new CompletableFuture<>();
        CountDownLatch letGo = new CountDownLatch(1);
        Task<?> task = run(() -> {
            try {
                lock.lock();
                held.complete(tokenOf(lock));
            } catch (RuntimeException e) {
                held.completeExceptionally(e);
                throw e;
            }
            letGo.await();
            lock.unlock();
        });
        return new Holder(task, held, letGo);
    }

    /** Returns an executor for callbacks with as many threads of that name as needed. */
    protected final ExecutorService executor(String threadName) {
        return ended(Executors.newCachedThreadPool(named(threadName)));
    }

    /** Returns an executor for callbacks with one thread of that name, so that they keep their order. */
    protected final ExecutorService oneThread(String name) {
        return ended(Executors.newSingleThreadExecutor(named(name)));
    }

    private static ThreadFactory named(String name) {
        return body -> {
            Thread thread = new Thread(body, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Registers an executor to be shut down at the end of the test. */
    private ExecutorService ended(ExecutorService executor) {
        executors.add(executor);
        return executor;
    }

    /** Lets time pass, for tests about durations. */
    protected static void pass(Duration time) {
        try {
            Thread.sleep(time.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns a duration of that many milliseconds, extended on slow machines. */
    protected static Duration millis(long millis) {
        return Duration.ofMillis(Slack.of(Duration.ofMillis(millis)).toMillis());
    }

    /** Returns the result of a stage; waits for it. */
    protected static <T> T get(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(Slack.seconds(15).toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("The stage failed", e.getCause());
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("The stage has not completed", e);
        }
    }

    /** Returns the exception of a stage; waits for it. */
    protected static Throwable failureOf(CompletionStage<?> stage) {
        return get(stage.handle((value, failure) -> {
            if (failure == null) {
                throw new AssertionError("The stage completed with " + value + " and did not fail");
            }
            return failure.getCause() == null || !(failure instanceof java.util.concurrent.CompletionException)
                    ? failure
                    : failure.getCause();
        }));
    }

    protected static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(Slack.seconds(60).toMillis(), TimeUnit.MILLISECONDS))
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns what each client has announced of its use of the lock under test, as another client sees it. */
    protected final List<BusyLock> uses(LockKind kind) {
        return parties.get(0).client().inspector().clients().stream()
                .flatMap(client -> client.busiest().stream())
                .filter(use -> use.kind() == kind && use.name().equals(name))
                .toList();
    }

    protected static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    protected static long tokenOf(FencedLock lock) {
        return lock.currentLease().map(Lease::fencingToken).orElseThrow();
    }

    protected static boolean isTry(Command<?> command) {
        return command instanceof Command.Acquire acquire && !acquire.queue();
    }

    /** Returns the state of the lock under test at the server. */
    protected final QueryReply.Inspected inspect() {
        return inspect(name);
    }

    protected final QueryReply.Inspected inspect(String lock) {
        return inspect(LockKind.LOCK, lock);
    }

    protected final QueryReply.Inspected inspect(LockKind kind, String lock) {
        LockBackend asked = spare == null ? openSpare() : spare;
        for (int attempts = 0; attempts < 20; attempts++) {
            CompletableFuture<Reply> answer = new CompletableFuture<>();
            asked.send(new Query.Inspect(lock, kind), answer::complete);
            try {
                if (answer.get(2, TimeUnit.SECONDS) instanceof QueryReply.Inspected inspected) {
                    return inspected;
                }
                pass(Duration.ofMillis(100)); // the connection is being re-established
            } catch (TimeoutException e) {
                continue; // the connection broke without notice
            } catch (ExecutionException | InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        throw new AssertionError("The server does not answer");
    }

    private LockBackend openSpare() {
        LockBackend opened = site.newBackend();
        opened.open(UUID.randomUUID().toString(), new Indifferent());
        spare = opened;
        return opened;
    }

    /** Waits until that many requests are in the queue of the lock under test. */
    protected final void awaitQueued(int requests) {
        awaitQueued(name, requests);
    }

    /** Waits until a holder's request is in the queue of the lock under test, or has left it on a slow machine. */
    protected final void awaitQueued(Holder holder) {
        Await.until("a request in the queue of " + name, () -> waiting(name) == 1 || holder.isHolding());
    }

    /** Waits until that many requests are in the queue of a lock. */
    protected final void awaitQueued(String lock, int requests) {
        Await.until(requests + " requests in the queue of " + lock, () -> waiting(lock) == requests);
    }

    /** Skips a test that needs a server with a queue. */
    protected final void needsQueue() {
        assumeTrue(site.hasQueue(), "this backend has no queue, and refuses what needs one");
    }

    /** Skips a test of a promise that a lock which is shared with another program does not give. */
    protected final void needsLockOfItsOwn() {
        assumeFalse(
                site.isBridged(), "these locks are bridged: nothing is restored, and names with braces are refused");
    }

    /** Skips a test of something that this backend does not have. */
    protected final void needs(Capability capability) {
        party().backend().refusal(capability).ifPresent(reason -> assumeTrue(false, reason));
    }

    /** Returns how many requests wait at the server; without a queue there, how many of the parties' requests wait. */
    private int waiting(String lock) {
        return site.hasQueue()
                ? inspect(lock).queue().size()
                : parties.stream()
                        .mapToInt(party -> party.backend().waiting(lock))
                        .sum();
    }

    /**
     * Returns whether no client holds or wants a lock of that name, of any kind. A lease that has ended holds nothing.
     */
    protected final boolean isFree(String lock) {
        return Stream.of(LockKind.values())
                .map(kind -> inspect(kind, lock))
                .allMatch(seen -> seen.queue().isEmpty()
                        && seen.holders().stream()
                                .allMatch(holder ->
                                        holder.untilMillis() <= seen.server().millis()));
    }

    protected final void awaitFree() {
        Await.until("no client holds or wants " + name, () -> isFree(name));
    }

    @AfterEach
    final void leavesNothingOver() {
        Thread.interrupted();
        site.thaw();
        List<Throwable> failures = new ArrayList<>();
        Set<String> locks = new TreeSet<>();
        for (Party party : parties) {
            attempt(failures, party.client()::close);
            locks.addAll(party.backend().locks());
        }
        tasks.forEach(task -> attempt(failures, task::awaitEnd));
        executors.forEach(ExecutorService::shutdownNow);
        for (String lock : locks) {
            attempt(failures, () -> Await.until("no owner or waiter is left: " + inspect(lock), () -> isFree(lock)));
        }
        LockBackend last = spare;
        if (last != null) {
            attempt(failures, last::close);
        }
        attempt(failures, () -> Await.until("no client listens any more", () -> site.listeners() == 0));
        try {
            Await.until("no threads of Boltwork are left", () -> threads().isEmpty());
        } catch (AssertionError late) {
            failures.add(new AssertionError(late.getMessage() + stacks(), late));
        }
        site.flush();
        assertThat(failures).as("left behind").isEmpty();
    }

    private static void attempt(List<Throwable> failures, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | AssertionError e) {
            failures.add(e);
        }
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && thread.getName().startsWith("boltwork"))
                .toList();
    }

    private static String stacks() {
        return threads().stream()
                .map(thread -> "\n" + thread + "\n    at "
                        + Stream.of(thread.getStackTrace())
                                .map(StackTraceElement::toString)
                                .collect(Collectors.joining("\n    at ")))
                .collect(Collectors.joining());
    }

    /** A listener for a backend that only inspects. */
    private static final class Indifferent implements BackendListener {
        @Override
        public void granted(Grant grant) {}

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}
    }
}
