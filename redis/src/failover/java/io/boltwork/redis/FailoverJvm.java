// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.spi.LockBackend;
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
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One of several JVMs that take locks in turns and record it, until they are stopped. Arguments: the URIs of the
 * deployment, separated by blanks (one: as it is; several: replicated), the directory of the histories, the name
 * there, threads for each lock, how many replicas must have a lock, the locks, separated by blanks.
 */
final class FailoverJvm {
    static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration REPLICATED_WITHIN = Duration.ofMillis(100);

    private static final AtomicInteger LOST = new AtomicInteger();
    private static final AtomicInteger ERRORS = new AtomicInteger();
    private static final AtomicLong LONGEST_PAUSE = new AtomicLong();
    private static final List<FailoverJvm> LOCKS = new ArrayList<>();

    private static volatile boolean over;

    private final RecordedTurns recorded;
    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicLong lastTurn = new AtomicLong(System.nanoTime());

    private FailoverJvm(RecordedTurns recorded) {
        this.recorded = recorded;
    }

    static LockBackend connect(String where) {
        List<String> uris = List.of(where.split(" "));
        return uris.size() == 1 ? RedisBackend.connect(where) : RedisBackend.connectReplicated(uris);
    }

    public static void main(String[] args) throws Exception {
        List<Thread> threads = new ArrayList<>();
        try (HistoryWriter history = HistoryWriter.open(Path.of(args[1]), args[2]);
                LockClient client = LockClient.create(connect(args[0]))) {
            int replicas = Integer.parseInt(args[4]);
            LockOptions lease = LockOptions.renewedLease(LEASE);
            LockOptions options =
                    replicas == 0 ? lease : lease.withReplication(Replication.atLeast(replicas, REPLICATED_WITHIN));
            for (String name : args[5].split(" ")) {
                FailoverJvm lock = new FailoverJvm(RecordedTurns.of(client, history, name, options));
                LOCKS.add(lock);
                for (int i = 0; i < Integer.parseInt(args[3]); i++) {
                    threads.add(lock.start(name + "-" + i));
                }
            }
            System.out.println("ready");
            obey();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        int all = LOCKS.stream().mapToInt(lock -> lock.turns.get()).sum();
        System.out.println(all + " " + LOST + " " + ERRORS + " " + LONGEST_PAUSE);
    }

    private Thread start(String name) {
        Thread thread = new Thread(this::takeTurns, name);
        thread.setUncaughtExceptionHandler((failed, failure) -> {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        thread.start();
        return thread;
    }

    /** Prints the errors, the heap and the threads, or the turns with that lock which had the fewest. */
    private static void obey() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("stop"); line = in.readLine()) {
            switch (line) {
                case "errors" -> System.out.println(ERRORS.get());
                case "size" ->
                    System.out.println(
                            heap() + " " + ManagementFactory.getThreadMXBean().getThreadCount());
                default ->
                    System.out.println(LOCKS.stream()
                            .mapToInt(lock -> lock.turns.get())
                            .min()
                            .orElseThrow());
            }
        }
        over = true;
    }

    private static long heap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private void takeTurns() {
        Random random = new Random();
        while (!over) {
            try {
                recorded.take(true, random, () -> {
                    turned();
                    Thread.sleep(2);
                });
            } catch (LeaseLostException e) {
                LOST.incrementAndGet();
            } catch (BackendException e) {
                ERRORS.incrementAndGet();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private void turned() {
        turns.incrementAndGet();
        long now = System.nanoTime();
        long pause = (now - lastTurn.getAndSet(now)) / 1_000_000;
        LONGEST_PAUSE.accumulateAndGet(pause, Math::max);
    }
}
