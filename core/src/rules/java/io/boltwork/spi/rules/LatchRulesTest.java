// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LatchCommand.Await;
import io.boltwork.spi.LatchCommand.CountDown;
import io.boltwork.spi.LatchCommand.SetCount;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.Reply.LatchOutcome;
import io.boltwork.spi.Reply.Latched;
import io.boltwork.spi.ServerTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of latches at the server, one by one. */
class LatchRulesTest {

    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final LatchRecord record = new LatchRecord();
    private final List<String> told = new ArrayList<>();

    /** The server's clock in microseconds, which is the number of a generation that begins now. */
    private long micros = 5_000_500;

    // ================================================================ setting the count

    @Test
    void aSettingBeginsAGeneration() {
        Latched reply = set("a", 3);
        assertThat(reply).isEqualTo(reply(LatchOutcome.DONE, 3, 5_000_500, 0));
        assertThat(record.expiresAt()).isEqualTo(5_000 + IdleLife.LATCH_MILLIS);
        assertThat(record.isBlank()).isFalse();
        assertThat(record.ended).as("there was none before").isEmpty();
    }

    @Test
    void aLateSettingChangesNothing() {
        assertThat(rules().setCount(record, new SetCount("latch", "a", 3, 0, 0, 4_999))
                        .outcome())
                .isEqualTo(LatchOutcome.STALE);
        assertThat(record.isBlank()).isTrue();
        assertThat(rules().setCount(record, new SetCount("latch", "a", 3, 0, 0, 5_000))
                        .outcome())
                .isEqualTo(LatchOutcome.DONE);
    }

    @Test
    void aCountThatIsNotZeroStays() {
        set("a", 3);
        assertThat(set("b", 5)).isEqualTo(reply(LatchOutcome.REFUSED, 3, 5_000_500, 0));
    }

    @Test
    void aRepeatedSettingChangesNothing() {
        set("a", 2);
        count("x");
        assertThat(set("a", 2)).isEqualTo(reply(LatchOutcome.DONE, 1, 5_000_500, 0));
        count("y");
        set("b", 4);
        assertThat(set("a", 2)).isEqualTo(reply(LatchOutcome.OPEN, 4, 5_000_501, 5_000_500));
    }

    @Test
    void generationsGrow() {
        set("a", 1);
        count("x");
        assertThat(set("b", 1).generation()).as("in the same microsecond").isEqualTo(5_000_501);
        count("x");
        micros = 7_000_000;
        assertThat(set("c", 1)).isEqualTo(reply(LatchOutcome.DONE, 1, 7_000_000, 5_000_501));
    }

    @Test
    void theLastEightSettingsAreRemembered() {
        for (int i = 0; i < 9; i++) {
            set("set" + i, 1);
            count("x");
        }
        set("last", 1);
        assertThat(set("set2", 1).outcome()).isEqualTo(LatchOutcome.OPEN);
        assertThat(set("set1", 1).outcome()).as("it counts as another setting").isEqualTo(LatchOutcome.REFUSED);
    }

    @Test
    void theLast32GenerationsAreRemembered() {
        for (int i = 0; i < 34; i++) {
            set("set" + i, 1);
            count("x");
        }
        assertThat(await("", 5_000_500, false).outcome()).isEqualTo(LatchOutcome.UNKNOWN);
        assertThat(await("", 5_000_501, false).outcome()).isEqualTo(LatchOutcome.OPEN);
    }

    // ================================================================ settings that a server has lost

    @Test
    void aLostSettingIsRepeatedWithItsGeneration() {
        assertThat(repeatSet("a", 3, 4_000_000, 3_000_000))
                .isEqualTo(reply(LatchOutcome.DONE, 3, 4_000_000, 3_000_000));
        assertThat(await("", 3_000_000, false).outcome()).isEqualTo(LatchOutcome.OPEN);
    }

    @Test
    void aLostSettingTellsThatTheGenerationBeforeHasEnded() {
        set("a", 2);
        await("client", 5_000_500, true);
        micros += 10_000;
        assertThat(repeatSet("b", 3, 5_005_000, 5_000_500))
                .isEqualTo(reply(LatchOutcome.DONE, 3, 5_005_000, 5_000_500));
        assertThat(told).containsExactly("client: 5000500");
        assertThat(record.ended).containsExactly(5_000_500L);
        assertThat(await("", 5_000_500, false).outcome()).isEqualTo(LatchOutcome.OPEN);
    }

    @Test
    void aGenerationThatTheOtherServerDidNotKnowIsLost() {
        set("a", 2);
        await("client", 0, true);
        count("x");
        repeatSet("b", 2, 6_000_000, 5_500_000);
        assertThat(told).isEmpty();
        assertThat(await("", 5_000_500, false).outcome()).isEqualTo(LatchOutcome.UNKNOWN);
        assertThat(await("", 5_500_000, false).outcome()).isEqualTo(LatchOutcome.OPEN);
        assertThat(count("x").count()).as("it counts in this generation").isEqualTo(1);
    }

    @Test
    void aLostSettingBeforeThePresentOneIsRefused() {
        set("a", 2);
        assertThat(repeatSet("b", 3, 5_000_500, 0).outcome()).isEqualTo(LatchOutcome.REFUSED);
        count("x");
        count("y");
        assertThat(repeatSet("b", 3, 4_000_000, 0)).isEqualTo(reply(LatchOutcome.REFUSED, 0, 5_000_500, 0));
    }

    // ================================================================ counting down

    @Test
    void eachChangeCountsOnce() {
        set("a", 3);
        assertThat(count("x")).isEqualTo(reply(LatchOutcome.DONE, 2, 5_000_500, 0));
        assertThat(count("x")).isEqualTo(reply(LatchOutcome.DONE, 2, 5_000_500, 0));
        assertThat(count("y").count()).isEqualTo(1);
    }

    @Test
    void theLastCountTellsEachClientThatWaits() {
        set("a", 1);
        await("first", 0, true);
        await("second", 5_000_500, true);
        await("first", 5_000_500, true);
        assertThat(count("x")).isEqualTo(reply(LatchOutcome.DONE, 0, 5_000_500, 0));
        assertThat(told).containsExactly("first: 5000500", "second: 5000500");
        assertThat(record.text()).as("they wait no longer").doesNotContain("waiting", "counted");
        assertThat(count("y")).isEqualTo(reply(LatchOutcome.DONE, 0, 5_000_500, 0));
        assertThat(told).hasSize(2);
    }

    @Test
    void aLateCountChangesNothing() {
        set("a", 2);
        assertThat(rules().countDown(record, new CountDown("latch", "x", 0, NO_LIMIT, 4_999)))
                .isEqualTo(reply(LatchOutcome.STALE, 2, 5_000_500, 0));
        assertThat(rules().countDown(record, new CountDown("latch", "x", 0, NO_LIMIT, 5_000)))
                .isEqualTo(reply(LatchOutcome.DONE, 1, 5_000_500, 0));
    }

    @Test
    void aLatchThatWasNeverSetCannotBeCounted() {
        assertThat(count("x")).isEqualTo(reply(LatchOutcome.UNKNOWN, 0, 0, 0));
        assertThat(record.expiresAt()).isZero();
    }

    @Test
    void aCountIsMeantForItsGeneration() {
        set("a", 1);
        count("x");
        set("b", 2);
        assertThat(count("y", 5_000_500, NO_LIMIT)).isEqualTo(reply(LatchOutcome.DONE, 2, 5_000_501, 5_000_500));
        assertThat(count("y", 5_000_499, NO_LIMIT)).isEqualTo(reply(LatchOutcome.UNKNOWN, 2, 5_000_501, 5_000_500));
        assertThat(count("y", 5_000_501, NO_LIMIT)).isEqualTo(reply(LatchOutcome.DONE, 1, 5_000_501, 5_000_500));
    }

    @Test
    void aGenerationThatBeginsLaterIsNotMeant() {
        set("a", 2);
        assertThat(count("x", 0, 5_000_499)).isEqualTo(reply(LatchOutcome.OPEN, 2, 5_000_500, 0));
        assertThat(count("x", 0, 5_000_500)).isEqualTo(reply(LatchOutcome.DONE, 1, 5_000_500, 0));
    }

    @Test
    void aCountKeepsTheLatch() {
        set("a", 2);
        micros += 1_000_000;
        count("x");
        assertThat(record.expiresAt()).isEqualTo(6_000 + IdleLife.LATCH_MILLIS);
    }

    // ================================================================ waiting

    @Test
    void whoWaitsForALatchThatWasNeverSetIsRemembered() {
        assertThat(await("client", 0, true)).isEqualTo(reply(LatchOutcome.CLOSED, 0, 0, 0));
        assertThat(record.isBlank()).isFalse();
        assertThat(record.expiresAt()).isEqualTo(5_000 + IdleLife.LATCH_MILLIS);
        assertThat(await("client", 0, false).outcome()).isEqualTo(LatchOutcome.CLOSED);
        assertThat(record.isBlank()).isTrue();
    }

    @Test
    void aLookLeavesNoTrace() {
        assertThat(await("client", 0, false)).isEqualTo(reply(LatchOutcome.CLOSED, 0, 0, 0));
        assertThat(await("", 0, true).outcome()).isEqualTo(LatchOutcome.CLOSED);
        assertThat(record.isBlank()).isTrue();
        assertThat(record.expiresAt()).isZero();
        set("a", 1);
        await("client", 0, true);
        await("", 0, false);
        count("x");
        assertThat(told).hasSize(1);
    }

    @Test
    void nobodyWaitsForAnOpenLatch() {
        set("a", 1);
        count("x");
        assertThat(await("client", 0, true)).isEqualTo(reply(LatchOutcome.OPEN, 0, 5_000_500, 0));
        assertThat(await("client", 5_000_500, true).outcome()).isEqualTo(LatchOutcome.OPEN);
        set("b", 1);
        assertThat(await("client", 5_000_500, true)).isEqualTo(reply(LatchOutcome.OPEN, 1, 5_000_501, 5_000_500));
        assertThat(await("client", 4_000_000, true).outcome()).isEqualTo(LatchOutcome.UNKNOWN);
        assertThat(record.text()).doesNotContain("waiting");
    }

    @Test
    void aWaitKeepsTheLatch() {
        set("a", 2);
        micros += 1_000_000;
        await("client", 0, true);
        assertThat(record.expiresAt()).isEqualTo(6_000 + IdleLife.LATCH_MILLIS);
        micros -= 500_000;
        await("client", 0, true);
        assertThat(record.expiresAt())
                .as("a clock that goes back shortens nothing")
                .isEqualTo(6_000 + IdleLife.LATCH_MILLIS);
    }

    // ================================================================ helpers

    private ServerTime time() {
        return new ServerTime(micros / 1_000, "run");
    }

    private LatchRules rules() {
        return new LatchRules(time(), micros, this::tell);
    }

    private void tell(String client, LatchOpened opened) {
        assertThat(opened.latch()).isEqualTo("latch");
        told.add(client + ": " + opened.generation());
    }

    private Latched set(String id, int count) {
        return repeatSet(id, count, 0, 0);
    }

    private Latched repeatSet(String id, int count, long generation, long before) {
        return rules().setCount(record, new SetCount("latch", id, count, generation, before, NO_LIMIT));
    }

    private Latched count(String id) {
        return count(id, 0, NO_LIMIT);
    }

    private Latched count(String id, long generation, long latest) {
        return rules().countDown(record, new CountDown("latch", id, generation, latest, NO_LIMIT));
    }

    private Latched await(String client, long generation, boolean waits) {
        return rules().await(record, new Await("latch", client, generation, waits));
    }

    private Latched reply(LatchOutcome outcome, int count, long generation, long before) {
        return new Latched(time(), outcome, count, generation, before);
    }
}
