// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.ExclusionBoard;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.Facts;
import io.boltwork.bench.job.LoadJob;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.page.ResultPage;
import io.boltwork.bench.scenario.ScenarioResults;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bench detects a lock that does not exclude, and voids the run. */
class OverlapsVoidTest {
    @TempDir
    private Path directory;

    @Test
    void lockThatDoesNotExcludeIsDetected() throws Exception {
        long violations = Loads.violations(new NoLock(), directory, Duration.ofMillis(100), Duration.ofNanos(200_000));
        assertThat(violations).isPositive();
    }

    @Test
    void writersThatAreNotAloneAreDetected() throws Exception {
        long violations = Loads.violations(
                new NoLock(), directory, Duration.ofMillis(100), Duration.ofNanos(200_000), Map.of(LoadJob.READS, 10L));
        assertThat(violations).isPositive();
    }

    @Test
    void morePermitsThanThereAreAreDetected() throws Exception {
        long violations = Loads.violations(
                new NoLock(),
                directory,
                Duration.ofMillis(100),
                Duration.ofNanos(200_000),
                Map.of(LoadJob.PERMITS, 2L));
        assertThat(violations).isPositive();
    }

    @Test
    void readersDetectAWriterThatIsInsideOrWasThereMeanwhile() {
        ExclusionBoard one = ExclusionBoard.in(directory.resolve("shared"), 4);
        ExclusionBoard other = ExclusionBoard.in(directory.resolve("shared"), 4); // the view of another JVM
        long begun = one.beginReading(2);
        other.enter(2, 22);
        one.endReading(2, begun);
        assertThat(one.overlaps()).isEqualTo(1);
        begun = one.beginReading(2);
        assertThat(one.overlaps()).isEqualTo(2);
        other.exit(2, 22);
        one.endReading(2, begun);
        assertThat(one.overlaps()).isEqualTo(2);
        begun = one.beginReading(2);
        other.enter(2, 22);
        other.exit(2, 22);
        one.endReading(2, begun);
        assertThat(one.overlaps()).isEqualTo(3);
    }

    @Test
    void readersTogetherAndPermitsThatExistAreNoOverlap() {
        ExclusionBoard board = ExclusionBoard.in(directory.resolve("shared"), 4);
        long first = board.beginReading(1);
        board.endReading(1, board.beginReading(1));
        board.endReading(1, first);
        board.enterAmong(2, 2);
        board.enterAmong(2, 2);
        board.exitAmong(2);
        board.enterAmong(2, 2);
        assertThat(board.overlaps()).isZero();
        assertThat(board.entries()).isEqualTo(3);
        board.enterAmong(2, 2);
        assertThat(board.overlaps()).isEqualTo(1);
    }

    @Test
    void bothThreadsOfAnOverlapDetectIt() {
        ExclusionBoard one = ExclusionBoard.in(directory.resolve("shared"), 4);
        ExclusionBoard other = ExclusionBoard.in(directory.resolve("shared"), 4); // the view of another JVM
        one.enter(2, 11);
        other.enter(2, 22);
        one.exit(2, 11);
        other.exit(2, 22);
        assertThat(one.overlaps()).isEqualTo(3);
        assertThat(other.entries()).isEqualTo(2);
    }

    @Test
    void turnsOneAfterAnotherAreNoOverlap() {
        ExclusionBoard board = ExclusionBoard.in(directory.resolve("shared"), 4);
        for (long thread = 1; thread < 10; thread++) {
            board.enter(1, thread);
            board.exit(1, thread);
        }
        assertThat(board.overlaps()).isZero();
        assertThat(board.entries()).isEqualTo(9);
    }

    @Test
    void oneOverlapVoidsTheRunAndItsFigures() {
        Sample sample = new Sample(
                "1 thread",
                "redisson",
                1,
                0,
                false,
                1,
                null,
                new LinkedHashMap<>(Map.of(Figure.THROUGHPUT, 1e6)),
                Wait.encode(Wait.histogram()));
        ScenarioResults results = new ScenarioResults(
                "S1", "today", new Facts("today", BenchPlan.QUICK, Map.of(), Map.of()), List.of(sample));
        assertThat(results.isVoid()).isTrue();
        assertThat(Bench.exitCode(List.of(results))).isEqualTo(1);
        assertThat(results.median("1 thread", Entrant.REDISSON, Figure.THROUGHPUT))
                .isNaN();
        assertThat(new ResultPage(List.of(results), null, Map.of()).text())
                .contains("**VOID: a lock did not exclude in S1**", "VOID: 1 overlaps or lost updates");
    }

    /** A contender that does not lock. */
    private static final class NoLock implements Contender, BenchLock {
        @Override
        public BenchLock lock(String name) {
            return this;
        }

        @Override
        public BenchLock readLock(String name) {
            return this;
        }

        @Override
        public BenchLock writeLock(String name) {
            return this;
        }

        @Override
        public BenchLock permit(String name, int permits) {
            return this;
        }

        @Override
        public void lock() {}

        @Override
        public boolean tryLock(Duration wait) {
            return true;
        }

        @Override
        public void unlock() {}

        @Override
        public void close() {}
    }
}
