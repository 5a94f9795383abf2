// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.Fairness;
import io.boltwork.testkit.history.HistoryWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * One of several JVMs that load two locks, one of each fairness, in every way, and increment a counter under each,
 * until they are stopped. Arguments: URI, directory of the counters, number of the JVM, threads, seed, directory of
 * the histories, its name there.
 */
final class SoakJvm {
    static final Duration LEASE = Duration.ofSeconds(2);

    /** The rest of a lease when work under it begins. Work that is stopped for less than that still excludes others. */
    static final Duration MARGIN = Duration.ofMillis(1_500);

    private static final Duration IDLE_HOLD = Duration.ofMillis(100);

    static final List<Fairness> LOCKS = List.of(Fairness.values());

    private static volatile boolean over;

    /** True if locks are taken without any work under them. */
    private static volatile boolean quiet;

    private static final AtomicInteger WORKING = new AtomicInteger();
    private static final AtomicLong TURNS = new AtomicLong();
    private static final AtomicLong ERRORS = new AtomicLong();

    private SoakJvm() {}

    static String lock(int number) {
        return "soak:" + LOCKS.get(number);
    }

    static Path counter(Path directory, int lock) {
        return directory.resolve("counter-" + lock);
    }

    public static void main(String[] args) throws Exception {
        List<SharedCounter> counters = new ArrayList<>();
        for (int i = 0; i < LOCKS.size(); i++) {
            counters.add(SharedCounter.open(counter(Path.of(args[1]), i)));
        }
        int number = Integer.parseInt(args[2]);
        Random seeds = new Random(Long.parseLong(args[4]));
        List<Thread> threads = new ArrayList<>();
        try (HistoryWriter history = HistoryWriter.open(Path.of(args[5]), args[6]);
                LockClient client = LockClient.create(RedisBackend.connect(args[0] + "?timeout=1s"))) {
            for (int i = 0; i < Integer.parseInt(args[3]); i++) {
                Random random = new Random(seeds.nextLong());
                Thread thread = new Thread(() -> load(client, history, counters, number, random), "load-" + i);
                thread.setUncaughtExceptionHandler((failed, failure) -> {
                    failure.printStackTrace();
                    Runtime.getRuntime().halt(1);
                });
                thread.start();
                threads.add(thread);
            }
            System.out.println("ready");
            obey();
            for (Thread thread : threads) {
                thread.join();
            }
            System.out.println("stopped " + client);
        }
    }

    private static void obey() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("stop"); line = in.readLine()) {
            switch (line) {
                case "quiet" -> {
                    quiet = true;
                    while (WORKING.get() > 0) {
                        Thread.onSpinWait();
                    }
                    System.out.println("quiet");
                }
                case "work" -> quiet = false;
                default -> report();
            }
        }
        over = true;
    }

    private static void report() {
        System.gc();
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        System.out.println(heap + " " + threads + " " + TURNS + " " + ERRORS);
    }

    private static void load(
            LockClient client, HistoryWriter history, List<SharedCounter> counters, int number, Random random) {
        while (!over) {
            int which = random.nextInt(LOCKS.size());
            FencedLock lock = history.recorded(
                    client.lock(lock(which), LockOptions.renewedLease(LEASE).withFairness(LOCKS.get(which))));
            try {
                Optional<Lease> acquired = switch (random.nextInt(4)) {
                    case 0 -> lock.tryAcquire(Duration.ofMillis(random.nextInt(2_000)));
                    case 1 -> lock.tryAcquire();
                    case 2 -> Optional.of(lock.acquireInterruptibly());
                    default -> Optional.of(lock.acquire());
                };
                if (acquired.isPresent()) {
                    try (Lease lease = acquired.get()) {
                        increment(counters.get(which), number, lease, random);
                    }
                }
            } catch (BackendException | LeaseLostException e) {
                ERRORS.incrementAndGet(); // expected during faults
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            pause(random);
        }
    }

    private static void increment(SharedCounter counter, int number, Lease lease, Random random) {
        WORKING.incrementAndGet();
        boolean working = !quiet;
        // in this order: a check of the lease from before the quiet phase may be old
        if (working && lease.remaining().compareTo(MARGIN) > 0) {
            counter.increment(number, lease.fencingToken(), () -> work(random));
            lease.isValid(); // if it is killed or loses the lease now, its history records the lease up to here
            TURNS.incrementAndGet();
        }
        WORKING.decrementAndGet();
        if (!working) {
            lease.isValid();
            LockSupport.parkNanos(IDLE_HOLD.toNanos()); // so that about half of the freezes come while it holds
            lease.isValid(); // if true after the freeze, no other owner may have had the lock, which the history shows
        }
    }

    /** Works, now and then for longer, so that another owner in the meantime would be noticed. */
    private static void work(Random random) {
        if (random.nextInt(4) == 0) {
            LockSupport.parkNanos(random.nextInt(4_000_000));
        }
    }

    private static void pause(Random random) {
        try {
            Thread.sleep(5 + random.nextInt(15));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
