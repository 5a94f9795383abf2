// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import static io.boltwork.testkit.history.WrongHistoriesTest.isOf;
import static io.boltwork.testkit.history.WrongHistoriesTest.lines;
import static io.boltwork.testkit.history.WrongHistoriesTest.wrong;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.history.HistoryChecker.Rule;
import org.junit.jupiter.api.Test;

/** Impossible histories of read-write locks and semaphores. The checker names the violated rule and the lines. */
class WrongShareHistoriesTest {

    // ================================================================ exclusion, read-write locks

    @Test
    void aWriterComesWhileAReaderHolds() {
        wrong(Rule.EXCLUSION, lines(1, 2, 5, 3, 4, 6), """
                10 a t acquire invoke x read
                20 a t acquire ok     x 1 read
                25 b t acquire invoke x write
                30 b t acquire ok     x 2 write
                40 a t check   ok     x 1 read
                41 b t check   ok     x 2 write
                """);
    }

    @Test
    void aReaderComesWhileAWriterHolds() {
        wrong(Rule.EXCLUSION, lines(1, 2, 5, 3, 4), """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                25 b t acquire invoke x read
                30 b t acquire ok     x 2 read
                40 a t release invoke x write
                45 a t release ok     x write
                """);
    }

    @Test
    void aWriterComesWhileTheLastOfThreeReadersHolds() {
        wrong(Rule.EXCLUSION, lines(3, 4, 11, 7, 8), """
                10 a t acquire invoke x read
                20 a t acquire ok     x 1 read
                21 b t acquire invoke x read
                22 b t acquire ok     x 2 read
                23 c t acquire invoke x read
                24 c t acquire ok     x 3 read
                25 d t acquire invoke x write
                40 d t acquire ok     x 4 write
                30 a t check   ok     x 1 read
                39 c t check   ok     x 3 read
                41 b t check   ok     x 2 read
                """);
    }

    @Test
    void aWriterComesWhileOneGoesOnAsAReader() {
        wrong(Rule.EXCLUSION, lines(1, 2, 5, 9, 7, 8, 10), """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                30 a t acquire invoke x read
                31 a t acquire ok     x 1 read
                40 a t release invoke x write
                45 a t release ok     x write
                50 b t acquire invoke x write
                55 b t acquire ok     x 2 write
                60 a t check   ok     x 1 read
                61 b t check   ok     x 2 write
                """);
    }

    @Test
    void aReaderComesBeforeTheWriterGoesOnAsOne() {
        wrong(Rule.EXCLUSION, lines(1, 2, 7, 5, 6, 10), """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                30 a t acquire invoke x read
                31 a t acquire ok     x 1 read
                32 b t acquire invoke x read
                35 b t acquire ok     x 2 read
                40 a t release invoke x write
                45 a t release ok     x write
                50 a t check   ok     x 1 read
                51 b t check   ok     x 2 read
                """);
    }

    @Test
    void aWriterThatHasReadLetsAReaderIn() {
        wrong(Rule.EXCLUSION, lines(1, 2, 9, 7, 8), """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                30 a t acquire invoke x read
                31 a t acquire ok     x 1 read
                40 a t release invoke x read
                45 a t release ok     x read
                46 b t acquire invoke x read
                50 b t acquire ok     x 2 read
                60 a t release invoke x write
                61 a t release ok     x write
                """);
    }

    @Test
    void aWriterWasGrantedBetweenTwoReadersThatOverlap() {
        wrong(Rule.EXCLUSION, lines(1, 2, 7, 3, 4, 5, 6), """
                10 a t acquire invoke x read
                20 a t acquire ok     x 1 read
                25 b t acquire invoke x write
                90 b t acquire ok     x 2 write
                30 c t acquire invoke x read
                40 c t acquire ok     x 3 read
                50 a t check   ok     x 1 read
                """);
    }

    @Test
    void aKilledReaderHadVerifiedItsHoldBeforeAWriterCame() {
        wrong(Rule.EXCLUSION, lines(1, 2, 5, 3, 4), """
                10 a t acquire invoke x read
                20 a t acquire ok     x 1 read
                25 b t acquire invoke x write
                30 b t acquire ok     x 2 write
                31 a t check   ok     x 1 read
                32 a - kill    ok
                """);
    }

    // ================================================================ exclusion, semaphores

    @Test
    void morePermitsAreHeldThanThereAre() {
        wrong(Rule.EXCLUSION, lines(1, 2, 5, 3, 4, 6), """
                10 a t acquire invoke x 3/5
                20 a t acquire ok     x 1 3/5
                25 b t acquire invoke x 3/5
                30 b t acquire ok     x 2 3/5
                40 a t check   ok     x 1 3/5
                41 b t check   ok     x 2 3/5
                """);
    }

    @Test
    void oneOfFourSinglePermitsIsTooMany() {
        wrong(Rule.EXCLUSION, lines(1, 2, 9, 3, 4, 10, 5, 6, 11, 7, 8, 12), """
                10 a t acquire invoke x 1/3
                20 a t acquire ok     x 1 1/3
                21 b t acquire invoke x 1/3
                22 b t acquire ok     x 2 1/3
                23 c t acquire invoke x 1/3
                24 c t acquire ok     x 3 1/3
                25 d t acquire invoke x 1/3
                26 d t acquire ok     x 4 1/3
                40 a t check   ok     x 1 1/3
                41 b t check   ok     x 2 1/3
                42 c t check   ok     x 3 1/3
                43 d t check   ok     x 4 1/3
                """);
    }

    @Test
    void tooMuchIsHeldOnlyForAMoment() {
        wrong(Rule.EXCLUSION, lines(5, 6, 8, 7, 9, 12), """
                10 a t acquire invoke x 2/4
                20 a t acquire ok     x 1 2/4
                29 a t release invoke x 1 2/4
                30 a t release ok     x 1 2/4
                21 b t acquire invoke x 2/4
                22 b t acquire ok     x 2 2/4
                31 c t acquire invoke x 3/4
                40 b t release invoke x 2 2/4
                39 c t acquire ok     x 3 3/4
                50 d t acquire invoke x 1/4
                60 d t acquire ok     x 4 1/4
                70 c t check   ok     x 3 3/4
                71 d t check   ok     x 4 1/4
                45 b t release ok     x 2 2/4
                """);
    }

    @Test
    void aLeaseOfAllPermitsComesWhileOneIsHeld() {
        wrong(Rule.EXCLUSION, lines(1, 2, 5, 3, 4), """
                10 a t acquire invoke x 1/5
                20 a t acquire ok     x 1 1/5
                25 b t acquire invoke x 5/5
                30 b t acquire ok     x 2 5/5
                40 a t release invoke x 1 1/5
                45 a t release ok     x 1 1/5
                """);
    }

    @Test
    void twoLeasesOfOneThreadAreTooMuch() {
        wrong(Rule.EXCLUSION, lines(1, 2, 5, 3, 4, 6), """
                10 a t acquire invoke x 3/5
                20 a t acquire ok     x 1 3/5
                25 a t acquire invoke x 3/5
                30 a t acquire ok     x 2 3/5
                40 a t check   ok     x 1 3/5
                41 a t check   ok     x 2 3/5
                """);
    }

    @Test
    void aLeaseHasMorePermitsThanThereAre() {
        wrong(Rule.EXCLUSION, lines(1, 2), """
                10 a t acquire invoke x 6/5
                20 a t acquire ok     x 1 6/5
                """);
    }

    @Test
    void aReleaseReturnsThePermitsOfAnotherLease() {
        wrong(Rule.EXCLUSION, lines(3, 4, 10, 7, 8, 9), """
                10 a t acquire invoke x 2/5
                20 a t acquire ok     x 1 2/5
                21 b t acquire invoke x 3/5
                22 b t acquire ok     x 2 3/5
                30 a t release invoke x 1 2/5
                31 a t release ok     x 1 2/5
                32 c t acquire invoke x 4/5
                33 c t acquire ok     x 3 4/5
                40 c t check   ok     x 3 4/5
                41 b t check   ok     x 2 3/5
                """);
    }

    // ================================================================ tokens

    @Test
    void aReaderAfterAWriterHasTheSmallerToken() {
        wrong(Rule.TOKENS, lines(1, 2, 3, 5, 6, 7), """
                10 a t acquire invoke x write
                20 a t acquire ok     x 9 write
                30 a t release invoke x write
                40 a t release ok     x write
                50 b t acquire invoke x read
                60 b t acquire ok     x 8 read
                70 b t check   ok     x 8 read
                """);
    }

    @Test
    void aWriterAfterAReaderHasTheSmallerToken() {
        wrong(Rule.TOKENS, lines(1, 2, 3, 5, 6), """
                10 a t acquire invoke x read
                20 a t acquire ok     x 9 read
                30 a t release invoke x read
                40 a t release ok     x read
                50 b t acquire invoke x write
                60 b t acquire ok     x 8 write
                """);
    }

    @Test
    void aWriterHasATokenBetweenReadersInTheWrongOrder() {
        wrong(Rule.TOKENS, lines(1, 2, 3, 5, 6, 7, 8, 9), """
                10 a t acquire invoke x read
                20 a t acquire ok     x 3 read
                30 a t release invoke x read
                31 a t release ok     x read
                5  b t acquire invoke x write
                99 b t acquire ok     x 2 write
                40 c t acquire invoke x read
                50 c t acquire ok     x 1 read
                60 c t check   ok     x 1 read
                """);
    }

    @Test
    void twoReadersHaveOneToken() {
        wrong(Rule.TOKENS, lines(1, 2, 5, 3, 4), """
                10 a t acquire invoke x read
                20 a t acquire ok     x 1 read
                21 b t acquire invoke x read
                22 b t acquire ok     x 1 read
                30 a t check   ok     x 1 read
                """);
    }

    @Test
    void twoLeasesOfOneThreadHaveOneToken() {
        wrong(Rule.TOKENS, lines(2, 4), """
                10 a t acquire invoke x 1/5
                20 a t acquire ok     x 1 1/5
                21 a t acquire invoke x 1/5
                22 a t acquire ok     x 1 1/5
                """);
    }

    @Test
    void aWriterReadsWithAnotherToken() {
        wrong(Rule.TOKENS, lines(2, 4), """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                21 a t acquire invoke x read
                22 a t acquire ok     x 2 read
                """);
    }

    @Test
    void aLeaseOfAllPermitsHasATokenSmallerThanOneBefore() {
        wrong(Rule.TOKENS, lines(1, 2, 3, 4, 5), """
                10 a t acquire invoke x 2/5
                20 a t acquire ok     x 9 2/5
                12 b t acquire invoke x 5/5
                60 b t acquire ok     x 8 5/5
                61 b t check   ok     x 8 5/5
                """);
    }

    // ================================================================ validity

    @Test
    void lostPermitsAreValidAgain() {
        wrong(Rule.VALIDITY, lines(2, 4), """
                10 a t acquire invoke x 2/5
                20 a t acquire ok     x 1 2/5
                30 a t check   fail   x 1 2/5
                31 a t check   ok     x 1 2/5
                """);
    }

    @Test
    void aWriterThatWasLostReads() {
        wrong(Rule.VALIDITY, lines(2, 6), """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                21 a t acquire invoke x read
                22 a t acquire ok     x 1 read
                30 a t check   fail   x 1 write
                31 a t check   ok     x 1 read
                """);
    }

    @Test
    void aWriterThatCouldNotGoOnAsAReaderIsReleasedAsOne() {
        wrong(Rule.VALIDITY, lines(2, 8), """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                21 a t acquire invoke x read
                22 a t acquire ok     x 1 read
                30 a t release invoke x write
                31 a t release fail   x write
                40 a t release invoke x read
                41 a t release ok     x read
                """);
    }

    // ================================================================ form

    @Test
    void theCapacityChanges() {
        wrong(Rule.FORM, lines(2, 4), """
                10 a t acquire invoke x 2/5
                20 a t acquire ok     x 1 2/5
                21 b t acquire invoke x 2/6
                22 b t acquire ok     x 2 2/6
                """);
    }

    @Test
    void aReaderWritesWithinItsHold() {
        wrong(Rule.FORM, lines(2, 4), """
                10 a t acquire invoke x read
                20 a t acquire ok     x 1 read
                21 a t acquire invoke x write
                22 a t acquire ok     x 1 write
                """);
    }

    @Test
    void aWriterThatGoesOnAsAReaderWritesAgain() {
        wrong(Rule.FORM, lines(2, 8), """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                21 a t acquire invoke x read
                22 a t acquire ok     x 1 read
                30 a t release invoke x write
                31 a t release ok     x write
                40 a t acquire invoke x write
                41 a t acquire ok     x 1 write
                """);
    }

    @Test
    void theWritingSideIsValidAfterItsRelease() {
        wrong(Rule.FORM, lines(7), """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                21 a t acquire invoke x read
                22 a t acquire ok     x 1 read
                30 a t release invoke x write
                31 a t release ok     x write
                40 a t check   ok     x 1 write
                """);
    }

    @Test
    void aSideThatIsNotHeldIsReleased() {
        wrong(Rule.FORM, lines(3, 4), """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                30 a t release invoke x read
                31 a t release ok     x read
                40 a t check   ok     x 1 write
                """);
    }

    @Test
    void permitsAreReleasedTwice() {
        wrong(Rule.FORM, lines(5, 6), """
                10 a t acquire invoke x 1/5
                20 a t acquire ok     x 1 1/5
                30 a t release invoke x 1 1/5
                31 a t release ok     x 1 1/5
                40 a t release invoke x 1 1/5
                41 a t release ok     x 1 1/5
                """);
    }

    @Test
    void anAnswerOfAnotherShare() {
        wrong(Rule.FORM, lines(1, 2), """
                10 a t acquire invoke x 2/5
                20 a t acquire ok     x 1 3/5
                """);
    }

    @Test
    void anAnswerAboutAnotherLease() {
        wrong(Rule.FORM, lines(5, 6), """
                10 a t acquire invoke x 1/5
                20 a t acquire ok     x 1 1/5
                21 a t acquire invoke x 1/5
                22 a t acquire ok     x 2 1/5
                30 a t release invoke x 1 1/5
                31 a t release ok     x 2 1/5
                """);
    }

    @Test
    void permitsOfAnotherNumberAreValid() {
        wrong(Rule.FORM, lines(3), """
                10 a t acquire invoke x 2/5
                20 a t acquire ok     x 1 2/5
                30 a t check   ok     x 1 3/5
                """);
    }

    // ================================================================ answers

    @Test
    void aWaiterForPermitsWasNeverWoken() {
        History history = History.parse("""
                10 a t acquire invoke x 2/2
                20 b t acquire invoke x 1/2
                30 b t acquire ok     x 1 1/2
                40 b t release invoke x 1 1/2
                50 b t release ok     x 1 1/2
                """);
        assertThat(HistoryChecker.checkEnded(history).violations())
                .singleElement()
                .satisfies(violation -> isOf(Rule.ANSWERS, lines(1), violation));
    }
}
