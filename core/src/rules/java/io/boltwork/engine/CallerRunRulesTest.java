// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static io.boltwork.engine.HangingScene.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Waiter;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Announce;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rules of commands that their callers execute. Each test is the trace that goes wrong without its rule. */
@Timeout(30)
class CallerRunRulesTest {

    /** Offers all commands, and records how each came to the server. */
    private static final class Offering implements LockBackend {
        private final LockBackend backend;
        private final List<String> log = new CopyOnWriteArrayList<>();
        private final AtomicReference<Runnable> beforeRun = new AtomicReference<>(() -> {});

        /** If set, callers wait for an answer until they leave. */
        private volatile @Nullable CountDownLatch silent;

        /** True if the answers to executed commands are lost. */
        private volatile boolean deaf;

        /** If set, gets the next renewals instead of the server. */
        private volatile @Nullable Queue<Runnable> renewals;

        private final AtomicReference<Runnable> onOffer = new AtomicReference<>(() -> {});

        /** True if a run blocks until it ends. */
        private volatile boolean blocks;

        Offering(MemoryServer server) {
            this.backend = MemoryBackend.on(server, Duration.ofSeconds(1));
        }

        private void add(String how, Command<?> command) {
            if (!(command instanceof Announce)) {
                log.add(how + " " + command.getClass().getSimpleName());
            }
        }

        @Override
        public @Nullable CallerRun offer(Command<?> command, Consumer<Reply> handler) {
            add("offered", command);
            onOffer.get().run();
            return new CallerRun() {
                @Override
                public void run(LongSupplier nanosLeft) {
                    beforeRun.get().run();
                    add("executed", command);
                    CountDownLatch reached = silent;
                    if (reached == null && !deaf) {
                        backend.send(command, handler);
                        return;
                    }
                    if (reached == null) {
                        backend.send(command, lost -> {});
                    } else {
                        reached.countDown();
                    }
                    while (nanosLeft.getAsLong() > 0) {
                        Thread.yield();
                    }
                    handler.accept(new Reply.Failed(true, new BackendException("left", true, null)));
                }

                @Override
                public boolean canBeLeft() {
                    return !blocks;
                }

                @Override
                public void send() {
                    add("passed on", command);
                    backend.send(command, handler);
                }
            };
        }

        @Override
        public void open(String client, BackendListener listener) {
            backend.open(client, listener);
        }

        @Override
        public void rename(String client) {
            backend.rename(client);
        }

        @Override
        public void send(Command<?> command, Consumer<Reply> handler) {
            add("sent", command);
            Queue<Runnable> held = command instanceof Command.Renew ? renewals : null;
            if (held == null) {
                backend.send(command, handler);
            } else {
                held.add(() -> backend.send(command, handler));
            }
        }

        @Override
        public Duration commandTimeout() {
            return backend.commandTimeout();
        }

        @Override
        public void close() {
            backend.close();
        }
    }

    private final MemoryServer server = MemoryServer.create();
    private final Offering backend = new Offering(server);
    private final LockClient client = LockClient.create(backend);
    private final LockClient other = LockClient.create(MemoryBackend.on(server));
    private final FencedLock lock = client.lock("lock");

    /** Another client, of which tests execute single steps. */
    private final Offering steps = new Offering(server);

    private final Engine engine = Engine.open(steps, ClientOptions.defaults());
    private final EngineLock stepped = new EngineLock(engine, "stepped", LockOptions.defaults());

    @AfterEach
    void close() {
        client.close();
        engine.close();
        other.close();
    }

    @Test
    void aLoneCallerExecutesItsCommands() {
        lock.lock();
        lock.unlock();
        lock.acquire().release();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        assertThat(backend.log)
                .filteredOn(how -> !how.startsWith("offered"))
                .containsExactly(
                        "executed Acquire",
                        "executed Release",
                        "executed Acquire",
                        "executed Release",
                        "executed Acquire",
                        "executed Release");
    }

    @Test
    void permitsAndReadersAreExecutedToo() {
        client.semaphore("permits", 2).acquire().release();
        client.readWriteLock("rw").readLock().lock();
        client.readWriteLock("rw").readLock().unlock();
        assertThat(backend.log)
                .filteredOn(how -> !how.startsWith("offered"))
                .containsExactly("executed Acquire", "executed Release", "executed Acquire", "executed Release");
    }

    /** Otherwise, neither an interrupt nor the end of their time would reach them. */
    @Test
    void onlyCallersThatStayExecuteWhatBlocks() throws Exception {
        backend.blocks = true;
        lock.lock();
        lock.unlock();
        lock.lockInterruptibly();
        lock.unlock();
        assertThat(lock.tryLock(10, TimeUnit.MILLISECONDS)).isTrue();
        lock.unlock();
        assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();
        assertThat(backend.log)
                .filteredOn(how -> how.endsWith("Acquire") && !how.startsWith("offered"))
                .containsExactly("executed Acquire", "passed on Acquire", "passed on Acquire", "passed on Acquire");
        assertThat(backend.log).filteredOn("executed Release"::equals).hasSize(3);
    }

    @Test
    void callsThatNobodyWaitsForAreSent() throws Exception {
        Lease lease = lock.acquireAsync().toCompletableFuture().get(10, TimeUnit.SECONDS);
        lease.releaseAsync().toCompletableFuture().get(10, TimeUnit.SECONDS);
        FencedLock sent = client.lock("sent", LockOptions.defaults().withRelease(LockOptions.Release.SENT));
        sent.lock();
        sent.unlock();
        assertThat(backend.log)
                .containsExactly("sent Acquire", "sent Release", "offered Acquire", "executed Acquire", "sent Release");
    }

    @Test
    void aRefusedCallerSleepsUntilItIsGranted() throws Exception {
        FencedLock elsewhere = other.lock("lock");
        elsewhere.lock();
        Thread caller = new Thread(lock::lock);
        caller.start();
        untilQueued();
        elsewhere.unlock();
        caller.join();
        assertThat(backend.log).contains("executed Acquire").doesNotContain("sent Acquire");
    }

    /** Otherwise, they would wait until that thread gets a processor. */
    @Test
    void aReleaseForOthersOfThisClientIsSent() throws Exception {
        FencedLock fixed = client.lock("lock", LockOptions.fixedLease(Duration.ofSeconds(20)));
        lock.lock();
        Thread caller = new Thread(() -> {
            fixed.lock(); // not handed over, because the terms are others
            fixed.unlock();
        });
        caller.start();
        untilAsleep(caller);
        lock.unlock();
        caller.join();
        assertThat(backend.log)
                .containsExactly(
                        "offered Acquire", "executed Acquire", "sent Release", "offered Release", "executed Release");
    }

    /** Makes a caller that is offered its release and has not taken it yet. */
    private void releaseWithoutTaking() {
        stepped.lock();
        steps.log.clear();
        Hold hold = stepped.lockedHold();
        engine.callers.releaseLevelAndWait(hold, hold.leave(false));
    }

    /** Makes a caller that has not taken what it is offered. */
    private Waiter requestWithoutTaking() {
        Waiter waiter = Waiter.of(Thread.currentThread(), stepped.terms, false, true);
        waiter.executes = true;
        stepped.request(waiter);
        return waiter;
    }

    /** Otherwise, an acquire could come to the server after its own withdrawal. */
    @Test
    void aCommandThatIsNotTakenYetIsSentBeforeTheNextOne() {
        releaseWithoutTaking();
        stepped.acquireAsync();
        assertThat(steps.log).containsExactly("offered Release", "passed on Release", "sent Acquire");
    }

    @Test
    void aCommandThatIsNotTakenYetIsSentBeforeThatOfALaterCaller() {
        releaseWithoutTaking();
        requestWithoutTaking();
        assertThat(steps.log).containsExactly("offered Release", "passed on Release", "sent Acquire");
    }

    @Test
    void aCommandWhoseCallerIsDecidedBeforeItTakesItIsNeverSent() throws Exception {
        CountDownLatch offered = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        backend.onOffer.set(() -> {
            offered.countDown(); // the drain goes on with the close, which is posted meanwhile
            await(closed);
        });
        Thread caller = new Thread(
                () -> assertThatExceptionOfType(ClientClosedException.class).isThrownBy(lock::lock));
        caller.start();
        offered.await();
        Thread closing = new Thread(client::close);
        closing.start();
        untilAsleep(closing); // the close is in the mailbox
        closed.countDown();
        caller.join();
        closing.join();
        assertThat(backend.log).contains("sent Withdraw").doesNotContain("executed Acquire", "passed on Acquire");
        assertThat(other.lock("lock").tryLock()).isTrue();
    }

    /** After a restored snapshot, the former id may be another client's. */
    @Test
    void aCommandUnderAFormerIdIsNeverSent() {
        Waiter waiter = requestWithoutTaking();
        engine.cloned(engine.client());
        until(waiter.outcome::isDecided);
        assertThat(steps.log).containsExactly("offered Acquire", "sent Acquire");
        String holder = other.inspector().describe("stepped").holders().get(0).request();
        assertThat(holder).startsWith(engine.client() + ":");
    }

    @Test
    void aDrainThatAnotherThreadTakesOverLeavesTheCallerItsCommand() throws Exception {
        List<CompletableFuture<Void>> others = new CopyOnWriteArrayList<>();
        backend.onOffer.set(() -> {
            backend.onOffer.set(() -> {});
            Thread posting = new Thread(
                    () -> { // more events than one thread executes
                        for (int i = 0; i < 200; i++) {
                            others.add(lock.acquireAsync()
                                    .thenCompose(Lease::releaseAsync)
                                    .toCompletableFuture());
                        }
                    });
            posting.start();
            join(posting);
        });
        lock.lock();
        assertThat(backend.log).startsWith("offered Acquire", "executed Acquire");
        lock.unlock();
        CompletableFuture.allOf(others.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
    }

    @Test
    void aCallerThatIsGrantedTheLockByMessageLeaves() throws Exception {
        FencedLock elsewhere = other.lock("lock");
        elsewhere.lock();
        backend.deaf = true;
        FutureTask<Lease> caller = new FutureTask<>(lock::acquire);
        new Thread(caller).start();
        untilQueued();
        elsewhere.unlock();
        Lease lease = caller.get(10, TimeUnit.SECONDS);
        backend.deaf = false;
        assertThat(lease.isValid()).isTrue();
        assertThat(elsewhere.tryLock()).isFalse();
        lease.release();
        assertThat(elsewhere.tryLock()).isTrue();
    }

    @Test
    void aReleaseThatOvertakesARenewalEndsNoOtherHold() throws Exception {
        Queue<Runnable> held = new ConcurrentLinkedQueue<>();
        backend.renewals = held;
        Lease lease = lock.acquire();
        FutureTask<Boolean> verified = new FutureTask<>(lease::verify);
        Thread verifier = new Thread(verified);
        verifier.start();
        // otherwise that thread might still execute the lock's events, and the next one, too
        until(() -> !held.isEmpty() && verifier.getState() == Thread.State.TIMED_WAITING);
        lease.release();
        Lease next = lock.acquire();
        backend.renewals = null;
        held.remove().run();
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> verified.get(10, TimeUnit.SECONDS))
                .withMessageContaining("was released before it could be verified");
        assertThat(next.verify()).isTrue();
        assertThat(backend.log).contains("executed Release").doesNotContain("sent Release");
    }

    @Test
    void aCallerInACallbackExecutesItsCommandsOnThatThread() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        backend.beforeRun.set(() -> threads.add(Thread.currentThread().getName()));
        FencedLock elsewhere = other.lock("lock");
        elsewhere.lock();
        FencedLock inner = client.lock("inner");
        CompletableFuture<Void> unlocked = new CompletableFuture<>();
        CompletableFuture<Void> done = lock.acquireAsync()
                .thenAccept(lease -> {
                    unlocked.join(); // until then, that thread might still execute the lock's events
                    inner.lock();
                    inner.unlock();
                    lease.release();
                })
                .toCompletableFuture();
        elsewhere.unlock(); // not before: otherwise this thread might call back
        unlocked.complete(null);
        done.get(10, TimeUnit.SECONDS);
        assertThat(threads).hasSize(3).allMatch(name -> name.startsWith("boltwork-callback"));
    }

    @Test
    void aCallerWhoseTimeEndsLeaves() throws Exception {
        backend.silent = new CountDownLatch(1);
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> lock.tryLock(50, TimeUnit.MILLISECONDS))
                .withMessageContaining("within the time that the caller was willing to wait");
        backend.silent = null;
        Optional<Lease> next = other.lock("lock").tryAcquire(Duration.ofSeconds(10));
        assertThat(next).isPresent();
    }

    @Test
    void anInterruptedCallerLeaves() throws Exception {
        CountDownLatch reached = new CountDownLatch(1);
        backend.silent = reached;
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread caller = new Thread(() -> {
            try {
                lock.lockInterruptibly();
            } catch (Throwable e) {
                end.set(e);
            }
        });
        caller.start();
        reached.await();
        backend.silent = null;
        caller.interrupt();
        caller.join();
        assertThat(end.get()).isInstanceOf(InterruptedException.class);
        assertThat(other.lock("lock").tryAcquire(Duration.ofSeconds(10))).isPresent();
    }

    @Test
    void anErrorInARunLeavesTheLockUsable() throws Exception {
        backend.beforeRun.set(() -> {
            throw new StackOverflowError("in a test");
        });
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(lock::lock);
        backend.beforeRun.set(() -> {});
        assertThat(lock.tryAcquire(Duration.ofSeconds(10))).isPresent();
    }

    private void untilQueued() {
        until(() -> !other.inspector().describe("lock").queue().isEmpty());
    }

    private static void untilAsleep(Thread thread) {
        until(() -> Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(thread.getState()));
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
