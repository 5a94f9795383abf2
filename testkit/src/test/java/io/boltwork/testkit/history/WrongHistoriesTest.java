// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.history.HistoryChecker.Rule;
import io.boltwork.testkit.history.HistoryChecker.Violation;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Impossible histories. The checker names the violated rule and the lines. */
class WrongHistoriesTest {

    static void wrong(Rule rule, int[] lines, String history) {
        assertThat(HistoryChecker.check(History.parse(history)).violations())
                .singleElement()
                .satisfies(violation -> isOf(rule, lines, violation));
    }

    static void isOf(Rule rule, int[] lines, Violation violation) {
        assertThat(violation.rule()).as(violation.toString()).isEqualTo(rule);
        assertThat(violation.events().stream().mapToInt(Event::line))
                .as(violation.toString())
                .containsExactly(IntStream.of(lines).boxed().toArray(Integer[]::new));
    }

    static int[] lines(int... lines) {
        return lines;
    }

    // ================================================================ exclusion

    @Test
    void twoProcessesHoldAtATime() {
        wrong(Rule.EXCLUSION, lines(1, 2, 5, 3, 4, 7), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                25 b t acquire invoke x
                30 b t acquire ok     x 2
                40 a t release invoke x
                45 a t release ok     x
                50 b t release invoke x
                55 b t release ok     x
                """);
    }

    @Test
    void theHolderWasKilledButHadVerifiedItsHoldBefore() {
        wrong(Rule.EXCLUSION, lines(1, 2, 5, 3, 4), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                25 b t acquire invoke x
                30 b t acquire ok     x 2
                31 a t check   ok     x 1
                32 a - kill    ok
                """);
    }

    @Test
    void theHolderWasLostLaterButHadVerifiedItsHoldBefore() {
        wrong(Rule.EXCLUSION, lines(1, 2, 4, 3, 5), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                25 b t acquire invoke x
                41 a t check   ok     x 1
                40 b t acquire ok     x 2
                50 a t check   fail   x 1
                60 a t release invoke x
                65 a t release fail   x
                """);
    }

    @Test
    void aLongHoldOverlapsTheHoldAfterTheNext() {
        wrong(Rule.EXCLUSION, lines(1, 2, 12, 8, 9, 10), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                11 b t acquire invoke x
                12 b t acquire fail   x
                13 b t acquire invoke x
                14 b t acquire fail   x
                15 c t acquire invoke x
                30 b t acquire invoke x
                31 b t acquire ok     x 2
                32 b t release invoke x
                33 b t release ok     x
                40 a t release invoke x
                45 a t release ok     x
                46 c t acquire ok     x 3
                """);
    }

    @Test
    void anUnverifiedHoldWasGrantedDuringAnotherHold() {
        wrong(Rule.EXCLUSION, lines(1, 2, 5, 3, 4), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                25 b t acquire invoke x
                30 b t acquire ok     x 2
                40 a t release invoke x
                45 a t release ok     x
                50 b t release invoke x
                55 b t release fail   x
                """);
    }

    @Test
    void theInnerReleaseOfANestedHoldLetsAnotherProcessIn() {
        wrong(Rule.EXCLUSION, lines(1, 2, 9, 6, 8), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                21 a t acquire invoke x
                22 a t acquire ok     x 1
                30 a t release invoke x
                30 b t acquire invoke x
                31 a t release ok     x
                32 b t acquire ok     x 2
                40 a t release invoke x
                45 a t release ok     x
                """);
    }

    @Test
    void twoThreadsOfOneProcessHoldAtATime() {
        wrong(Rule.EXCLUSION, lines(1, 2, 5, 3, 4), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                25 a u acquire invoke x
                30 a u acquire ok     x 2
                40 a t release invoke x
                45 a t release ok     x
                """);
    }

    @Test
    void onlyOneOfTwoLocksIsHeldTwice() {
        wrong(Rule.EXCLUSION, lines(3, 4, 9, 7, 8), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                21 a t acquire invoke y
                22 a t acquire ok     y 7
                23 a t release invoke x
                24 a t release ok     x
                25 b t acquire invoke y
                26 b t acquire ok     y 8
                30 a t release invoke y
                35 a t release ok     y
                """);
    }

    @Test
    void aReleaseDeletesAnotherHoldersHold() {
        wrong(Rule.EXCLUSION, lines(4, 5, 9, 7, 8), """
                10 a t acquire invoke  x
                20 a t acquire ok      x 1
                21 a t check   fail    x 1
                25 b t acquire invoke  x
                30 b t acquire ok      x 2
                31 a t release invoke  x
                32 c t acquire invoke  x
                35 c t acquire ok      x 3
                40 b t release invoke  x
                41 b t release ok      x
                42 a t release unknown x
                """);
    }

    // ================================================================ tokens

    @Test
    void theLaterHoldHasTheSmallerToken() {
        wrong(Rule.TOKENS, lines(1, 2, 3, 5, 6, 7), """
                10 a t acquire invoke x
                20 a t acquire ok     x 9
                30 a t release invoke x
                40 a t release ok     x
                50 b t acquire invoke x
                60 b t acquire ok     x 8
                70 b t release invoke x
                75 b t release ok     x
                """);
    }

    @Test
    void aLaterTokenLiesBetweenTwoEarlierOnes() {
        wrong(Rule.TOKENS, lines(5, 6, 7, 9, 10, 11), """
                10 a t acquire invoke x
                20 a t acquire ok     x 5
                30 a t release invoke x
                40 a t release ok     x
                50 b t acquire invoke x
                60 b t acquire ok     x 9
                70 b t release invoke x
                75 b t release ok     x
                76 c t acquire invoke x
                77 c t acquire ok     x 7
                78 c t release invoke x
                79 c t release ok     x
                """);
    }

    @Test
    void anUnverifiedHoldHasAGreaterTokenThanTheNext() {
        wrong(Rule.TOKENS, lines(1, 2, 4, 5), """
                10 a t acquire invoke x
                20 a t acquire ok     x 9
                21 a - kill    ok
                50 b t acquire invoke x
                60 b t acquire ok     x 8
                """);
    }

    @Test
    void aWaiterVerifiesATokenSmallerThanTheOneBefore() {
        wrong(Rule.TOKENS, lines(1, 2, 3, 4, 5), """
                10 a t acquire invoke x
                20 a t acquire ok     x 9
                15 b t acquire invoke x
                60 b t acquire ok     x 8
                61 b t check   ok     x 8
                """);
    }

    @Test
    void aTokenOccursTwiceInHoldsThatAreFarApart() {
        wrong(Rule.TOKENS, lines(1, 2, 3, 5, 6), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t release invoke x
                40 a t release ok     x
                50 b t acquire invoke x
                60 b t acquire ok     x 1
                """);
    }

    @Test
    void theTokenOfAnUnverifiedHoldOccursAgain() {
        wrong(Rule.TOKENS, lines(1, 2, 4, 5), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                21 a - kill    ok
                15 b t acquire invoke x
                60 b t acquire ok     x 1
                """);
    }

    @Test
    void aNestedAcquisitionHasAnotherToken() {
        wrong(Rule.TOKENS, lines(2, 4), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                21 a t acquire invoke x
                22 a t acquire ok     x 2
                """);
    }

    @Test
    void aTokenOtherThanTheHoldsIsValid() {
        wrong(Rule.TOKENS, lines(2, 3), """
                10 a t acquire invoke x
                20 a t acquire ok     x 2
                21 a t check   ok     x 1
                """);
    }

    // ================================================================ validity

    @Test
    void aLostHoldIsValidAgain() {
        wrong(Rule.VALIDITY, lines(2, 4), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t check   fail   x 1
                31 a t check   ok     x 1
                """);
    }

    @Test
    void aLostHoldIsReleasedWithoutAnError() {
        wrong(Rule.VALIDITY, lines(2, 5), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t check   fail   x 1
                31 a t release invoke x
                32 a t release ok     x
                """);
    }

    @Test
    void theOuterLevelOfALostHoldIsReleasedWithoutAnError() {
        wrong(Rule.VALIDITY, lines(2, 8), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                21 a t acquire invoke x
                22 a t acquire ok     x 1
                31 a t release invoke x
                32 a t release fail   x
                33 a t release invoke x
                34 a t release ok     x
                """);
    }

    @Test
    void aLostHoldIsNested() {
        wrong(Rule.VALIDITY, lines(2, 5), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t check   fail   x 1
                31 a t acquire invoke x
                32 a t acquire ok     x 1
                """);
    }

    // ================================================================ form

    @Test
    void anAnswerWithoutACall() {
        wrong(Rule.FORM, lines(1), "20 a t acquire ok x 1");
    }

    @Test
    void twoAnswersToOneCall() {
        wrong(Rule.FORM, lines(3), """
                10 a t acquire invoke x
                20 a t acquire fail   x
                30 a t acquire ok     x 1
                """);
    }

    @Test
    void anAnswerOfAnotherLock() {
        wrong(Rule.FORM, lines(1, 2), """
                10 a t acquire invoke x
                20 a t acquire ok     y 1
                """);
    }

    @Test
    void anAnswerToAnotherCall() {
        wrong(Rule.FORM, lines(3, 4), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t acquire invoke x
                40 a t release ok     x
                """);
    }

    @Test
    void anAnswerToAnotherThread() {
        wrong(Rule.FORM, lines(2), """
                10 a t acquire invoke x
                20 a u acquire ok     x 1
                """);
    }

    @Test
    void aCallBeforeTheLastWasAnswered() {
        wrong(Rule.FORM, lines(1, 2), """
                10 a t acquire invoke x
                20 a t acquire invoke x
                30 a t acquire ok     x 1
                """);
    }

    @Test
    void aReleaseWithoutAHold() {
        wrong(Rule.FORM, lines(1, 2), """
                10 a t release invoke x
                20 a t release ok     x
                """);
    }

    @Test
    void aReleaseByAThreadWithoutAHold() {
        wrong(Rule.FORM, lines(3, 4), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a u release invoke x
                40 a u release ok     x
                """);
    }

    @Test
    void aRefusedCallHoldsTheLockNevertheless() {
        wrong(Rule.FORM, lines(3), """
                10 a t acquire invoke x
                20 a t acquire fail   x
                30 a t check   ok     x 1
                """);
    }

    @Test
    void aHoldIsValidAfterItsRelease() {
        wrong(Rule.FORM, lines(5), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t release invoke x
                40 a t release ok     x
                50 a t check   ok     x 1
                """);
    }

    @Test
    void aHoldWithoutAToken() {
        wrong(Rule.FORM, lines(1, 2), """
                10 a t acquire invoke x
                20 a t acquire ok     x
                """);
    }

    @Test
    void timeGoesBackInAThread() {
        wrong(Rule.FORM, lines(2, 3), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                19 a t release invoke x
                20 a t release ok     x
                """);
    }

    @Test
    void aHoldAfterTheDeathOfItsProcess() {
        wrong(Rule.FORM, lines(3, 2), """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                15 a - kill    ok
                """);
    }

    // ================================================================ answers

    @Test
    void aWaiterThatWasNotKilledWasNeverWoken() {
        History history = History.parse("""
                10 a t acquire invoke x
                20 b t acquire invoke x
                30 b t acquire ok     x 1
                40 b t release invoke x
                50 b t release ok     x
                15 c t acquire invoke x
                60 c - kill    ok
                """);
        assertThat(HistoryChecker.check(history).violations()).isEmpty();
        assertThat(HistoryChecker.checkEnded(history).violations())
                .singleElement()
                .satisfies(violation -> isOf(Rule.ANSWERS, lines(1), violation));
    }
}
