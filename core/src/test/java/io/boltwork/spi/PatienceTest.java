// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class PatienceTest {

    private static final long MILLI = 1_000_000;

    private long now = 5 * MILLI;
    private final Patience patience = new Patience(800 * MILLI, () -> now);

    @Test
    void theTimeEndsAfterItsParts() {
        int parts = 0;
        for (long nanos; (nanos = patience.next()) > 0; parts++) {
            assertThat(nanos).isEqualTo(100 * MILLI);
            now += nanos;
        }
        assertThat(now).isEqualTo(805 * MILLI);
        assertThat(parts).isEqualTo(8);
    }

    @Test
    void aWaitThatEndsEarlyCountsAsLongAsItWas() {
        patience.next();
        now += 10 * MILLI;
        assertThat(patience.next()).isEqualTo(100 * MILLI);
        now += 100 * MILLI;
        for (int i = 0; i < 6; i++) {
            assertThat(patience.next()).isEqualTo(100 * MILLI);
            now += 100 * MILLI;
        }
        assertThat(patience.next()).isEqualTo(90 * MILLI);
    }

    @Test
    void aPartThatTakesLongerCountsAsPlanned() {
        patience.next();
        now += 1_000_000 * MILLI;
        for (int i = 0; i < 7; i++) {
            assertThat(patience.next()).isEqualTo(100 * MILLI);
            now += 100 * MILLI;
        }
        assertThat(patience.next()).isZero();
    }

    @Test
    void theLastPartIsNotLate() {
        for (int i = 0; i < 8; i++) {
            patience.next();
            now += (i == 7 ? 1_000_000 : 100) * MILLI;
        }
        assertThat(patience.next()).as("one part more").isEqualTo(100 * MILLI);
        now += 100 * MILLI;
        assertThat(patience.next()).isZero();
        assertThat(patience.next()).isZero();
    }

    @Test
    void aShortWaitEndsAlthoughTheTimerIsCoarse() {
        long tick = 16 * MILLI; // that of Windows
        Patience brief = new Patience(2 * MILLI, () -> now);
        int parts = 0;
        for (long nanos; (nanos = brief.next()) > 0 && parts < 100; parts++) {
            now = (now + nanos + tick - 1) / tick * tick;
        }
        assertThat(parts).isBetween(1, 2);
    }

    @Test
    void noTimeEndsAtOnce() {
        assertThat(new Patience(0, () -> now).next()).isZero();
        assertThat(new Patience(-7, () -> now).next()).isZero();
    }

    @Test
    void aFutureIsAwaited() throws Exception {
        assertThat(Patience.of(Duration.ofSeconds(1)).get(CompletableFuture.completedFuture("value")))
                .isEqualTo("value");
        assertThatThrownBy(() -> Patience.of(Duration.ofMillis(8)).get(new CompletableFuture<>()))
                .isInstanceOf(TimeoutException.class);
    }
}
