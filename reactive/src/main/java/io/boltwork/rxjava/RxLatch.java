// SPDX-License-Identifier: Apache-2.0
package io.boltwork.rxjava;

import io.boltwork.DistributedLatch;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Single;
import java.time.Duration;
import java.util.Objects;

/**
 * A latch for RxJava 3, see {@link RxLocks}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RxLatch {

    private final DistributedLatch latch;

    RxLatch(DistributedLatch latch) {
        this.latch = latch;
    }

    /**
     * Sets the count, unless the latch is in use.
     *
     * @param count the count, 1 or more
     * @return a publisher of whether the count was set
     */
    public Single<Boolean> trySetCount(int count) {
        return Acquisition.of(() -> latch.trySetCountAsync(count)).toSingle();
    }

    /**
     * Counts down by one.
     *
     * @return a publisher that completes when the backend has answered
     */
    public Completable countDown() {
        return Completable.fromMaybe(Acquisition.of(latch::countDownAsync));
    }

    /**
     * Counts down by one for a participant, once in a generation.
     *
     * @param participant the name of the participant
     * @return a publisher that completes when the backend has answered
     */
    public Completable countDown(String participant) {
        Objects.requireNonNull(participant, "participant");
        return Completable.fromMaybe(Acquisition.of(() -> latch.countDownAsync(participant)));
    }

    /**
     * Waits until the count is zero.
     *
     * @return a publisher that completes then; a disposal ends the wait
     */
    public Completable await() {
        return Completable.fromMaybe(Acquisition.of(latch::awaitAsync));
    }

    /**
     * Waits for a limited time until the count is zero.
     *
     * @param wait the longest time to wait; zero or less means to ask once
     * @return a publisher of whether the count has become zero; a disposal ends the wait
     */
    public Single<Boolean> await(Duration wait) {
        Objects.requireNonNull(wait, "wait");
        return Acquisition.of(() -> latch.awaitAsync(wait)).toSingle();
    }

    @Override
    public String toString() {
        return "Rx" + latch;
    }
}
