// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.Fairness;
import io.boltwork.testkit.history.HistoryWriter;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The threads of a JVM that take turns with several names and record them, until they are stopped. Each name has
 * threads of its own, so that a blocked one does not stop the others.
 */
final class TurnTakers {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    static final int THREADS_PER_NAME = 2;

    /** One turn in this many is a long one. */
    private static final int LONG_TURNS = 64;

    private static final long LONG_MILLIS = 200;
    private static final long SHORT_MILLIS = 2;
    private static final long PAUSE_MILLIS = 5;

    private final AtomicIntegerArray turns;
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger errors = new AtomicInteger();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean over;

    private TurnTakers(int names) {
        turns = new AtomicIntegerArray(names);
    }

    /** Starts the threads. The fairness depends on the name; another test mixes both kinds on one lock. */
    static TurnTakers start(LockClient client, HistoryWriter history, List<String> names, LockOptions options) {
        return start(client, history, names, options, THREADS_PER_NAME);
    }

    /** Starts so many threads for each name. */
    static TurnTakers start(
            LockClient client, HistoryWriter history, List<String> names, LockOptions options, int threads) {
        TurnTakers takers = new TurnTakers(names.size());
        for (int name = 0; name < names.size(); name++) {
            Fairness fairness = name % 2 == 0 ? Fairness.BATCHED : Fairness.FIFO;
            RecordedTurns recorded = RecordedTurns.of(client, history, names.get(name), options.withFairness(fairness));
            for (int i = 0; i < threads; i++) {
                takers.start(name, recorded, names.get(name) + "-" + i, i == 0);
            }
        }
        return takers;
    }

    private void start(int name, RecordedTurns recorded, String thread, boolean patient) {
        Thread taker = new Thread(() -> takeTurns(name, recorded, patient), thread);
        taker.setUncaughtExceptionHandler((failed, failure) -> {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        taker.start();
        threads.add(taker);
    }

    /**
     * Prints the turns with each name when it is asked, until it is told to stop. Returns when all threads have ended.
     */
    void obey() throws IOException, InterruptedException {
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("stop"); line = in.readLine()) {
            System.out.println(IntStream.range(0, turns.length())
                    .mapToObj(name -> Integer.toString(turns.get(name)))
                    .collect(Collectors.joining(" ")));
        }
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Returns how many turns there were, were lost, and failed. */
    String counts() {
        int all = IntStream.range(0, turns.length()).map(turns::get).sum();
        return all + " " + lost + " " + errors;
    }

    private void takeTurns(int name, RecordedTurns recorded, boolean patient) {
        Random random = new Random();
        while (!over) {
            try {
                recorded.take(patient, random, () -> {
                    turns.incrementAndGet(name);
                    Thread.sleep(random.nextInt(LONG_TURNS) == 0 ? LONG_MILLIS : SHORT_MILLIS);
                });
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

    // ================================================================ seen from the test

    /** Waits until each JVM has had this many more turns with each of these names. */
    static void await(List<ChildJvm> jvms, List<Integer> which, int more) {
        for (ChildJvm jvm : jvms) {
            int[] before = turns(jvm);
            Await.until("JVM " + jvm.pid() + " continues to take turns with names " + which, () -> {
                int[] now = turns(jvm);
                return which.stream().allMatch(name -> now[name] >= before[name] + more);
            });
        }
    }

    /** Returns the turns of a JVM with each name. */
    static int[] turns(ChildJvm jvm) {
        jvm.send("turns");
        try {
            String line = Objects.requireNonNull(jvm.nextLine(PATIENCE));
            return Arrays.stream(line.split(" ")).mapToInt(Integer::parseInt).toArray();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
