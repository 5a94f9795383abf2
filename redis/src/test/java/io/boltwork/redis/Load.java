// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Threads that repeat the same action, and the number of times that each of them did it. */
record Load(long[] turns, double seconds) {

    /** Lets each thread repeat its action for a time. */
    static Load of(int threads, double seconds, IntFunction<Runnable> actions) throws InterruptedException {
        long[] turns = new long[threads];
        CountDownLatch start = new CountDownLatch(1);
        long[] end = new long[1];
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Runnable action = actions.apply(i);
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                long count = 0;
                while (System.nanoTime() < end[0]) {
                    action.run();
                    count++;
                }
                turns[number] = count;
            });
            thread.start();
            all.add(thread);
        }
        long begin = System.nanoTime();
        end[0] = begin + (long) (seconds * 1e9);
        start.countDown();
        for (Thread thread : all) {
            thread.join();
        }
        return new Load(turns, (System.nanoTime() - begin) / 1e9);
    }

    static Load together(List<Load> loads) {
        long[] all =
                loads.stream().flatMapToLong(load -> Arrays.stream(load.turns)).toArray();
        return new Load(all, loads.stream().mapToDouble(Load::seconds).max().orElseThrow());
    }

    double perSecond() {
        return LongStream.of(turns).sum() / seconds;
    }

    /** Returns Jain's fairness index: 1 if all had the same number of turns, 1/n if one had them all. */
    double fairness() {
        double sum = LongStream.of(turns).sum();
        double squares = LongStream.of(turns).mapToDouble(t -> (double) t * t).sum();
        return sum * sum / (turns.length * squares);
    }

    /** Returns a text for another JVM to read. */
    private String line() {
        return seconds + " " + LongStream.of(turns).mapToObj(Long::toString).collect(Collectors.joining(" "));
    }

    static Load parse(String line) {
        String[] words = line.split(" ");
        return new Load(
                Arrays.stream(words).skip(1).mapToLong(Long::parseLong).toArray(), Double.parseDouble(words[0]));
    }

    /** Loads one lock from a separate JVM. Arguments: URI, lock, threads, seconds. Begins when it is sent a line. */
    public static void main(String[] args) throws IOException, InterruptedException {
        int threads = Integer.parseInt(args[2]);
        double seconds = Double.parseDouble(args[3]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (LockClient client = LockClient.create(RedisBackend.connect(args[0]))) {
            FencedLock lock = client.lock(args[1]);
            IntFunction<Runnable> pair = i -> () -> {
                lock.lock();
                lock.unlock();
            };
            of(threads, seconds / 2, pair);
            System.out.println("ready");
            in.readLine();
            System.out.println(of(threads, seconds, pair).line());
            in.readLine();
        }
    }
}
