package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.testkit.HistoryWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One of several JVMs that take a lock in turns and record it, until they are stopped. Arguments: the URIs of the
 * deployment, separated by blanks (one: as it is; several: replicated), the directory of the histories, the name
 * there, threads, how many replicas must have the lock.
 */
final class FailoverJvm {
    static final String LOCK = "failover";
    static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration REPLICATED_WITHIN = Duration.ofMillis(100);

    private static final AtomicInteger TURNS = new AtomicInteger();
    private static final AtomicInteger LOST = new AtomicInteger();
    private static final AtomicInteger ERRORS = new AtomicInteger();
    private static final AtomicLong LAST_TURN = new AtomicLong();
    private static final AtomicLong LONGEST_PAUSE = new AtomicLong();

    private static volatile boolean over;

    private FailoverJvm() {}

    static RedisBackend connect(String where) {
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
            FencedLock lock = history.recorded(client.lock(LOCK, options));
            LAST_TURN.set(System.nanoTime());
            for (int i = 0; i < Integer.parseInt(args[3]); i++) {
                Thread thread = new Thread(() -> turns(lock), "turns-" + i);
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
        }
        System.out.println(TURNS + " " + LOST + " " + ERRORS + " " + LONGEST_PAUSE);
    }

    private static void obey() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("stop"); line = in.readLine()) {
            System.out.println(line.equals("errors") ? ERRORS : TURNS);
        }
        over = true;
    }

    private static void turns(FencedLock lock) {
        while (!over) {
            try (Lease lease = lock.acquire()) {
                turned();
                Thread.sleep(2);
                lease.isValid(); // the history records the result
            } catch (LeaseLostException e) {
                LOST.incrementAndGet();
            } catch (BackendException e) {
                ERRORS.incrementAndGet();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static void turned() {
        TURNS.incrementAndGet();
        long now = System.nanoTime();
        long pause = (now - LAST_TURN.getAndSet(now)) / 1_000_000;
        LONGEST_PAUSE.accumulateAndGet(pause, Math::max);
    }
}
