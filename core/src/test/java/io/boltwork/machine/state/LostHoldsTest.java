// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockOptions;
import io.boltwork.engine.StillContext;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.request.Waiter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LostHoldsTest {

    private static final long LOOK = TimeUnit.SECONDS.toNanos(30);

    private LostHolds lost = LostHolds.NONE;
    private final Thread me = Thread.currentThread();

    private static Hold hold(Waiter waiter) {
        Request request = Request.of(new StillContext(), 1, waiter, 0);
        request.startHold(1_000, 7, true, 0);
        request.occupied(0);
        return new Hold(request, 7, waiter, 0);
    }

    private static Hold mine() {
        return hold(Waiter.of(Thread.currentThread(), LockTerms.of(LockOptions.defaults()), false, false));
    }

    private static Hold fixed(Duration lease) {
        return hold(Waiter.of(Thread.currentThread(), LockTerms.of(LockOptions.fixedLease(lease)), false, false));
    }

    /** Returns a hold of a thread that has ended. */
    private static Hold forsaken() throws InterruptedException {
        Hold[] hold = new Hold[1];
        Thread thread = new Thread(() -> hold[0] = mine());
        thread.start();
        thread.join();
        return hold[0];
    }

    @Test
    void lostHoldsAreFoundByTheirThreadUntilItUnwinds() throws InterruptedException {
        Hold first = mine();
        Hold other = forsaken();
        lost = lost.with(List.of(other), 0);
        lost = lost.with(List.of(first), 0);
        assertThat(lost.of(me, false)).isSameAs(first);
        assertThat(lost.of(other.asker, false)).isSameAs(other);
        first.leave(false);
        assertThat(lost.of(me, false)).as("the thread has unwound").isNull();
        lost = lost.without(first);
        lost = lost.without(first);
        assertThat(lost.of(other.asker, false)).isSameAs(other);
        lost = lost.without(other);
        assertThat(lost.isEmpty()).isTrue();
    }

    @Test
    void holdsThatNeedNoLookupAreNotKept() {
        Hold over = mine();
        over.leave(false);
        lost = lost.with(List.of(over), 0);
        lost = lost.with(List.of(hold(Waiter.ofHandle(LockTerms.of(LockOptions.defaults()), false))), 0);
        assertThat(lost.isEmpty()).isTrue();
        assertThat(lost.lookAt()).isEqualTo(Ticker.NEVER);
    }

    @Test
    void aFixedLeaseIsForgottenAfterAMinuteOrItsOwnLength() {
        Hold brief = fixed(Duration.ofMillis(200));
        lost = lost.with(List.of(brief), 0).looked(LOOK);
        assertThat(lost.of(me, false)).isSameAs(brief);
        assertThat(lost.looked(2 * LOOK).isEmpty()).isTrue();
        lost = LostHolds.NONE.with(List.of(fixed(Duration.ofMinutes(5))), 0);
        for (int i = 1; i < 10; i++) {
            lost = lost.looked(i * LOOK);
        }
        assertThat(lost.isEmpty()).isFalse();
        assertThat(lost.looked(10 * LOOK).isEmpty()).isTrue();
    }

    @Test
    void aNestedFixedLeaseIsNotForgotten() {
        Hold nested = fixed(Duration.ofMillis(200));
        lost = lost.with(List.of(nested), 0).untilUnwound(nested);
        for (int i = 1; i < 10; i++) {
            lost = lost.looked(i * LOOK);
        }
        assertThat(lost.of(me, false)).isSameAs(nested);
        assertThat(lost.untilUnwound(mine())).isEqualTo(lost);
    }

    @Test
    void aThreadHasOnlyItsNewestLostHold() {
        Hold second = fixed(Duration.ofMillis(200));
        lost = lost.with(List.of(fixed(Duration.ofMillis(200))), 0).with(List.of(second), 1);
        assertThat(lost.of(me, false)).isSameAs(second);
        assertThat(lost.without(second).isEmpty()).isTrue();
    }

    @Test
    void lostHoldsAreForgottenWhenTheirThreadsHaveEnded() throws InterruptedException {
        Hold living = mine();
        Hold unwound = forsaken();
        lost = lost.with(List.of(forsaken()), 5);
        lost = lost.with(List.of(living), 9);
        lost = lost.with(List.of(unwound), 9);
        unwound.leave(false);
        assertThat(lost.lookAt()).isEqualTo(LOOK + 5);
        lost = lost.looked(LOOK + 4);
        assertThat(lost.lookAt()).as("too early").isEqualTo(LOOK + 5);
        lost = lost.looked(LOOK + 5);
        assertThat(lost.of(me, false)).isSameAs(living);
        assertThat(lost.lookAt()).isEqualTo(2 * LOOK + 5);
        lost = lost.without(living);
        assertThat(lost.isEmpty()).as("the others are forgotten").isTrue();
    }
}
