// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import static io.boltwork.testkit.history.RightHistoriesTest.right;

import org.junit.jupiter.api.Test;

/** Possible histories of read-write locks and semaphores. The checker accepts all of them, although some look wrong. */
class RightShareHistoriesTest {

    // ================================================================ read-write locks

    @Test
    void readersHoldTogether() {
        right(3, """
                10 a t acquire invoke x read
                20 a t acquire ok     x 1 read
                21 b t acquire invoke x read
                22 b t acquire ok     x 2 read
                23 c t acquire invoke x read
                24 c t acquire ok     x 3 read
                25 a t check   ok     x 1 read
                30 b t release invoke x read
                31 b t release ok     x read
                40 c t check   ok     x 3 read
                50 a t check   ok     x 1 read
                """);
    }

    @Test
    void writersAndReadersFollowOneAnother() {
        right(4, """
                10 a t acquire invoke x read
                20 a t acquire ok     x 1 read
                21 b t acquire invoke x write
                22 c t acquire invoke x read
                30 a t release invoke x read
                31 b t acquire ok     x 2 write
                32 a t release ok     x read
                35 a t acquire invoke x read
                40 b t release invoke x write
                41 c t acquire ok     x 3 read
                42 a t acquire ok     x 4 read
                45 b t release ok     x write
                50 c t check   ok     x 3 read
                51 a t check   ok     x 4 read
                """);
    }

    @Test
    void theLaterReaderHasTheSmallerToken() {
        right(2, """
                10 a t acquire invoke x read
                20 a t acquire ok     x 2000 read
                30 b t acquire invoke x read
                40 b t acquire ok     x 1001 read     # joins the hold of another reader of its client
                50 a t check   ok     x 2000 read
                51 b t check   ok     x 1001 read
                """);
    }

    @Test
    void aReaderThatHasEndedHasALargerTokenThanALaterOne() {
        right(3, """
                10 a t acquire invoke x read
                20 a t acquire ok     x 7 read
                30 a t release invoke x read
                31 a t release ok     x read
                40 b t acquire invoke x read
                50 b t acquire ok     x 5 read
                60 b t release invoke x read
                61 b t release ok     x read
                70 c t acquire invoke x write
                80 c t acquire ok     x 8 write
                """);
    }

    @Test
    void aReaderReadsAgainWhileAWriterWaits() {
        right(2, """
                10 a t acquire invoke x read
                20 a t acquire ok     x 1 read
                25 b t acquire invoke x write
                30 a t acquire invoke x read
                31 a t acquire ok     x 1 read
                40 a t release invoke x read
                41 a t release ok     x read
                42 a t check   ok     x 1 read
                50 a t release invoke x read
                51 b t acquire ok     x 2 write
                52 a t release ok     x read
                53 b t check   ok     x 2 write
                """);
    }

    @Test
    void aWriterReadsAndStillWrites() {
        right(2, """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                21 b t acquire invoke x read
                30 a t acquire invoke x read
                31 a t acquire ok     x 1 read
                32 a t check   ok     x 1 read
                40 a t release invoke x read
                41 a t release ok     x read
                50 a t check   ok     x 1 write
                60 a t release invoke x write
                61 b t acquire ok     x 2 read
                62 a t release ok     x write
                """);
    }

    @Test
    void aWriterGoesOnAsAReaderBesideAnother() {
        right(3, """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                21 b t acquire invoke x read
                30 a t acquire invoke x read
                31 a t acquire ok     x 1 read
                40 a t release invoke x write
                41 b t acquire ok     x 2 read      # before the release has returned
                45 a t release ok     x write
                46 c t acquire invoke x write
                50 b t check   ok     x 2 read
                51 a t check   ok     x 1 read
                60 b t release invoke x read
                61 b t release ok     x read
                70 a t release invoke x read
                71 c t acquire ok     x 3 write
                72 a t release ok     x read
                """);
    }

    @Test
    void aWriterWhoseLastReleaseIsUnknownGoesOnAsAReader() {
        right(3, """
                10 a t acquire invoke  x write
                20 a t acquire ok      x 1 write
                30 a t acquire invoke  x read
                31 a t acquire ok      x 1 read
                35 b t acquire invoke  x read
                40 a t release invoke  x write
                50 b t acquire ok      x 2 read
                55 a t release unknown x write
                60 b t check   ok      x 2 read
                61 a t check   ok      x 1 read
                70 a t check   fail    x 1 read
                71 b t release invoke  x read
                72 b t release ok      x read
                73 c t acquire invoke  x write
                80 c t acquire ok      x 3 write
                """);
    }

    @Test
    void aWriterFrozenPastItsLeaseCannotGoOnAsAReader() {
        right(2, """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                30 a t acquire invoke x read
                31 a t acquire ok     x 1 read
                32 b t acquire invoke x write      # a is frozen here
                50 b t acquire ok     x 2 write
                60 a t release invoke x write
                61 a t release fail   x write
                62 a t release invoke x read
                63 a t release fail   x read
                90 b t check   ok     x 2 write
                """);
    }

    @Test
    void aWriterIsKilledWhileItGoesOnAsAReader() {
        right(2, """
                10 a t acquire invoke x write
                20 a t acquire ok     x 1 write
                30 a t acquire invoke x read
                31 a t acquire ok     x 1 read
                40 a t release invoke x write
                45 a - kill    ok
                35 b t acquire invoke x read
                42 b t acquire ok     x 2 read
                43 b t check   ok     x 2 read
                """);
    }

    @Test
    void aReaderThatWantsToWriteIsRefusedAndWritesLater() {
        right(2, """
                10 a t acquire invoke x read
                20 a t acquire ok     x 1 read
                30 a t acquire invoke x write
                31 a t acquire fail   x write
                32 a t check   ok     x 1 read
                40 a t release invoke x read
                41 a t release ok     x read
                50 a t acquire invoke x write
                60 a t acquire ok     x 2 write
                """);
    }

    @Test
    void aFrozenReaderLearnsLateThatAWriterCame() {
        right(3, """
                10 a t acquire invoke x read
                20 a t acquire ok     x 1 read
                21 b t acquire invoke x read
                22 b t acquire ok     x 2 read
                30 a t check   ok     x 1 read
                31 c t acquire invoke x write      # a is frozen here
                40 b t release invoke x read
                41 b t release ok     x read
                60 c t acquire ok     x 3 write
                65 c t check   ok     x 3 write
                70 a t check   fail   x 1 read
                80 a t release invoke x read
                81 a t release fail   x read
                """);
    }

    @Test
    void aReaderIsFrozenBeforeItsAcquisitionReturns() {
        right(3, """
                10 a t acquire invoke x read
                12 b t acquire invoke x write      # a has token 1, and is frozen before the call returns to it
                30 b t acquire ok     x 2 write
                31 b t check   ok     x 2 write
                40 b t release invoke x write
                41 b t release ok     x write
                42 c t acquire invoke x read
                50 c t acquire ok     x 3 read
                60 a t acquire ok     x 1 read
                61 a t check   fail   x 1 read
                70 c t check   ok     x 3 read
                """);
    }

    @Test
    void anUnverifiedWriterLiesBetweenReadersByItsToken() {
        right(3, """
                10 a t acquire invoke x read
                20 a t acquire ok     x 1 read
                30 a t release invoke x read
                31 a t release ok     x read
                15 b t acquire invoke x write      # granted at 30, and lost before its call returned
                90 b t acquire ok     x 2 write
                91 b t check   fail   x 2 write
                40 c t acquire invoke x read
                50 c t acquire ok     x 3 read
                80 c t check   ok     x 3 read
                """);
    }

    // ================================================================ semaphores

    @Test
    void allPermitsAreHeldTogether() {
        right(3, """
                10 a t acquire invoke x 2/6
                20 a t acquire ok     x 1 2/6
                21 b t acquire invoke x 3/6
                22 b t acquire ok     x 2 3/6
                23 c t acquire invoke x 1/6
                24 c t acquire ok     x 3 1/6
                40 a t check   ok     x 1 2/6
                41 b t check   ok     x 2 3/6
                42 c t check   ok     x 3 1/6
                """);
    }

    @Test
    void permitsAreTakenInTheInstantOfTheirRelease() {
        right(3, """
                10 a t acquire invoke x 2/3
                20 a t acquire ok     x 1 2/3
                21 b t acquire invoke x 1/3
                22 b t acquire ok     x 2 1/3
                25 c t acquire invoke x 2/3
                30 a t release invoke x 1 2/3
                30 c t acquire ok     x 3 2/3
                35 a t release ok     x 1 2/3
                40 b t check   ok     x 2 1/3
                41 c t check   ok     x 3 2/3
                """);
    }

    @Test
    void aThreadHasTwoLeasesAndReleasesThemCrosswise() {
        right(3, """
                10 a t acquire invoke x 2/5
                20 a t acquire ok     x 1 2/5
                21 a t acquire invoke x 3/5
                22 a t acquire ok     x 2 3/5
                23 a t check   ok     x 2 3/5
                24 a t check   ok     x 1 2/5
                25 b t acquire invoke x 2/5
                30 a t release invoke x 1 2/5
                31 b t acquire ok     x 3 2/5
                32 a t release ok     x 1 2/5
                40 a t check   ok     x 2 3/5
                41 b t check   ok     x 3 2/5
                50 a t release invoke x 2 3/5
                51 a t release ok     x 2 3/5
                """);
    }

    @Test
    void oneOfTwoLeasesOfAThreadIsLost() {
        right(3, """
                10 a t acquire invoke x 2/5
                20 a t acquire ok     x 1 2/5
                21 a t acquire invoke x 3/5
                22 a t acquire ok     x 2 3/5
                30 a t check   fail   x 1 2/5
                31 a t check   ok     x 2 3/5
                32 b t acquire invoke x 2/5
                33 b t acquire ok     x 3 2/5
                40 b t check   ok     x 3 2/5
                41 a t check   ok     x 2 3/5
                50 a t release invoke x 1 2/5
                51 a t release fail   x 1 2/5
                60 a t release invoke x 2 3/5
                61 a t release ok     x 2 3/5
                """);
    }

    @Test
    void aHandedOverLeaseHasASmallerTokenThanAnOlderOne() {
        right(3, """
                10 a t acquire invoke x 2/4
                20 a t acquire ok     x 1000 2/4
                21 b t acquire invoke x 2/4
                22 b t acquire ok     x 2000 2/4
                23 a u acquire invoke x 2/4
                30 a t release invoke x 1000 2/4
                31 a u acquire ok     x 1001 2/4
                32 a t release ok     x 1000 2/4
                40 b t check   ok     x 2000 2/4
                41 a u check   ok     x 1001 2/4
                """);
    }

    @Test
    void aLeaseOfAllPermitsComesBetweenSmallOnes() {
        right(4, """
                10 a t acquire invoke x 1/4
                20 a t acquire ok     x 1 1/4
                21 b t acquire invoke x 4/4
                22 c t acquire invoke x 3/4
                23 c t acquire fail   x 3/4
                30 a t release invoke x 1 1/4
                31 b t acquire ok     x 2 4/4
                32 a t release ok     x 1 1/4
                33 a t acquire invoke x 1/4
                34 c t acquire invoke x 3/4
                40 b t release invoke x 2 4/4
                41 a t acquire ok     x 3 1/4
                42 c t acquire ok     x 4 3/4
                45 b t release ok     x 2 4/4
                50 a t check   ok     x 3 1/4
                51 c t check   ok     x 4 3/4
                """);
    }

    @Test
    void thePermitsOfAKilledHolderAreTakenAfterItsLease() {
        right(3, """
                10 a t acquire invoke x 4/5
                20 a t acquire ok     x 1 4/5
                30 a t check   ok     x 1 4/5
                40 a - kill    ok
                31 b t acquire invoke x 3/5
                41 c t acquire invoke x 2/5
                80 b t acquire ok     x 2 3/5
                81 c t acquire ok     x 3 2/5
                90 b t check   ok     x 2 3/5
                91 c t check   ok     x 3 2/5
                """);
    }

    @Test
    void permitsAreTakenDuringAReleaseThatIsUnknown() {
        right(2, """
                10 a t acquire invoke  x 4/5
                20 a t acquire ok      x 1 4/5
                25 b t acquire invoke  x 4/5
                30 a t release invoke  x 1 4/5
                40 b t acquire ok      x 2 4/5
                50 a t release unknown x 1 4/5
                60 b t check   ok      x 2 4/5
                """);
    }

    @Test
    void leasesThatWereNeverConfirmedOverlap() {
        right(3, """
                10 a t acquire invoke x 3/5
                20 a t acquire ok     x 1 3/5
                11 b t acquire invoke x 3/5
                21 b t acquire ok     x 2 3/5
                12 c t acquire invoke x 3/5
                22 c t acquire ok     x 3 3/5
                40 c t check   ok     x 3 3/5
                30 a - kill    ok
                31 b - kill    ok
                """);
    }

    // ================================================================ names

    @Test
    void locksOfOneNameAndDifferentKindsAreIndependent() {
        right(4, """
                10 a t acquire invoke x
                20 a t acquire ok     x 1
                30 a t acquire invoke x write
                31 a t acquire ok     x 1 write
                32 a t acquire invoke x 2/2
                33 a t acquire ok     x 1 2/2
                34 b t acquire invoke x 1/2
                40 a t release invoke x 1 2/2
                41 b t acquire ok     x 2 1/2
                42 a t release ok     x 1 2/2
                50 a t check   ok     x 1
                51 a t check   ok     x 1 write
                52 b t check   ok     x 2 1/2
                60 a t release invoke x
                61 a t release ok     x
                70 a t check   ok     x 1 write
                """);
    }

    @Test
    void semaphoresOfDifferentNamesHaveDifferentCapacities() {
        right(2, """
                10 a t acquire invoke x 3/5
                20 a t acquire ok     x 1 3/5
                21 b t acquire invoke y 3/3
                22 b t acquire ok     y 1 3/3
                30 a t check   ok     x 1 3/5
                31 b t check   ok     y 1 3/3
                """);
    }
}
