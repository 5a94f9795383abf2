// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.testkit.history.HistoryWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Many virtual threads that want one lock, in a JVM of version 21 or later that records whether they pin their
 * carriers. Arguments: URI, lock, threads, directory of the history.
 */
final class VirtualThreads {
    private VirtualThreads() {}

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[2]);
        ExecutorService executor = executor();
        try (LockClient client = LockClient.create(RedisBackend.connect(args[0]));
                HistoryWriter history = HistoryWriter.open(Path.of(args[3]), "virtual")) {
            FencedLock lock = history.recorded(client.lock(args[1]));
            visit(executor, lock, 100, new int[1]); // class loading pins
            int[] counter = new int[1];
            long[] millis = new long[1];
            int pinned = pinned(() -> {
                long start = System.nanoTime();
                visit(executor, lock, threads, counter);
                millis[0] = (System.nanoTime() - start) / 1_000_000;
            });
            System.out.println("served " + counter[0] + " in " + millis[0]);
            System.out.println("pinned " + pinned);
        } finally {
            executor.shutdown();
        }
    }

    /** Returns an executor with a virtual thread for each task, by reflection, because this is compiled for 17. */
    static ExecutorService executor() throws ReflectiveOperationException {
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }

    /** The work of a virtual thread. */
    interface Work {
        void run() throws Exception;
    }

    /** Returns how often a virtual thread has pinned its carrier meanwhile, and prints the first cases. */
    static int pinned(Work work) throws Exception {
        Path file = Path.of("pinned.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
            List<RecordedEvent> pinned = RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals("jdk.VirtualThreadPinned"))
                    .toList();
            pinned.stream().limit(3).forEach(System.err::println);
            return pinned.size();
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Lets each thread increment a counter that only the lock makes exact. */
    private static void visit(ExecutorService executor, FencedLock lock, int threads, int[] counter) throws Exception {
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(executor.submit(() -> {
                lock.lock();
                try {
                    counter[0]++;
                } finally {
                    lock.unlock();
                }
            }));
        }
        for (Future<?> each : all) {
            each.get();
        }
    }
}
