// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.boltwork.examples.Visit.End;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Tests the demo's verdict on good and bad sales. */
class SaleResultTest {
    private static final Offset<Double> CLOSE = within(1e-9);
    private static final List<Visit> VISITS = List.of(
            visit(End.SOLD, 0, 50, 50),
            visit(End.SOLD, 40, 50, 100),
            visit(End.SOLD_OUT, 90, 60, 160),
            visit(End.TURNED_AWAY, 100, 0, 110));

    @Test
    void countsBuyersByOutcome() {
        SaleResult result = result(2, VISITS, 1, 2, 3);
        assertThat(result.buyers()).isEqualTo(4);
        assertThat(result.served()).isEqualTo(3);
        assertThat(result.turnedAway()).isEqualTo(1);
        assertThat(result.sold()).isEqualTo(2);
        assertThat(result.oversold()).isZero();
        assertThat(result.verdict()).isEqualTo("Sold 2 of 2: not one too many.");
    }

    @Test
    void detectsOversoldItems() {
        SaleResult result = result(1, VISITS, 1, 2, 3);
        assertThat(result.oversold()).isEqualTo(1);
        assertThat(result.verdict()).isEqualTo("Sold 2 of 1: 1 too many.");
    }

    @Test
    void comparesTheRateWithTheLimitOfTheMeasuredWork() {
        SaleResult result = result(2, VISITS, 1, 2, 3);
        assertThat(result.meanWorkMillis()).isEqualTo(160 / 3.0, CLOSE);
        assertThat(result.allowedPerSecond()).isEqualTo(3 / 0.160, CLOSE);
        assertThat(result.servedPerSecond()).isEqualTo(3 / 0.160, CLOSE);
    }

    @Test
    void measuresWaitsOfServedBuyersOnly() {
        SaleResult result = result(2, VISITS, 1, 2, 3);
        assertThat(result.waitedSeconds(0.50)).isEqualTo(0.040, CLOSE);
        assertThat(result.waitedSeconds(0.99)).isEqualTo(0.090, CLOSE);
    }

    @Test
    void resultIsCompleteWithoutServedBuyers() {
        SaleResult result = result(2, List.of(visit(End.TURNED_AWAY, 100, 0, 110)));
        assertThat(result.servedPerSecond()).isZero();
        assertThat(result.allowedPerSecond()).isZero();
        assertThat(result.waitedSeconds(0.99)).isZero();
        assertThat(result.tokensGrew()).isTrue();
    }

    @Test
    void requiresALargerTokenForEachTurn() {
        assertThat(result(2, VISITS, 5, 6, 9).tokensGrew()).isTrue();
        assertThat(result(2, VISITS, 5, 5, 9).tokensGrew()).isFalse();
        assertThat(result(2, VISITS, 5, 9, 6).tokensGrew()).isFalse();
        assertThat(result(2, VISITS, 0, 1, 2).tokensGrew()).isFalse();
        assertThat(result(2, VISITS, 5, 6).tokensGrew()).isFalse();
    }

    @Test
    void visitsAndPlansSurviveTextLines() {
        Visit visit = visit(End.SOLD_OUT, 1, 2, 3);
        assertThat(Visit.parse(visit.toLine())).isEqualTo(visit);
        SalePlan plan = new SalePlan(
                "item",
                SaleMode.TRYLOCK,
                40,
                3,
                2,
                DurationText.parse("300ms"),
                DurationText.parse("0.5ms"),
                DurationText.parse("1m"));
        assertThat(SalePlan.parse(plan.toLine())).isEqualTo(plan);
    }

    private static SaleResult result(int stock, List<Visit> visits, long... tokens) {
        List<Long> turns = java.util.Arrays.stream(tokens).boxed().toList();
        return new SaleResult(SaleMode.LOCK, stock, visits, turns);
    }

    private static Visit visit(End end, long waited, long worked, long left) {
        return new Visit(end, waited * 1_000_000, worked * 1_000_000, left * 1_000_000);
    }
}
