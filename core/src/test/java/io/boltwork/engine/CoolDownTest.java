// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A lock that is taken for a fixed time and never unlocked. */
class CoolDownTest extends EngineScene {

    private static final Duration BRIEF = Duration.ofMillis(200);
    private final FencedLock lock = client.lock(LockOptions.defaults());

    private boolean tried() throws InterruptedException {
        return lock.tryLock(Duration.ZERO, BRIEF);
    }

    private long token() {
        return lock.currentLease().orElseThrow().fencingToken();
    }

    @Test
    void aCoolDownCanBeginAgainAfterItsEnd() throws InterruptedException {
        long token = 0;
        for (int i = 0; i < 100; i++) {
            assertThat(tried()).isTrue();
            assertThat(lock.holdCount()).isEqualTo(1);
            assertThat(token()).isGreaterThan(token);
            token = token();
            pass(250 + i);
        }
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock)
                .as("an earlier hold is not remembered")
                .isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void aCoolDownCanBeginAgainBeforeItsEndIsNoticed() throws InterruptedException {
        assertThat(tried()).isTrue();
        stall(250);
        assertThat(lock.withOptions(LockOptions.fixedLease(BRIEF)).tryLock()).isTrue();
        assertThat(lock.holdCount()).isEqualTo(1);
        lock.unlock();
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aCoolDownIsRefusedWhileAnotherClientHoldsIt() throws InterruptedException {
        assertThat(tried()).isTrue();
        pass(250);
        holdElsewhere(10_000);
        assertThat(tried()).isFalse();
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aLateUnlockIsALossForAMinuteAndThenAnError() throws InterruptedException {
        assertThat(tried()).isTrue();
        pass(60_000);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThat(tried()).isTrue();
        pass(61_000);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        pass(2_000);
        assertThat(client.engine.drivers.count()).isZero();
    }

    @Test
    void anyAcquisitionBeginsAgainAfterAMinute() throws InterruptedException {
        assertThat(tried()).isTrue();
        pass(61_000);
        lock.lock();
        assertThat(lock.holdCount()).isEqualTo(1);
        lock.unlock();
    }

    @Test
    void aThreadThatTriedToNestGetsTheLossUntilItUnwinds() throws InterruptedException {
        assertThat(tried()).isTrue();
        pass(1_000);
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
        pass(600_000);
        assertThatThrownBy(lock::lock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        lock.lock();
        lock.unlock();
    }

    @Test
    void onlyATryForAFixedLeaseBeginsAgain() throws InterruptedException {
        assertThat(tried()).isTrue();
        pass(250);
        assertThatThrownBy(lock::tryLock).as("for a renewed lease").isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> lock.tryLock(Duration.ofSeconds(1), BRIEF))
                .as("a lock() that waits")
                .isInstanceOf(LeaseLostException.class);
        FencedLock brief = lock.withOptions(LockOptions.fixedLease(BRIEF));
        assertThatThrownBy(() -> brief.tryAcquire(Duration.ofSeconds(1)))
                .as("a lease that is waited for")
                .isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aCoolDownThatWasTakenAwayDoesNotBeginAgain() throws InterruptedException {
        assertThat(tried()).isTrue();
        client.server.delete("lock");
        holdElsewhere(10);
        pass(100); // the hold is verified and found lost
        pass(200);
        assertThatThrownBy(this::tried).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aRenewedLeaseIsNotACoolDown() throws InterruptedException {
        client.lock(TEN).lock();
        stall(11_000);
        assertThatThrownBy(this::tried).isInstanceOf(LeaseLostException.class);
        client.lock(FIXED).isLocked();
        pass(600_000);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }
}
