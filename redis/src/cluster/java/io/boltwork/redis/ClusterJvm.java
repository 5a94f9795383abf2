package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.Fairness;
import io.boltwork.testkit.HistoryWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One of several JVMs that take locks of a cluster in turns and record it, until they are stopped. Each lock has
 * threads of its own, so that a blocked one does not stop the others. Arguments: nodes, separated by blanks; the
 * directory of the histories; the name there; the locks, separated by blanks; the lease in milliseconds.
 */
final class ClusterJvm {
    private static final int THREADS_PER_LOCK = 2;
    private static final Duration WAIT = Duration.ofSeconds(1);

    /** One turn in this many is a long one. */
    private static final int LONG_TURNS = 64;

    private static final long LONG_MILLIS = 200;
    private static final long SHORT_MILLIS = 2;
    private static final long PAUSE_MILLIS = 5;

    private final AtomicIntegerArray turns;
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger errors = new AtomicInteger();
    private volatile boolean over;

    private ClusterJvm(int locks) {
        turns = new AtomicIntegerArray(locks);
    }

    /** Returns the fairness, which depends on the name. Another test mixes both kinds on one lock. */
    static Fairness fairness(int lock) {
        return lock % 2 == 0 ? Fairness.BATCHED : Fairness.FIFO;
    }

    public static void main(String[] args) throws Exception {
        List<String> nodes = List.of(args[0].split(" "));
        String[] names = args[3].split(" ");
        LockOptions options = LockOptions.renewedLease(Duration.ofMillis(Long.parseLong(args[4])));
        ClusterJvm jvm = new ClusterJvm(names.length);
        try (HistoryWriter history = HistoryWriter.open(Path.of(args[1]), args[2]);
                LockClient client = LockClient.create(RedisBackend.connectCluster(nodes))) {
            List<Thread> threads = new ArrayList<>();
            for (int lock = 0; lock < names.length; lock++) {
                FencedLock recorded = history.recorded(client.lock(names[lock], options.withFairness(fairness(lock))));
                for (int i = 0; i < THREADS_PER_LOCK; i++) {
                    threads.add(jvm.start(lock, recorded, i));
                }
            }
            System.out.println("ready");
            jvm.obey();
            for (Thread thread : threads) {
                thread.join();
            }
        }
        int all = IntStream.range(0, names.length).map(jvm.turns::get).sum();
        System.out.println(all + " " + jvm.lost + " " + jvm.errors);
    }

    private Thread start(int lock, FencedLock recorded, int number) {
        Thread thread = new Thread(() -> takeTurns(lock, recorded, number == 0), recorded.name() + "-" + number);
        thread.setUncaughtExceptionHandler((failed, failure) -> {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        thread.start();
        return thread;
    }

    private void obey() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("stop"); line = in.readLine()) {
            System.out.println(IntStream.range(0, turns.length())
                    .mapToObj(lock -> Integer.toString(turns.get(lock)))
                    .collect(Collectors.joining(" ")));
        }
        over = true;
    }

    private void takeTurns(int number, FencedLock lock, boolean patient) {
        Random random = new Random();
        while (!over) {
            try {
                Optional<Lease> acquired = patient
                        ? Optional.of(lock.acquire())
                        : random.nextBoolean() ? lock.tryAcquire() : lock.tryAcquire(WAIT);
                if (acquired.isPresent()) {
                    try (Lease lease = acquired.get()) {
                        turns.incrementAndGet(number);
                        Thread.sleep(random.nextInt(LONG_TURNS) == 0 ? LONG_MILLIS : SHORT_MILLIS);
                        lease.isValid(); // the history records the result
                    }
                }
                if (!patient) {
                    Thread.sleep(PAUSE_MILLIS);
                }
            } catch (LeaseLostException e) {
                lost.incrementAndGet();
            } catch (BackendException e) {
                errors.incrementAndGet();
                pause();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Pauses after a refusal, so that the next try does not follow at once. */
    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
