// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.ExclusionBoard;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * The surroundings of a job.
 *
 * @param order the order to the worker
 * @param clients the contender's clients
 * @param board the board that the workers share
 * @param lines the lines that the bench sends during the job
 */
public record JobContext(Order order, List<Contender> clients, ExclusionBoard board, BlockingQueue<String> lines) {

    BenchLock lock(int thread, String name) {
        return client(thread).lock(name);
    }

    /** Returns the client of a thread. */
    Contender client(int thread) {
        return clients.get(thread % clients.size());
    }

    /** Returns a number for a thread that is unique among all workers and not 0. */
    long who(int thread) {
        return (order.jvm() + 1) * 1_000_000L + thread + 1;
    }

    /** Sends a line to the bench. */
    void say(String line) {
        System.out.println(line);
    }

    /** Waits for a line from the bench. Throws if another line arrives. */
    void await(String expected) throws InterruptedException {
        @Nullable String line = lines.take();
        if (!expected.equals(line)) {
            throw new IllegalStateException("Expected " + expected + ", but received " + line);
        }
    }
}
