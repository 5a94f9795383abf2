// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.DistributedLatch;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.MultiLock;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stack overflows anywhere inside the client. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class CutShortTest {

    private static final int DEPTHS =
            Boolean.getBoolean("boltwork.proof") ? 1_000 : Boolean.getBoolean("boltwork.whole") ? 60 : 20;
    private static final int AT_ONCE = 25;
    private static final long STACK = 256 * 1024;
    private static final Duration PATIENCE = Duration.ofSeconds(5 * Integer.getInteger("boltwork.slack", 1));

    /** One way to use a lock of some kind, run at each stack depth. */
    enum Step {
        LOCK(DEPTHS) {
            @Override
            Runnable of(LockClient client, String name) {
                FencedLock lock = client.lock(name);
                return () -> {
                    lock.lock();
                    lock.unlock();
                };
            }
        },
        ACQUIRE(DEPTHS) {
            @Override
            Runnable of(LockClient client, String name) {
                FencedLock lock = client.lock(name);
                return () -> lock.acquire().close();
            }
        },
        TRY(DEPTHS) {
            @Override
            Runnable of(LockClient client, String name) {
                FencedLock lock = client.lock(name);
                return () -> lock.tryAcquire().ifPresent(Lease::close);
            }
        },
        LOCK_TWO(DEPTHS / 10) {
            @Override
            Runnable of(LockClient client, String name) {
                MultiLock both = client.multiLock(client.lock(name), client.lock(name + "-too"));
                return () -> {
                    both.lock();
                    both.unlock();
                };
            }

            @Override
            boolean works(LockClient client, String name) throws InterruptedException {
                return CutShortTest.works(client.lock(name)) && CutShortTest.works(client.lock(name + "-too"));
            }
        },
        ACQUIRE_TWO(DEPTHS / 10) {
            @Override
            Runnable of(LockClient client, String name) {
                MultiLock both = client.multiLock(client.lock(name), client.lock(name + "-too"));
                return () -> both.acquire().close();
            }

            @Override
            boolean works(LockClient client, String name) throws InterruptedException {
                return LOCK_TWO.works(client, name);
            }
        },
        READ(DEPTHS / 10) {
            @Override
            Runnable of(LockClient client, String name) {
                FencedLock lock = client.readWriteLock(name).readLock();
                return () -> {
                    lock.lock();
                    lock.unlock();
                };
            }

            @Override
            boolean works(LockClient client, String name) throws InterruptedException {
                return CutShortTest.works(client.readWriteLock(name).writeLock());
            }
        },
        WRITE(DEPTHS / 10) {
            @Override
            Runnable of(LockClient client, String name) {
                FencedLock lock = client.readWriteLock(name).writeLock();
                return () -> lock.acquire().close();
            }

            @Override
            boolean works(LockClient client, String name) throws InterruptedException {
                return READ.works(client, name);
            }
        },
        PERMIT(DEPTHS / 10) {
            @Override
            Runnable of(LockClient client, String name) {
                LeasedSemaphore semaphore = client.semaphore(name, 2);
                return () -> semaphore.acquire().close();
            }

            @Override
            boolean works(LockClient client, String name) throws InterruptedException {
                Optional<Lease> both = client.semaphore(name, 2).tryAcquire(2, PATIENCE);
                both.ifPresent(Lease::close);
                return both.isPresent();
            }
        },
        COUNT_DOWN(DEPTHS / 10) {
            @Override
            Runnable of(LockClient client, String name) {
                DistributedLatch latch = client.latch(name);
                return () -> {
                    latch.trySetCount(1);
                    latch.countDown();
                    latch.awaitAsync();
                };
            }

            @Override
            boolean works(LockClient client, String name) throws InterruptedException {
                DistributedLatch latch = client.latch(name);
                latch.trySetCount(1);
                while (latch.count() > 0) {
                    latch.countDown();
                }
                return latch.await(PATIENCE);
            }
        };

        private final int depths;

        Step(int depths) {
            this.depths = depths;
        }

        /** Returns the use of the lock with that name. */
        abstract Runnable of(LockClient client, String name);

        /** Returns whether a client can have the lock, or all of its permits. */
        boolean works(LockClient client, String name) throws InterruptedException {
            return CutShortTest.works(client.lock(name));
        }
    }

    private final MemoryServer server = MemoryServer.create();
    private LockClient client;
    private LockClient other;

    @BeforeEach
    void open() {
        client = LockClient.create(new Remote(MemoryBackend.on(server)));
        other = LockClient.create(MemoryBackend.on(server));
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
    }

    @ParameterizedTest
    @EnumSource
    void locksWorkAfterStackOverflowsAnywhere(Step step) throws InterruptedException {
        FencedLock bystander = client.lock("bystander");
        List<String> stuck = new ArrayList<>();
        List<Thread> walking = new ArrayList<>();
        Queue<Throwable> ends = new ConcurrentLinkedQueue<>();
        for (int depth = 0; depth < step.depths; depth++) {
            Runnable use = step.of(client, "lock-" + depth);
            int padding = depth;
            walking.add(inSmallThread(() -> {
                try {
                    pad(padding, () -> walk(use));
                } catch (StackOverflowError cut) {
                    ends.add(cut);
                }
            }));
            if (walking.size() == AT_ONCE) {
                end(walking);
            }
        }
        end(walking);
        assertThat(ends).as("stack overflows").hasSize(step.depths);
        for (int i = 0; i < step.depths && stuck.size() < 3; i++) {
            if (!step.works(client, "lock-" + i) || !step.works(other, "lock-" + i)) {
                stuck.add("lock-" + i);
            }
        }
        assertThat(stuck).isEmpty();
        assertThat(works(bystander)).isTrue();
    }

    /** The callbacks' threads have small stacks, and fill them to the end. */
    @Test
    void locksWorkAfterStackOverflowsInCallbacks() throws InterruptedException {
        Queue<Thread> threads = new ConcurrentLinkedQueue<>();
        ClientOptions options = ClientOptions.defaults().withCallbackExecutor(task -> threads.add(inSmallThread(task)));
        Queue<Throwable> ends = new ConcurrentLinkedQueue<>();
        try (LockClient calling = LockClient.create(new Remote(MemoryBackend.on(server)), options)) {
            for (int depth = 0; depth < DEPTHS; depth++) {
                int padding = depth;
                Runnable use = Step.ACQUIRE.of(calling, "walked-" + depth);
                calling.lock("called-" + depth).acquireAsync().thenAccept(lease -> {
                    try {
                        pad(padding, () -> walk(use));
                    } catch (StackOverflowError cut) {
                        ends.add(cut);
                    }
                    lease.release();
                });
                if (depth % AT_ONCE == AT_ONCE - 1) {
                    awaitSize(ends, depth + 1);
                }
            }
            for (int i = 0; i < DEPTHS; i++) {
                for (String name : List.of("walked-" + i, "called-" + i)) {
                    assertThat(works(calling.lock(name))).as(name).isTrue();
                    assertThat(works(other.lock(name))).as(name + " elsewhere").isTrue();
                }
            }
        }
        end(new ArrayList<>(threads));
    }

    @Test
    void heldLocksAreFreeAfterStackOverflowsInClose() throws InterruptedException {
        AtomicInteger cuts = new AtomicInteger();
        Set<Thread> timers = timers();
        for (int i = 0; i < DEPTHS; i++) {
            LockClient closing = LockClient.create(new Remote(MemoryBackend.on(server)));
            closing.lock("closed-" + i).acquire();
            int frames = i;
            end(new ArrayList<>(List.of(inSmallThread(() -> aboveTheEnd(frames, new AtomicBoolean(), () -> {
                try {
                    closing.close();
                } catch (StackOverflowError cut) {
                    cuts.getAndIncrement();
                }
            })))));
            closing.close(); // in case it has not even begun; otherwise without effect
        }
        assertThat(cuts).as("closes that overflowed").hasValueGreaterThan(10);
        for (int i = 0; i < DEPTHS; i++) {
            assertThat(works(other.lock("closed-" + i))).as("closed-" + i).isTrue();
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!timers.containsAll(timers()) && System.nanoTime() < end) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(timers()).as("the timers of clients that have not ended").isSubsetOf(timers);
    }

    /** Returns the timers of all clients in this JVM. */
    private static Set<Thread> timers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("boltwork-timer"))
                .collect(Collectors.toSet());
    }

    /** One way to give a lock back, cut short in the named method. */
    enum GiveBack {
        UNLOCK("lockedHold") {
            @Override
            Runnable of(LockClient client, String name) {
                FencedLock lock = client.lock(name);
                lock.lock();
                return lock::unlock;
            }
        },
        CLOSE("useRight") {
            @Override
            Runnable of(LockClient client, String name) {
                return client.lock(name).acquire()::close;
            }
        },
        RELEASE_ASYNC("useRight") {
            @Override
            Runnable of(LockClient client, String name) {
                return client.lock(name).acquire()::releaseAsync;
            }
        },
        UNLOCK_TWO("lockedHold") {
            @Override
            Runnable of(LockClient client, String name) {
                MultiLock both = client.multiLock(client.lock(name), client.lock(name + "-too"));
                both.lock();
                return both::unlock;
            }
        },
        CLOSE_TWO("beginReleases") {
            @Override
            Runnable of(LockClient client, String name) {
                return client.multiLock(client.lock(name), client.lock(name + "-too"))
                        .acquire()::close;
            }
        },
        RELEASE_TWO_ASYNC("beginReleases") {
            @Override
            Runnable of(LockClient client, String name) {
                return client.multiLock(client.lock(name), client.lock(name + "-too"))
                        .acquire()::releaseAsync;
            }
        };

        /** The method that has to give the lock back, however its callees end. */
        private final String method;

        GiveBack(String method) {
            this.method = method;
        }

        /** Acquires the lock with that name. Returns what gives it back. */
        abstract Runnable of(LockClient client, String name);
    }

    /** In a JVM that compiles nothing: a compiled method has its callees within its own frame, which cannot fail. */
    @Test
    @DisabledIfSystemProperty(
            named = "boltwork.plain",
            matches = "true",
            disabledReason = "PIT has changed this JVM only")
    void locksThatAreGivenBackAtTheEndOfTheStackAreFree() throws Exception {
        Path log = Files.createTempFile("given-back", ".txt");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xint",
                        "-Dboltwork.slack=" + Integer.getInteger("boltwork.slack", 1),
                        "-cp",
                        System.getProperty("java.class.path"),
                        GivenBack.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(child.waitFor(2, TimeUnit.MINUTES))
                    .as("the JVM has ended")
                    .isTrue();
            assertThat(child.exitValue()).as(Files.readString(log)).isZero();
        } finally {
            child.destroyForcibly();
            Files.delete(log);
        }
    }

    /** Gives locks back at 50 distances from the end of the stack, in steps of one frame. */
    static final class GivenBack {

        private GivenBack() {}

        public static void main(String[] args) throws InterruptedException {
            MemoryServer server = MemoryServer.create();
            try (LockClient client = LockClient.create(new Remote(MemoryBackend.on(server)));
                    LockClient other = LockClient.create(MemoryBackend.on(server))) {
                for (GiveBack way : GiveBack.values()) {
                    way.of(client, way + "-first").run(); // an initializer that is cut short breaks its class for good
                    Map<String, Throwable> cuts = new ConcurrentHashMap<>();
                    for (int i = 0; i < 2 * 50; i++) {
                        String name = way + "-" + i;
                        int frames = i % 50;
                        end(new ArrayList<>(List.of(inSmallThread(() -> {
                            Runnable giveBack = way.of(client, name);
                            Throwable cut = cutAboveTheEnd(frames, giveBack);
                            if (cut != null) {
                                cuts.put(name, cut);
                            }
                        }))));
                    }
                    cuts.values()
                            .removeIf(cut -> Stream.of(cut.getStackTrace())
                                    .skip(1) // at the entry of a method is not in it
                                    .noneMatch(frame -> frame.getMethodName().equals(way.method)));
                    assertThat(cuts).as("cut short: " + way).isNotEmpty();
                    for (Map.Entry<String, Throwable> cut : cuts.entrySet()) {
                        for (String name : List.of(cut.getKey(), cut.getKey() + "-too")) {
                            if (!works(other.lock(name))) {
                                throw new AssertionError(name + " is not free", cut.getValue());
                            }
                        }
                    }
                }
            }
        }

        /** Returns the stack overflow that has cut a body short; {@code null} if it has ended. */
        private static @Nullable Throwable cutAboveTheEnd(int frames, Runnable body) {
            AtomicReference<Throwable> end = new AtomicReference<>();
            aboveTheEnd(frames, new AtomicBoolean(), () -> {
                try {
                    body.run();
                } catch (StackOverflowError cut) {
                    end.set(cut);
                }
            });
            return end.get();
        }
    }

    /**
     * Recurses to the end of the stack, and runs the body once, the given number of frames above it. Returns the
     * distance.
     */
    private static int aboveTheEnd(int frames, AtomicBoolean done, Runnable body) {
        int above;
        try {
            above = aboveTheEnd(frames, done, body) + 1;
        } catch (StackOverflowError end) {
            above = 0;
        }
        if (above == frames && !done.get()) {
            done.set(true);
            body.run();
        }
        return above;
    }

    private static void awaitSize(Queue<?> queue, int size) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (queue.size() < size && System.nanoTime() < end) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(queue).hasSize(size);
    }

    private static boolean works(FencedLock lock) throws InterruptedException {
        Optional<Lease> lease = lock.tryAcquire(PATIENCE);
        lease.ifPresent(Lease::close);
        return lease.isPresent();
    }

    /**
     * Executes commands on the server's own stack, as Redis does. Answers come on that thread, which needs no wake-up.
     */
    private static final class Remote implements LockBackend {
        private final LockBackend backend;
        private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
        private final AtomicInteger offers = new AtomicInteger();
        private volatile boolean closed;

        Remote(LockBackend backend) {
            this.backend = backend;
            Thread thread = new Thread(this::execute, "remote");
            thread.setDaemon(true);
            thread.start();
        }

        private void execute() {
            while (!closed) {
                Runnable step = steps.poll();
                if (step == null) {
                    LockSupport.parkNanos(50_000);
                } else {
                    step.run();
                }
            }
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
            steps.add(() -> backend.send(command, handler));
        }

        /** Lets callers wait for the answer to every second command, and use it, on their own stacks. */
        @Override
        public @Nullable CallerRun offer(Command<?> command, Consumer<Reply> handler) {
            if (offers.incrementAndGet() % 2 == 0) {
                return null;
            }
            return new CallerRun() {
                @Override
                public void run(LongSupplier nanosLeft) {
                    AtomicReference<Reply> answer = new AtomicReference<>();
                    Remote.this.send(command, answer::set); // the server's stack is its own
                    while (answer.get() == null && nanosLeft.getAsLong() > 0) {
                        LockSupport.parkNanos(50_000);
                    }
                    Reply reply = answer.get();
                    if (reply != null) {
                        handler.accept(reply);
                    }
                }

                @Override
                public void send() {
                    Remote.this.send(command, handler);
                }
            };
        }

        @Override
        public Duration commandTimeout() {
            return backend.commandTimeout();
        }

        @Override
        public void close() {
            backend.close();
            closed = true;
        }
    }

    private static void walk(Runnable use) {
        use.run();
        pad(25, () -> walk(use));
    }

    private static void pad(int depth, Runnable body) {
        if (depth == 0) {
            body.run();
        } else {
            pad(depth - 1, body);
        }
    }

    private static Thread inSmallThread(Runnable body) {
        Thread thread = new Thread(null, body, "small", STACK);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void end(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(30));
            assertThat(thread.isAlive()).as("the thread is still alive").isFalse();
        }
        threads.clear();
    }
}
