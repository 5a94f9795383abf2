// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.look;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BusyLock;
import io.boltwork.ClientInfo;
import io.boltwork.LockKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BusyRatesTest {
    private final BusyRates rates = new BusyRates();

    private static ClientInfo client(String id, BusyLock... busiest) {
        return new ClientInfo(id, "shop", "host", 1, Instant.EPOCH, 1, List.of(busiest));
    }

    private static BusyLock lock(String name, long turns, int waiting, long waitedMillis, long heldMillis) {
        return new BusyLock(
                LockKind.LOCK, name, turns, waiting, Duration.ofMillis(waitedMillis), Duration.ofMillis(heldMillis));
    }

    private List<BusyRates.Rate> look(long seconds, ClientInfo... clients) {
        return rates.look(List.of(clients), TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void clientsAddUp() {
        look(0, client("a", lock("x", 100, 1, 1_000, 500)), client("b", lock("x", 10, 1, 0, 0)));
        BusyRates.Rate rate = look(
                        10, client("a", lock("x", 130, 2, 4_000, 2_000)), client("b", lock("x", 20, 3, 1_000, 500)))
                .get(0);
        assertThat(rate.turnsPerSecond()).isEqualTo(4.0);
        assertThat(rate.meanWait()).isEqualTo(Duration.ofMillis(100));
        assertThat(rate.meanHold()).isEqualTo(Duration.ofMillis(50));
        assertThat(rate.share()).isEqualTo(0.2);
        assertThat(rate.waiting()).isEqualTo(5);
        assertThat(rate.clients()).isEqualTo(2);
    }

    @Test
    void theFirstLookKnowsNoRates() {
        BusyRates.Rate rate =
                look(5, client("a", lock("x", 100, 1, 1_000, 500))).get(0);
        assertThat(rate.turnsPerSecond()).isZero();
        assertThat(rate.waiting()).isEqualTo(1);
    }

    @Test
    void numbersThatBeganAnewCountFromZero() {
        look(0, client("a", lock("x", 100, 0, 1_000, 500)));
        assertThat(look(10, client("a", lock("x", 20, 0, 200, 100))).get(0).turnsPerSecond())
                .isEqualTo(2.0);
    }

    @Test
    void aClientThatIsNewHasNoTurnsYet() {
        look(0);
        assertThat(look(10, client("a", lock("x", 1_000, 0, 0, 0))).get(0).turnsPerSecond())
                .isZero();
    }

    @Test
    void theLastTenSecondsCount() {
        look(0, client("a", lock("x", 0, 0, 0, 0)));
        look(5, client("a", lock("x", 1_000, 0, 0, 0)));
        look(10, client("a", lock("x", 1_000, 0, 0, 0)));
        assertThat(look(16, client("a", lock("x", 1_000, 0, 0, 0))).get(0).turnsPerSecond())
                .isZero();
    }

    @Test
    void theBusiestComeFirst() {
        look(0, client("a", lock("x", 0, 0, 0, 0), lock("y", 0, 0, 0, 0)));
        assertThat(look(10, client("a", lock("x", 10, 0, 0, 0), lock("y", 20, 0, 0, 0))))
                .extracting(BusyRates.Rate::name)
                .containsExactly("y", "x");
    }
}
