// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class StatisticsTest {
    @Test
    void medianIsTheMiddleValueOrTheMeanOfTheMiddleTwo() {
        assertThat(Statistics.median(List.of(9.0, 1.0, 5.0))).isEqualTo(5);
        assertThat(Statistics.median(List.of(9.0, 1.0, 5.0, 7.0))).isEqualTo(6);
        assertThat(Statistics.median(List.of())).isNaN();
    }

    @Test
    void jainsIndexIsOneForEqualSharesAndOneNthForASingleOne() {
        assertThat(Statistics.jain(7, 7, 7, 7)).isEqualTo(1);
        assertThat(Statistics.jain(0, 12, 0, 0)).isEqualTo(0.25);
        assertThat(Statistics.jain(1, 2, 3)).isEqualTo(36 / (3 * 14.0));
        assertThat(Statistics.jain(0, 0)).isNaN();
    }

    @Test
    void percentilesAreWithinOnePercentAlsoAfterEncoding() {
        Histogram one = Wait.histogram();
        Histogram other = Wait.histogram();
        for (long micros = 1; micros <= 10_000; micros++) {
            Wait.record(micros % 2 == 0 ? one : other, micros * 1_000);
        }
        Histogram all = Wait.sum(List.of(Wait.decode(Wait.encode(one)), Wait.decode(Wait.encode(other))));
        assertThat(all.getTotalCount()).isEqualTo(10_000);
        assertThat(Wait.micros(all, 50)).isCloseTo(5_000, within(50.0));
        assertThat(Wait.micros(all, 99)).isCloseTo(9_900, within(99.0));
        assertThat(Wait.micros(all, 100)).isCloseTo(10_000, within(100.0));
    }

    @Test
    void workersAddTurnsAndAverageOtherFigures() {
        WorkOutcome all = WorkOutcome.together(List.of(outcome(10, 2.0, 100), outcome(30, 4.0, 300)));
        assertThat(all.turns()).containsExactly(10, 30);
        assertThat(all.pairs()).isEqualTo(40);
        assertThat(all.perSecond()).isEqualTo(10);
        assertThat(all.cpuSeconds()).isEqualTo(6);
        assertThat(all.figures()).containsEntry(Figure.INSIDE.name(), 200.0);
    }

    private static WorkOutcome outcome(long turns, double seconds, double inside) {
        return new WorkOutcome(
                new long[] {turns},
                turns,
                turns,
                seconds,
                seconds,
                Wait.encode(Wait.histogram()),
                Map.of(Figure.INSIDE.name(), inside));
    }
}
