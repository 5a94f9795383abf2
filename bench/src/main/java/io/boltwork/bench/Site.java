package io.boltwork.bench;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Where a job works.
 *
 * @param order what it was told
 * @param clients the contender's clients
 * @param board shared with the other workers
 * @param lines what the bench says while the job is under way
 */
record Site(Order order, List<Contender> clients, Board board, BlockingQueue<String> lines) {

    BenchLock lock(int thread, String name) {
        return clients.get(thread % clients.size()).lock(name);
    }

    /** A number for a thread that no other one in any worker has, nor 0. */
    long who(int thread) {
        return (order.jvm() + 1) * 1_000_000L + thread + 1;
    }

    /** Tells the bench something. */
    void say(String line) {
        System.out.println(line);
    }

    /** Whether the bench has said this; waits for it. Anything else is a mistake. */
    void await(String expected) throws InterruptedException {
        @Nullable String line = lines.take();
        if (!expected.equals(line)) {
            throw new IllegalStateException("Expected " + expected + ", but was told " + line);
        }
    }
}
