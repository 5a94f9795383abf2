package io.boltwork.redis;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.testkit.HistoryWriter;
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
        // by reflection, because this is compiled for 17
        ExecutorService executor = (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        Path file = Path.of("pinned.jfr");
        try (LockClient client = LockClient.create(RedisBackend.connect(args[0]));
                HistoryWriter history = HistoryWriter.open(Path.of(args[3]), "virtual");
                Recording recording = new Recording()) {
            FencedLock lock = history.recorded(client.lock(args[1]));
            visit(executor, lock, 100, new int[1]); // class loading pins
            recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
            recording.start();
            int[] counter = new int[1];
            long start = System.nanoTime();
            visit(executor, lock, threads, counter);
            long millis = (System.nanoTime() - start) / 1_000_000;
            recording.stop();
            recording.dump(file);
            System.out.println("served " + counter[0] + " in " + millis);
            List<RecordedEvent> pinned = RecordingFile.readAllEvents(file).stream()
                    .filter(event -> event.getEventType().getName().equals("jdk.VirtualThreadPinned"))
                    .toList();
            System.out.println("pinned " + pinned.size());
            pinned.stream().limit(3).forEach(System.err::println);
        } finally {
            executor.shutdown();
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
