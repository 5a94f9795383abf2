// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactor;

import io.boltwork.DistributedLatch;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * A latch for Reactor, see {@link ReactorLocks}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ReactorLatch {

    private final DistributedLatch latch;

    ReactorLatch(DistributedLatch latch) {
        this.latch = latch;
    }

    /**
     * Sets the count, unless the latch is in use.
     *
     * @param count the count, 1 or more
     * @return a publisher of whether the count was set
     */
    public Mono<Boolean> trySetCount(int count) {
        return Acquisitions.of(() -> latch.trySetCountAsync(count));
    }

    /**
     * Counts down by one.
     *
     * @return a publisher that completes when the backend has answered
     */
    public Mono<Void> countDown() {
        return Acquisitions.of(latch::countDownAsync);
    }

    /**
     * Counts down by one for a participant, once in a generation.
     *
     * @param participant the name of the participant
     * @return a publisher that completes when the backend has answered
     */
    public Mono<Void> countDown(String participant) {
        Objects.requireNonNull(participant, "participant");
        return Acquisitions.of(() -> latch.countDownAsync(participant));
    }

    /**
     * Waits until the count is zero.
     *
     * @return a publisher that completes then; a cancellation ends the wait
     */
    public Mono<Void> await() {
        return Acquisitions.of(latch::awaitAsync);
    }

    /**
     * Waits for a limited time until the count is zero.
     *
     * @param wait the longest time to wait; zero or less means to ask once
     * @return a publisher of whether the count has become zero; a cancellation ends the wait
     */
    public Mono<Boolean> await(Duration wait) {
        Objects.requireNonNull(wait, "wait");
        return Acquisitions.of(() -> latch.awaitAsync(wait));
    }

    @Override
    public String toString() {
        return "Reactor" + latch;
    }
}
