// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.testkit.history.HistoryWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One of several JVMs that increment a counter under a lock, that hold the lock until they are killed, or that take
 * turns with locks of all kinds, or with two locks at a time, until they are stopped.
 */
final class LockingJvm {
    static final String LOCK = "shared-counter";
    static final Duration LEASE = Duration.ofSeconds(2);

    static final int PHILOSOPHERS = 5;

    /** The names with which they take turns. */
    static final List<String> NAMES = List.of(
            RecordedTurns.name(LockKind.LOCK, "turns"),
            RecordedTurns.name(LockKind.READ_WRITE, "batched"),
            RecordedTurns.name(LockKind.READ_WRITE, "fifo"),
            RecordedTurns.name(LockKind.SEMAPHORE, "batched"),
            RecordedTurns.name(LockKind.SEMAPHORE, "fifo"),
            RecordedTurns.retained("turns"));

    private LockingJvm() {}

    /** The name in its history. */
    static String process(String mode, int number) {
        return mode + "-" + number;
    }

    public static void main(String[] args) throws Exception {
        String mode = args[0];
        SharedCounter counter = SharedCounter.open(Path.of(args[2]));
        int number = Integer.parseInt(args[3]);
        int threads = Integer.parseInt(args[4]);
        int rounds = Integer.parseInt(args[5]);
        try (HistoryWriter history = HistoryWriter.open(Path.of(args[6]), process(mode, number));
                LockClient client = LockClient.create(RedisBackend.connect(args[1]))) {
            FencedLock lock = history.recorded(client.lock(LOCK, LockOptions.renewedLease(LEASE)));
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            if (mode.equals("turns") || mode.equals("eat")) {
                List<String> names = mode.equals("turns") ? NAMES : List.of(RecordedTurns.forks(number, PHILOSOPHERS));
                TurnTakers.start(client, history, names, LockOptions.renewedLease(LEASE))
                        .obey();
            } else if (mode.equals("hold")) {
                hold(lock, in);
            } else {
                System.out.println("ready");
                in.readLine();
                work(lock, counter, number, threads, rounds);
            }
        }
    }

    private static void hold(FencedLock lock, BufferedReader in) throws IOException {
        try (Lease lease = lock.acquire()) {
            lease.ensureValid();
            System.out.println("held " + lease.fencingToken());
            in.readLine();
        }
    }

    private static void work(FencedLock lock, SharedCounter counter, int number, int threads, int rounds)
            throws InterruptedException {
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread worker = new Thread(() -> {
                for (int j = 0; j < rounds; j++) {
                    try (Lease lease = lock.acquire()) {
                        counter.increment(number, lease.fencingToken());
                        lease.ensureValid(); // if it is killed now, its history records the lease up to here
                    }
                }
            });
            worker.setUncaughtExceptionHandler((thread, failure) -> {
                System.err.println(failure);
                Runtime.getRuntime().halt(1);
            });
            worker.start();
            workers.add(worker);
        }
        for (Thread worker : workers) {
            worker.join();
        }
    }
}
