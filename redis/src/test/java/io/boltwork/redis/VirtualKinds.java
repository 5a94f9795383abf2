// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.DistributedLatch;
import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;

/**
 * Many virtual threads that want a read-write lock, a semaphore, a multi-lock or a latch, in a JVM of version 21 or
 * later that records whether they pin their carriers. Each time, all threads begin to wait before the first one is
 * served. They cannot all begin if a thread that waits keeps its carrier. Arguments: URI, threads.
 */
final class VirtualKinds {
    private static final int PERMITS = 5;
    private static final long PATIENCE_SECONDS = 60;

    private final ExecutorService executor;
    private final int threads;
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    private VirtualKinds(ExecutorService executor, int threads) {
        this.executor = executor;
        this.threads = threads;
    }

    /** A kind of lock, and the way in which the threads use it. */
    private interface Kind {
        /** Makes the threads wait. Returns an action that lets them go on. */
        Runnable block();

        /** Waits, and works; {@code number} is that of the thread. */
        void visit(int number) throws InterruptedException;
    }

    public static void main(String[] args) throws Exception {
        ExecutorService executor = VirtualThreads.executor();
        try (LockClient client = LockClient.create(RedisBackend.connect(args[0]))) {
            VirtualKinds all = new VirtualKinds(executor, Integer.parseInt(args[1]));
            all.run("read-write", all.readWrite(client.readWriteLock("virtual")));
            all.run("semaphore", all.semaphore(client.semaphore("virtual", PERMITS)));
            all.run("multi", all.multi(client.multiLock(client.lock("virtual-1"), client.lock("virtual-2"))));
            all.run("latch", latch(client.latch("virtual")));
            all.run("condition", all.condition(client.lock("virtual")));
        } finally {
            executor.shutdown();
        }
    }

    private void run(String name, Kind kind) throws Exception {
        serve(kind, 100); // class loading pins
        most.set(0);
        int[] served = new int[1];
        int pinned = VirtualThreads.pinned(() -> served[0] = serve(kind, threads));
        System.out.println(name + ": served " + served[0] + ", at most " + most + " at a time, pinned " + pinned);
    }

    private int serve(Kind kind, int visitors) throws Exception {
        AtomicInteger begun = new AtomicInteger();
        Runnable release = kind.block();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < visitors; i++) {
            int number = i;
            all.add(executor.submit(() -> {
                begun.incrementAndGet();
                kind.visit(number);
                return null;
            }));
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (begun.get() < visitors && System.nanoTime() - end < 0) {
            Thread.sleep(1);
        }
        if (begun.get() < visitors) {
            throw new AssertionError("Only " + begun + " threads have begun");
        }
        release.run();
        for (Future<?> each : all) {
            each.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        return all.size();
    }

    private void work(int weight) {
        most.accumulateAndGet(inside.addAndGet(weight), Math::max);
        Thread.yield();
        inside.addAndGet(-weight);
    }

    // ================================================================ the kinds

    /** A quarter of the threads write. A writer counts as all readers. */
    private Kind readWrite(FencedReadWriteLock lock) {
        return new Kind() {
            @Override
            public Runnable block() {
                return lock.writeLock().acquire()::release;
            }

            @Override
            public void visit(int number) {
                FencedLock side = number % 4 == 0 ? lock.writeLock() : lock.readLock();
                side.lock();
                try {
                    work(number % 4 == 0 ? threads : 1);
                } finally {
                    side.unlock();
                }
            }
        };
    }

    private Kind semaphore(LeasedSemaphore semaphore) {
        return new Kind() {
            @Override
            public Runnable block() {
                return semaphore.acquire(PERMITS)::release;
            }

            @Override
            public void visit(int number) {
                int permits = 1 + number % PERMITS;
                try (Lease lease = semaphore.acquire(permits)) {
                    work(permits);
                }
            }
        };
    }

    private Kind multi(FencedLock both) {
        return new Kind() {
            @Override
            public Runnable block() {
                return both.acquire()::release;
            }

            @Override
            public void visit(int number) {
                both.lock();
                try {
                    work(1);
                } finally {
                    both.unlock();
                }
            }
        };
    }

    private Kind condition(FencedLock lock) {
        Condition opened = lock.condition("opened");
        boolean[] isOpen = new boolean[1];
        return new Kind() {
            @Override
            public Runnable block() {
                isOpen[0] = false;
                return this::open;
            }

            private void open() {
                lock.lock();
                try {
                    isOpen[0] = true;
                    opened.signalAll();
                } finally {
                    lock.unlock();
                }
            }

            @Override
            public void visit(int number) throws InterruptedException {
                lock.lock();
                try {
                    while (!isOpen[0]) {
                        opened.await();
                    }
                    work(1);
                } finally {
                    lock.unlock();
                }
            }
        };
    }

    private static Kind latch(DistributedLatch latch) {
        return new Kind() {
            @Override
            public Runnable block() {
                if (!latch.trySetCount(1)) {
                    throw new AssertionError("The latch is in use");
                }
                return latch::countDown;
            }

            @Override
            public void visit(int number) throws InterruptedException {
                latch.await();
            }
        };
    }
}
