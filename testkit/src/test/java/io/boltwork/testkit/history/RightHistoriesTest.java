// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.history.HistoryChecker.Verdict;
import org.junit.jupiter.api.Test;

/** Possible histories. The checker accepts all of them, although some look wrong. */
class RightHistoriesTest {

    static void right(int holds, String history) {
        Verdict verdict = HistoryChecker.check(History.parse(history));
        assertThat(verdict.violations()).as(verdict.toString()).isEmpty();
        assertThat(verdict.holds()).isEqualTo(holds);
    }

    @Test
    void anEmptyHistory() {
        right(0, "");
    }

    @Test
    void holdsFollowOneAnother() {
        right(2, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t release invoke x
                40 a t release ok     x
                50 b t acquire invoke x
                60 b t acquire ok     x 2
                70 b t release invoke x
                80 b t release ok     x
                """);
    }

    @Test
    void aWaiterHoldsBeforeTheReleaseHasReturned() {
        right(2, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                25 b t acquire invoke x
                30 a t release invoke x
                31 b t acquire ok     x 2
                32 b t release invoke x
                40 a t release ok     x
                45 b t release ok     x
                """);
    }

    @Test
    void theNextHoldBeginsInTheInstantOfTheRelease() {
        right(2, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                25 b t acquire invoke x
                30 a t release invoke x
                30 b t acquire ok     x 2
                40 a t release ok     x
                45 b t release invoke x
                46 b t release ok     x
                """);
    }

    @Test
    void triesAreRefusedDuringAHoldAndOneAfterIt() {
        right(1, """
                10 a t acquire invoke  x
                20 a t acquire ok      x 1
                21 b t acquire invoke  x
                22 b t acquire fail    x
                23 b t acquire invoke  x
                24 b t acquire unknown x
                30 a t release invoke  x
                40 a t release ok      x
                41 b t acquire invoke  x
                42 b t acquire fail    x      # somebody else may wait for it
                """);
    }

    @Test
    void anUnknownAcquisitionTookEffectAndItsTokenIsMissing() {
        right(2, """
                10 a t acquire invoke  x
                20 a t acquire unknown x      # would have had token 1
                21 b t acquire invoke  x
                22 b t acquire fail    x
                50 a t acquire invoke  x
                60 a t acquire ok      x 2
                70 a t release invoke  x
                80 a t release ok      x
                85 b t acquire invoke  x
                90 b t acquire ok      x 3
                """);
    }

    @Test
    void anUnansweredAcquisitionOverlapsEverything() {
        right(2, """
                10 a t acquire invoke x
                20 b t acquire invoke x
                30 b t acquire ok     x 1
                40 b t release invoke x
                45 b t release ok     x
                50 a - kill    ok
                60 b t acquire invoke x
                70 b t acquire ok     x 9
                """);
    }

    @Test
    void anUnknownReleaseIsFollowedByAnotherHold() {
        right(2, """
                10 a t acquire invoke  x
                20 a t acquire ok      x 1
                25 b t acquire invoke  x
                30 a t release invoke  x
                40 b t acquire ok      x 2
                50 a t release unknown x
                60 b t check   ok      x 2
                """);
    }

    @Test
    void aHolderFrozenPastItsLeaseSeesTheLossAfterwards() {
        right(2, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t check   ok     x 1
                31 b t acquire invoke x      # a is frozen here
                50 b t acquire ok     x 2
                60 b t release invoke x
                65 b t release ok     x
                70 a t release invoke x
                75 a t release fail   x
                """);
    }

    @Test
    void theUnverifiedEndOfALostHoldOverlapsTheNextHold() {
        right(2, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t check   ok     x 1
                31 b t acquire invoke x
                50 b t acquire ok     x 2
                55 b t check   ok     x 2
                60 a t check   fail   x 1
                70 a t release invoke x
                75 a t release fail   x
                80 b t release invoke x
                85 b t release ok     x
                """);
    }

    @Test
    void aHolderIsFrozenBeforeItsAcquisitionReturns() {
        right(2, """
                10 a t acquire invoke x
                20 b t acquire invoke x      # a has token 1, and is frozen before the call returns to it
                30 b t acquire ok     x 2
                40 a t acquire ok     x 1
                41 a t check   fail   x 1
                50 b t check   ok     x 2
                """);
    }

    @Test
    void aKilledHoldersLockIsAcquiredAfterItsLease() {
        right(2, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t check   ok     x 1
                40 a - kill    ok
                41 b t acquire invoke x
                90 b t acquire ok     x 2
                """);
    }

    @Test
    void aHolderIsKilledDuringItsReleaseThatTookEffect() {
        right(2, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t release invoke x
                31 b t acquire invoke x
                32 b t acquire ok     x 2
                33 b t check   ok     x 2
                40 a - kill    ok
                """);
    }

    @Test
    void aHolderFrozenPastItsLeaseIsKilledDuringItsRelease() {
        right(2, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 b t acquire invoke x
                40 b t acquire ok     x 2
                50 a t release invoke x
                51 a - kill    ok
                60 b t check   ok     x 2
                """);
    }

    @Test
    void nestedHoldsAreOneAndEndWithTheLastRelease() {
        right(2, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                21 a t acquire invoke x
                22 a t acquire ok     x 1
                25 a t check   ok     x 1
                30 a t release invoke x
                31 a t release ok     x
                32 b t acquire invoke x
                33 b t acquire fail   x
                34 b t acquire invoke x
                40 a t release invoke x
                41 b t acquire ok     x 2
                45 a t release ok     x
                """);
    }

    @Test
    void aLostHoldIsUnwoundLevelByLevelAndCannotBeNested() {
        right(2, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                21 a t acquire invoke x
                22 a t acquire ok     x 1
                30 b t acquire invoke x
                40 b t acquire ok     x 2
                50 a t acquire invoke x
                51 a t acquire fail   x
                52 a t release invoke x
                53 a t release fail   x
                54 a t release invoke x
                55 a t release fail   x
                56 a t release invoke x
                57 a t release fail   x      # nothing is left
                60 b t check   ok     x 2
                """);
    }

    @Test
    void aThreadAcquiresTheLockAgainAndAgain() {
        right(3, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t release invoke x
                40 a t release ok     x
                40 a t acquire invoke x
                50 a t acquire ok     x 2
                60 a t release invoke x
                60 a t release ok     x
                70 a t acquire invoke x
                70 a t acquire ok     x 3
                """);
    }

    @Test
    void twoLocksAreHeldAtATimeAndReleasedCrosswise() {
        right(4, """
                10 a t acquire invoke x
                20 a t acquire ok     x 5
                21 b t acquire invoke y
                22 b t acquire ok     y 5
                30 a t acquire invoke y
                31 b t release invoke y
                32 a t acquire ok     y 6
                33 b t release ok     y
                40 b t acquire invoke x
                41 a t release invoke x
                42 b t acquire ok     x 6
                43 a t release ok     x
                44 a t release invoke y
                45 a t release ok     y
                """);
    }

    @Test
    void equalThreadNamesInTwoProcessesAreTwoThreads() {
        right(2, """
                10 a t acquire invoke x
                20 b t acquire invoke x
                30 a t acquire ok     x 1
                40 a t release invoke x
                50 b t acquire ok     x 2
                60 a t release ok     x
                """);
    }

    @Test
    void tokensComeInBlocksWithGaps() {
        right(4, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1000
                21 a u acquire invoke x
                22 b t acquire invoke x
                30 a t release invoke x
                31 a u acquire ok     x 1001
                32 a t release ok     x
                33 a t acquire invoke x
                40 a u release invoke x
                41 b t acquire ok     x 2000     # 1002 to 1999 were never used
                42 a u release ok     x
                50 b t release invoke x
                51 a t acquire ok     x 1700000000000000
                52 b t release ok     x
                """);
    }

    @Test
    void linesOfDifferentThreadsMayBeInAnyOrder() {
        right(2, """
                50 b t acquire invoke x
                60 b t acquire ok     x 2
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t release invoke x
                40 a t release ok     x
                """);
    }

    @Test
    void aHolderIsKilledBeforeItsHoldWasEverVerified() {
        right(2, """
                10 a t acquire invoke x
                20 a t acquire ok     x 8
                21 a - kill    ok
                15 b t acquire invoke x
                90 b t acquire ok     x 9
                95 b t check   ok     x 9
                """);
    }

    @Test
    void aCheckOfAReleasedHoldSaysNothingAboutTheNext() {
        right(2, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t release invoke x
                40 a t release ok     x
                50 a t acquire invoke x
                60 a t acquire ok     x 2
                61 a t check   fail   x 1
                62 a t check   ok     x 2
                70 a t release invoke x
                80 a t release ok     x
                """);
    }
}
