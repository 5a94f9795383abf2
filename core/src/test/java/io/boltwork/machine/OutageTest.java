// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.state.LockOutage;
import org.junit.jupiter.api.Test;

class OutageTest {

    private static final long PATIENCE = 100;

    private final BackendException cause = new BackendException("no route", true, null);

    @Test
    void anOutageLastsFromTheFirstFailureToTheFirstAnswer() {
        assertThat(LockOutage.NONE.patienceEnds(PATIENCE)).isEqualTo(Ticker.NEVER);
        LockOutage outage = LockOutage.NONE.failed(7, null).failed(50, null);
        assertThat(outage.patienceEnds(PATIENCE)).isEqualTo(107);
        assertThat(outage.restarted().patienceEnds(PATIENCE)).isEqualTo(Ticker.NEVER);
        assertThat(outage.restarted().failed(60, null).patienceEnds(PATIENCE)).isEqualTo(160);
    }

    @Test
    void theLastFailureIsReportedUntilThereIsAnAnswer() {
        LockOutage outage = LockOutage.NONE.failed(7, cause).failed(8, null);
        assertThat(outage.restarted().unknown("stock", "for 1 s"))
                .hasMessageContaining("'stock' for 1 s")
                .hasMessageEndingWith("no route")
                .hasCause(cause)
                .matches(BackendException::isRetryable);
        assertThat(LockOutage.NONE.unknown("stock", "for 1 s"))
                .hasNoCause()
                .hasMessageEndingWith("or the network down?");
    }

    @Test
    void aRefusalIsAsRetryableAsItsCause() {
        BackendException forGood = new BackendException("no right", false, null);
        assertThat(LockOutage.refused("stock", cause)).hasCause(cause).matches(BackendException::isRetryable);
        assertThat(LockOutage.refused("stock", forGood))
                .hasMessageContaining("no right")
                .hasMessageContaining("'stock'")
                .matches(refused -> !refused.isRetryable());
    }
}
