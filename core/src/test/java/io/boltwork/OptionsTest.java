package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.boltwork.LockOptions.OnLoss;
import java.time.Duration;
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
    void badLeasesAreNamedWithWhatWouldBeRight() {
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
    void badClientOptionsAreNamedWithWhatWouldBeRight() {
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
        assertThatNullPointerException()
                .isThrownBy(() -> defaults.withCallbackExecutor(null))
                .withMessage("executor");
        assertThat(defaults).hasToString("slice 1000 µs, outage patience 30 s, shutdown time 5 s");
    }
}
