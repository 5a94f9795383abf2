// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The interval in which the leader's time lies. */
class LeaderClockTest {
    private static final long TOLERANCE = 100_000;

    private final LeaderClock clock = new LeaderClock();
    private final long now = System.nanoTime();

    private boolean wrote(long epoch, long millis, long agoMillis, long tookMillis) {
        long answered = now - TimeUnit.MILLISECONDS.toNanos(agoMillis);
        long sent = answered - TimeUnit.MILLISECONDS.toNanos(tookMillis);
        return clock.learn("s", epoch, millis * 1_000, millis * 1_000 + 1_000, sent, answered);
    }

    private StoreClock read() {
        return clock.read(Duration.ofMillis(100)).orElseThrow();
    }

    @Test
    void timeIsUnknownAtFirstAndAfterASlowWrite() {
        assertThat(clock.read(Duration.ofMillis(100))).isEmpty();
        wrote(1, 1_000, 0, 150);
        assertThat(clock.read(Duration.ofMillis(100))).isEmpty();
    }

    @Test
    void earliestTimeIsThatOfAWriteWhoseAnswerTookNoTime() {
        wrote(1, 1_000, 0, 50);
        assertThat(read().micros()).isBetween(999_000L, 1_090_000L);
        assertThat(read().uncertainMicros()).isEqualTo(TOLERANCE);
        assertThat(read().run()).isEqualTo("s.1");
    }

    @Test
    void widthGrowsWithTime() {
        wrote(1, 1_000, 4_000, 1);
        long earliest = read().micros();
        assertThat(earliest).isBetween(1_000_000 + 3_959_000L, 1_000_000 + 4_050_000L);
        wrote(1, 1_000, 6_000, 1);
        assertThat(read().micros()).as("an older write tells nothing new").isBetween(earliest, earliest + 90_000);
    }

    @Test
    void anotherEpochIsAnotherClock() {
        wrote(1, 1_000, 0, 1);
        wrote(2, 500, 0, 1);
        assertThat(read().run()).isEqualTo("s.2");
        assertThat(read().micros()).as("earlier than the first one").isLessThan(1_000_000);
        wrote(1, 9_000, 0, 1);
        assertThat(read().run()).as("a late answer of the earlier leader").isEqualTo("s.2");
    }

    @Test
    void clockThatGoesBackIsTold() {
        assertThat(wrote(1, 1_000, 100, 1)).isTrue();
        assertThat(wrote(1, 1_100, 0, 1)).as("100 ms later").isTrue();
        assertThat(wrote(1, 1_300, 0, 1)).as("this client stood still").isTrue();
        assertThat(read().micros()).isGreaterThanOrEqualTo(1_299_000);
        assertThat(wrote(1, 1_000, 0, 1)).as("300 ms earlier").isFalse();
        assertThat(read().micros()).isLessThan(1_100_000);
        assertThat(wrote(2, 5, 0, 1)).as("another clock").isTrue();
        assertThat(wrote(1, 900, 0, 1)).as("an answer of an earlier leader").isTrue();
    }

    @Test
    void nextSecondIsExpectedWhereTheMiddleOfTheIntervalReachesIt() {
        wrote(1, 1_700, 0, 1);
        assertThat(clock.untilNextSecond()).isBetween(Duration.ofMillis(200), Duration.ofMillis(301));
    }
}
