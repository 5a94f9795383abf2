package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutageTest {

    private final Outage outage = new Outage(100);
    private final BackendException cause = new BackendException("no route", true, null);

    @Test
    void lastsFromTheFirstFailureToTheFirstAnswer() {
        assertThat(outage.patienceEnds()).isEqualTo(Ticker.NEVER);
        outage.failed(7, null);
        outage.failed(50, null);
        assertThat(outage.patienceEnds()).isEqualTo(107);
        outage.over();
        assertThat(outage.patienceEnds()).isEqualTo(Ticker.NEVER);
        outage.failed(60, null);
        outage.restart();
        assertThat(outage.patienceEnds()).isEqualTo(Ticker.NEVER);
    }

    @Test
    void whoWantedTheLockIsToldOfTheLastFailureUntilThereIsAnAnswer() {
        outage.failed(7, cause);
        outage.failed(8, null);
        assertThat(outage.unknown("stock", "for 1 s"))
                .hasMessageContaining("'stock' for 1 s")
                .hasMessageEndingWith("no route")
                .hasCause(cause)
                .matches(BackendException::isRetryable);
        outage.over();
        assertThat(outage.unknown("stock", "for 1 s")).hasNoCause().hasMessageEndingWith("or the network?");
    }

    @Test
    void aRefusalIsAsRetryableAsItsCause() {
        BackendException forGood = new BackendException("no right", false, null);
        assertThat(Outage.refused("stock", cause)).hasCause(cause).matches(BackendException::isRetryable);
        assertThat(Outage.refused("stock", forGood))
                .hasMessageContaining("no right")
                .hasMessageContaining("'stock'")
                .matches(refused -> !refused.isRetryable());
    }
}
