// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import com.sun.management.UnixOperatingSystemMXBean;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A JVM whose clients acquire a lock, let their connections be cut, connect again, and release the lock. Prints
 * {@code cut} and the number of a client to have its connections cut. Now and then all clients stop, a line tells what
 * the JVM uses, and they go on when a line is received. Arguments: the number of cycles, the number of such stops, the
 * URI of each client.
 */
final class CutJvm {
    /** Many, because a client waits up to a second before it connects again if its last connection was short. */
    static final int CLIENTS = 48;

    /** The number of locks that each client uses. */
    static final int NAMES = 16;

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final long PATIENCE_SECONDS = 30;

    private static final BufferedReader IN =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private final int number;
    private final String uri;
    private final Semaphore downs = new Semaphore(0);
    private final Semaphore ups = new Semaphore(0);

    private CutJvm(int number, String uri) {
        this.number = number;
        this.uri = uri;
    }

    public static void main(String[] args) throws InterruptedException {
        int cycles = Integer.parseInt(args[0]);
        int samples = Integer.parseInt(args[1]);
        int each = cycles / samples / CLIENTS;
        int[] done = new int[1];
        CyclicBarrier stop = new CyclicBarrier(CLIENTS, () -> sample(done[0] += each * CLIENTS));
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            CutJvm client = new CutJvm(i, args[2 + i]);
            Thread thread = new Thread(() -> client.run(samples, each, stop), "cut-" + i);
            thread.setUncaughtExceptionHandler((failed, failure) -> {
                failure.printStackTrace();
                Runtime.getRuntime().halt(1);
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("done");
    }

    private static void sample(int cycles) {
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        long descriptors = ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class)
                .getOpenFileDescriptorCount();
        System.out.println("sample " + cycles + " " + heap + " " + threads + " " + descriptors);
        try {
            IN.readLine();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void run(int samples, int each, CyclicBarrier stop) {
        LockListener listener = new LockListener() {
            @Override
            public void backendDown(BackendDown event) {
                downs.release();
            }

            @Override
            public void backendUp(BackendUp event) {
                ups.release();
            }
        };
        try (LockClient locks = LockClient.create(RedisBackend.connect(uri))) {
            locks.addListener(listener);
            Random random = new Random(number);
            for (int i = 0; i < samples; i++) {
                for (int j = 0; j < each; j++) {
                    cycle(locks, "cut:" + number + ":" + random.nextInt(NAMES));
                }
                stop.await();
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void cycle(LockClient locks, String name) throws InterruptedException {
        downs.drainPermits();
        ups.drainPermits();
        try (Lease lease = locks.lock(name, LockOptions.renewedLease(LEASE)).acquire()) {
            cut();
            await(ups);
            if (!lease.isValid()) {
                throw new AssertionError("The lease of " + name + " was lost with a connection");
            }
        }
    }

    /**
     * Asks to be cut until that has been noticed: a cut during an outage, of which there may be others, cuts nothing.
     */
    private void cut() throws InterruptedException {
        for (int i = 0; i < PATIENCE_SECONDS; i++) {
            System.out.println("cut " + number);
            if (downs.tryAcquire(1, TimeUnit.SECONDS)) {
                return;
            }
        }
        throw new AssertionError("Client " + number + " was not cut");
    }

    private void await(Semaphore events) throws InterruptedException {
        if (!events.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("Client " + number + " has not connected again");
        }
    }
}
