// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
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

        private final AtomicReference<Runnable> onOffer = new AtomicReference<>(() -> {});

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
                    if (reached == null) {
                        backend.send(command, handler);
                        return;
                    }
                    reached.countDown();
                    while (nanosLeft.getAsLong() > 0) {
                        Thread.yield();
                    }
                    handler.accept(new Reply.Failed(true, new BackendException("left", true, null)));
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
            backend.send(command, handler);
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

    @AfterEach
    void close() {
        client.close();
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
        while (other.inspector().describe("lock").queue().isEmpty()) {
            Thread.sleep(1);
        }
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
        while (caller.getState() != Thread.State.WAITING && caller.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
        lock.unlock();
        caller.join();
        assertThat(backend.log)
                .containsExactly(
                        "offered Acquire", "executed Acquire", "sent Release", "offered Release", "executed Release");
    }

    /** Otherwise, an acquire would come to the server after its own withdrawal. */
    @Test
    void aCommandThatIsNotTakenYetIsSentBeforeTheNextOne() throws Exception {
        CountDownLatch offered = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        backend.onOffer.set(() -> {
            offered.countDown(); // the drain goes on with the close, which is posted meanwhile
            await(closed);
        });
        Thread caller = new Thread(() -> {
            try {
                lock.lock();
            } catch (RuntimeException closedClient) {
                // expected
            }
        });
        caller.start();
        offered.await();
        Thread closing = new Thread(client::close);
        closing.start();
        while (closing.getState() == Thread.State.RUNNABLE || closing.getState() == Thread.State.NEW) {
            Thread.sleep(1); // until the close is in the mailbox
        }
        closed.countDown();
        caller.join();
        closing.join();
        assertThat(backend.log).doesNotContain("executed Acquire");
        assertThat(backend.log.indexOf("passed on Acquire")).isLessThan(backend.log.indexOf("sent Withdraw"));
        assertThat(other.lock("lock").tryLock()).isTrue();
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

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
