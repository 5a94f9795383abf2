// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.spi.IdleLife;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The shortest idle life of a lock's record, with holders and waiters that cannot reach the server for longer than
 * that.
 */
class IdleLifeRulesTest extends EngineScene {

    private static final long LIFE = IdleLife.SHORTEST.toMillis();
    private static final LockOptions HOUR = LockOptions.renewedLease(Duration.ofHours(1));

    {
        client.server.setIdleLife(IdleLife.SHORTEST);
    }

    @Test
    void aQueueBehindRenewalsStays() {
        holdElsewhere(30_000);
        CompletableFuture<Lease> first = wish(FIFO);
        CompletableFuture<Lease> second = wish(FIFO);
        long fence = look().fence();
        for (int i = 0; i < 60; i++) {
            pass(10_000);
            holdElsewhere(30_000); // a renewal
            assertThat(look().queue()).hasSize(2);
            assertThat(look().fence()).isEqualTo(fence);
        }
        freeElsewhere();
        granted(first).release();
        granted(second).release();
    }

    @Test
    void aQueueBehindALongLeaseStays() {
        holdElsewhere(60 * LIFE);
        long fence = look().fence();
        CompletableFuture<Lease> wish = wish(TEN);
        pass(60 * LIFE - 1);
        assertThat(look().queue()).hasSize(1);
        assertThat(look().fence()).isEqualTo(fence);
        pass(2);
        assertThat(granted(wish).fencingToken()).isGreaterThan(fence);
    }

    @Test
    void aLongLeaseOutlivesAnOutageBeyondTheIdleLife() {
        Lease lease = acquire(HOUR);
        isSilent();
        pass(50 * 60_000);
        assertThat(lease.isValid()).isTrue();
        assertThat(look().owner()).isEqualTo("c:1");
        answersAgain();
        client.engine.backendWatch.connected(time());
        pass(60_000);
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.remaining()).isGreaterThan(Duration.ofMinutes(50));
    }

    @Test
    void anOutageBeyondTheIdleLifeLeavesNothingAndIsHarmless() {
        Lease lost = acquire(TEN);
        long token = lost.fencingToken();
        CompletableFuture<Lease> waiting = wish(TEN);
        isSilent();
        pass(30_000);
        assertThat(lost.isValid()).isFalse();
        assertThatThrownBy(lost::release).isInstanceOf(LeaseLostException.class);
        pass(10 * LIFE);
        assertThat(look().fence()).as("the record is gone").isZero();
        assertThat(waiting).as("the outage patience is over").isCompletedExceptionally();
        answersAgain();
        client.engine.backendWatch.connected(time());
        pass(10_000);
        Lease next = acquire(TEN);
        assertThat(next.fencingToken()).isGreaterThan(token);
        pass(LIFE);
        assertThat(next.isValid()).isTrue();
        next.release();
        pass(2 * LIFE);
        assertThat(look().fence()).isZero();
        assertThat(client.engine.drivers.count()).isLessThanOrEqualTo(1);
    }

    @Test
    void aHeldLockIsNeverForgotten() {
        Lease lease = acquire(TEN);
        for (int i = 0; i < 100; i++) {
            pass(LIFE);
            assertThat(look().owner()).isEqualTo("c:1");
        }
        assertThat(lease.isValid()).isTrue();
    }
}
