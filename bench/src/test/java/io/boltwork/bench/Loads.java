// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.ExclusionBoard;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.JobContext;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.job.Order;
import io.boltwork.bench.measure.WorkOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;

/** Runs loads in the JVM of the tests. */
final class Loads {
    private Loads() {}

    /** Runs four threads on one lock for a time. Returns how often the lock did not exclude. */
    static long violations(Contender contender, Path directory, Duration time, Duration inside) throws Exception {
        return violations(contender, directory, time, inside, Map.of());
    }

    /** The same with more parameters of a {@link LoadJob}. */
    static long violations(Contender contender, Path directory, Duration time, Duration inside, Map<String, Long> more)
            throws Exception {
        Path file = directory.resolve("board");
        Map<String, Long> numbers = new HashMap<>(
                new BenchPlan(BenchDeployment.STANDALONE, true, 1, 0, time.toMillis(), 1).load(1, 4, 1, inside));
        numbers.putAll(more);
        Order order = new Order(
                "boltwork",
                BenchDeployment.STANDALONE,
                List.of(),
                0,
                false,
                1,
                file.toString(),
                0,
                LoadJob.NAME,
                numbers);
        ExclusionBoard board = ExclusionBoard.in(file, 16);
        WorkOutcome outcome =
                new LoadJob(new JobContext(order, List.of(contender), board, new LinkedBlockingQueue<>())).run();
        if (outcome.pairs() == 0) {
            throw new AssertionError("No thread got the lock");
        }
        return Math.abs(outcome.entries() - board.entries()) + board.overlaps();
    }
}
