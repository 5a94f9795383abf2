// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.boltwork.LockOptions.Fairness;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.machine.request.LockTerms;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class OptionsTest {

    @Test
    void defaultsAreALeaseOfThirtySecondsRenewed() {
        LockOptions defaults = LockOptions.defaults();
        assertThat(defaults.lease()).isEqualTo(Duration.ofSeconds(30));
        assertThat(defaults.isRenewed()).isTrue();
        assertThat(defaults.onLoss()).isEqualTo(OnLoss.NOTIFY);
        assertThat(defaults).isEqualTo(LockOptions.renewedLease(Duration.ofSeconds(30)));
        assertThat(defaults).isNotEqualTo(LockOptions.fixedLease(Duration.ofSeconds(30)));
        assertThat(defaults).hasToString("renewed lease of 30 s, on loss NOTIFY");
    }

    @Test
    void badLeasesAreRefusedWithTheValidValues() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.renewedLease(Duration.ofMillis(99)))
                .withMessage("lease must be between 100 ms and 365 days, but is 99 ms");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.fixedLease(Duration.ZERO))
                .withMessage("lease must be between 10 ms and 365 days, but is 0 ms");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.fixedLease(Duration.ofSeconds(-3)))
                .withMessage("lease must be between 10 ms and 365 days, but is -3 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.fixedLease(Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageContaining("365 days");
        assertThatNullPointerException()
                .isThrownBy(() -> LockOptions.defaults().withOnLoss(null))
                .withMessage("onLoss");
    }

    @Test
    void retentionNeedsARenewedLeaseOf1To10Seconds() {
        Duration idle = Duration.ofSeconds(2);
        LockOptions retained = LockOptions.renewedLease(Duration.ofSeconds(10)).withRetention(idle);
        assertThat(retained.retention()).contains(idle);
        assertThat(retained).hasToString("renewed lease of 10 s, retained for 2 s, on loss NOTIFY");
        assertThat(LockOptions.defaults().retention()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.defaults().withRetention(idle))
                .withMessageStartingWith("retention needs a renewed lease of 1 s to 10 s")
                .withMessageEndingWith("but is combined with a renewed lease of 30 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.fixedLease(Duration.ofSeconds(5)).withRetention(idle))
                .withMessageEndingWith("but is combined with a fixed lease of 5 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> retained.withRetention(Duration.ofMillis(9)))
                .withMessage("idle must be between 10 ms and 365 days, but is 9 ms");
        assertThat(retained.withFixedLease(Duration.ofSeconds(5)).retention())
                .as("an explicit lease is not retained")
                .isEmpty();
    }

    @Test
    void retentionIsRefusedWithWhatNeedsTheBackendAtEachHold() {
        LockOptions retained = LockOptions.renewedLease(Duration.ofSeconds(5)).withRetention(Duration.ofSeconds(1));
        List<UnaryOperator<LockOptions>> others = List.of(
                options -> options.withFairness(Fairness.FIFO),
                options -> options.withMaxHold(Duration.ofSeconds(1)),
                options -> options.withMinHold(Duration.ofSeconds(1)),
                options -> options.withTakeoverDelay(Duration.ofSeconds(1)),
                options -> options.withReplication(Replication.atLeast(1, Duration.ofMillis(10))));
        for (UnaryOperator<LockOptions> other : others) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> other.apply(retained))
                    .withMessageStartingWith("retention cannot be combined with");
        }
    }

    @Test
    void badClientOptionsAreRefusedWithTheValidValues() {
        ClientOptions defaults = ClientOptions.defaults();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withSlice(Duration.ofSeconds(2)))
                .withMessage("slice must be between 0 and 1 s, but is 2 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withOutagePatience(Duration.ofMillis(-1)))
                .withMessageStartingWith("patience must be between 0 ms and 365 days");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withShutdownTime(Duration.ofDays(1)))
                .withMessage("time must be between 0 ms and 1 h, but is 24 h");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withRecallWait(Duration.ofSeconds(2)))
                .withMessage("recallWait must be between 0 ms and 1 s, but is 2 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withLongHold(Duration.ofMillis(999)))
                .withMessage("longHold must be between 1 s and 365 days, but is 999 ms");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withLongWait(Duration.ofDays(366)))
                .withMessage("longWait must be between 1 s and 365 days, but is 366 days");
        assertThatNullPointerException()
                .isThrownBy(() -> defaults.withLongWait(null))
                .withMessage("longWait");
        assertThatNullPointerException()
                .isThrownBy(() -> defaults.withCallbackExecutor(null))
                .withMessage("executor");
        assertThatNullPointerException()
                .isThrownBy(() -> defaults.withApplication(null))
                .withMessage("name");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withApplication(" "))
                .withMessage("name must have 1 to 200 characters and not be blank, but has 1: ' '");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withApplication("x".repeat(201)))
                .withMessage(
                        "name must have 1 to 200 characters and not be blank, but has 201: '" + "x".repeat(40) + "'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withApplication("shop\ud800"))
                .withMessageStartingWith("name must be well-formed UTF-16");
    }

    @Test
    void clientOptionsAreTheDefaultsUnlessSet() {
        ClientOptions defaults = ClientOptions.defaults();
        assertThat(defaults.application()).isNotBlank().doesNotContain("/", " ");
        assertThat(defaults.withApplication("shop"))
                .hasToString(
                        "application shop, slice 1000 µs, outage patience 30 s, shutdown time 5 s, recall wait 20 ms");
        assertThat(defaults.withApplication("shop")
                        .withSlice(Duration.ZERO)
                        .withOutagePatience(Duration.ofMinutes(1))
                        .withShutdownTime(Duration.ofMillis(50)))
                .hasToString(
                        "application shop, slice 0 µs, outage patience 60 s, shutdown time 50 ms, recall wait 20 ms");
        assertThat(defaults.withApplication("x".repeat(200)).application()).hasSize(200);
    }

    @Test
    void longHoldsAndWaitsAreReportedOnlyOnRequest() {
        ClientOptions defaults = ClientOptions.defaults();
        assertThat(defaults.longHold()).isEmpty();
        assertThat(defaults.longWait()).isEmpty();
        ClientOptions both = defaults.withLongHold(Duration.ofMinutes(5))
                .withLongWait(Duration.ofSeconds(20))
                .withApplication("shop")
                .withSlice(Duration.ZERO)
                .withCallbackExecutor(Runnable::run)
                .withOutagePatience(Duration.ofSeconds(1))
                .withShutdownTime(Duration.ofSeconds(2));
        assertThat(both.longHold()).contains(Duration.ofMinutes(5));
        assertThat(both.longWait()).contains(Duration.ofSeconds(20));
        assertThat(both)
                .hasToString("application shop, slice 0 µs, outage patience 1 s, shutdown time 2 s, recall wait 20 ms,"
                        + " long hold 5 min, long wait 20 s");
    }

    @Test
    void aHoldHasNoBoundsUnlessSet() {
        LockOptions defaults = LockOptions.defaults();
        assertThat(defaults.fairness()).isEqualTo(Fairness.BATCHED);
        assertThat(defaults.maxHold()).isEmpty();
        assertThat(defaults.minHold()).isZero();
        assertThat(defaults.takeoverDelay()).isZero();
        LockOptions all = all();
        assertThat(all.lease()).isEqualTo(Duration.ofSeconds(3));
        assertThat(all.isRenewed()).isTrue();
        assertThat(all.fairness()).isEqualTo(Fairness.FIFO);
        assertThat(all.maxHold()).contains(Duration.ofHours(2));
        assertThat(all.minHold()).isEqualTo(Duration.ofMillis(500));
        assertThat(all.takeoverDelay()).isEqualTo(Duration.ofSeconds(4));
        assertThat(all.onLoss()).isEqualTo(OnLoss.INTERRUPT);
        assertThat(all.withFixedLease(Duration.ofSeconds(9)))
                .satisfies(fixed -> assertThat(fixed.isRenewed()).isFalse())
                .satisfies(fixed -> assertThat(fixed.takeoverDelay()).isEqualTo(Duration.ofSeconds(4)));
    }

    @Test
    void boundsOfAHoldHaveRanges() {
        LockOptions defaults = LockOptions.defaults();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withMaxHold(Duration.ofMillis(9)))
                .withMessage("maxHold must be between 10 ms and 365 days, but is 9 ms");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withMaxHold(Duration.ofDays(366)))
                .withMessage("maxHold must be between 10 ms and 365 days, but is 366 days");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withMinHold(Duration.ofMillis(-1)))
                .withMessage("minHold must be between 0 ms and 365 days, but is -1 ms");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withTakeoverDelay(Duration.ofMillis(-1)))
                .withMessage("takeoverDelay must be between 0 ms and 365 days, but is -1 ms");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withTakeoverDelay(Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageStartingWith("takeoverDelay must be between 0 ms and 365 days");
        assertThatNullPointerException()
                .isThrownBy(() -> defaults.withMaxHold(null))
                .withMessage("maxHold");
        assertThatNullPointerException()
                .isThrownBy(() -> defaults.withMinHold(null))
                .withMessage("minHold");
        assertThatNullPointerException()
                .isThrownBy(() -> defaults.withTakeoverDelay(null))
                .withMessage("takeoverDelay");
        assertThatNullPointerException()
                .isThrownBy(() -> defaults.withFairness(null))
                .withMessage("fairness");
        Duration year = Duration.ofDays(365);
        LockOptions longest = LockOptions.renewedLease(year)
                .withMaxHold(year)
                .withMinHold(year)
                .withTakeoverDelay(year);
        assertThat(longest.minHold()).isEqualTo(year);
        assertThat(longest.withMinHold(Duration.ZERO)).isNotEqualTo(longest);
        assertThat(defaults.withMaxHold(Duration.ofNanos(10_999_999)).maxHold()).contains(Duration.ofMillis(10));
    }

    @Test
    void contradictingBoundsAreNamedInAnyOrderOfSetting() {
        LockOptions defaults = LockOptions.defaults();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withMaxHold(Duration.ofSeconds(1)).withMinHold(Duration.ofSeconds(2)))
                .withMessage("minHold must not be longer than maxHold, but is 2 s and maxHold 1 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withMinHold(Duration.ofSeconds(2)).withMaxHold(Duration.ofSeconds(1)))
                .withMessage("minHold must not be longer than maxHold, but is 2 s and maxHold 1 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockOptions.fixedLease(Duration.ofSeconds(1)).withMinHold(Duration.ofSeconds(2)))
                .withMessage("minHold must not be longer than a fixed lease, but is 2 s and the lease 1 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> defaults.withMinHold(Duration.ofSeconds(2)).withFixedLease(Duration.ofSeconds(1)))
                .withMessage("minHold must not be longer than a fixed lease, but is 2 s and the lease 1 s");
        Duration second = Duration.ofSeconds(1);
        assertThat(LockOptions.fixedLease(second)
                        .withMinHold(second)
                        .withMaxHold(second)
                        .lease())
                .isEqualTo(second);
        assertThat(LockOptions.renewedLease(second)
                        .withMinHold(Duration.ofHours(1))
                        .lease())
                .isEqualTo(second);
    }

    @Test
    void theRequestedLeaseCoversTheBoundsOfTheHold() {
        assertThat(LockTerms.of(LockOptions.defaults()).leaseMillis).isEqualTo(30_000);
        assertThat(LockTerms.of(LockOptions.defaults().withMaxHold(Duration.ofSeconds(1))).leaseMillis)
                .isBetween(1_000L, 1_100L);
        assertThat(LockTerms.of(LockOptions.defaults().withMaxHold(Duration.ofHours(1))).leaseMillis)
                .isEqualTo(30_000);
        assertThat(LockTerms.of(LockOptions.renewedLease(Duration.ofSeconds(1)).withMinHold(Duration.ofMinutes(1)))
                        .leaseMillis)
                .isGreaterThan(61_000);
        assertThat(LockTerms.of(LockOptions.defaults().withTakeoverDelay(Duration.ofMinutes(1))).leaseMillis)
                .isEqualTo(30_000);
    }

    @Test
    void equalSettingsMakeEqualOptionsThatDescribeThemselves() {
        assertThat(all()).isEqualTo(all()).hasSameHashCodeAs(all());
        for (LockOptions other : List.of(
                all().withFixedLease(Duration.ofSeconds(3)),
                all().withFairness(Fairness.BATCHED),
                all().withMaxHold(Duration.ofHours(3)),
                all().withMinHold(Duration.ofMillis(501)),
                all().withTakeoverDelay(Duration.ZERO),
                all().withOnLoss(OnLoss.NOTIFY))) {
            assertThat(other).isNotEqualTo(all());
        }
        assertThat(all())
                .hasToString("renewed lease of 3 s, FIFO, held at most 2 h, taken at least 500 ms, takeover after 4 s,"
                        + " on loss INTERRUPT");
        assertThat(LockOptions.fixedLease(Duration.ofMillis(20))).hasToString("fixed lease of 20 ms, on loss NOTIFY");
    }

    private static LockOptions all() {
        return LockOptions.renewedLease(Duration.ofSeconds(3))
                .withFairness(Fairness.FIFO)
                .withMaxHold(Duration.ofHours(2))
                .withMinHold(Duration.ofMillis(500))
                .withTakeoverDelay(Duration.ofSeconds(4))
                .withOnLoss(OnLoss.INTERRUPT);
    }
}
