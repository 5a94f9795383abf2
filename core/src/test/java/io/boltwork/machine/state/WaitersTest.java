// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockOptions;
import io.boltwork.engine.StillContext;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import org.junit.jupiter.api.Test;

class WaitersTest {

    private final Waiters waiters = new Waiters();

    private static Waiter sharing() {
        return Waiter.ofHandle(LockTerms.of(LockOptions.defaults()), false);
    }

    private static Waiter queued() {
        Waiter waiter =
                Waiter.ofHandle(LockTerms.of(LockOptions.defaults().withFairness(LockOptions.Fairness.FIFO)), false);
        waiter.request = Request.of(new StillContext(), 1, waiter, 0);
        return waiter;
    }

    @Test
    void waitersAreServedInOrderEvenIfOneLeaves() {
        Waiter[] three = {sharing(), sharing(), sharing()};
        Waiter[] fifo = {queued(), queued(), queued()};
        for (int i = 0; i < 3; i++) {
            waiters.add(three[i]);
            waiters.add(fifo[i]);
        }
        assertThat(waiters.size()).isEqualTo(6);
        assertThat(waiters.remove(three[1])).isTrue();
        assertThat(waiters.remove(three[1])).isFalse();
        assertThat(waiters.remove(fifo[1])).isTrue();
        assertThat(waiters.remove(fifo[1])).isFalse();
        assertThat(waiters.first()).isSameAs(three[0]);
        assertThat(waiters.oldest()).isSameAs(fifo[0].request);
        assertThat(waiters.of(fifo[2].request)).isSameAs(fifo[2]);
        assertThat(waiters.remove(fifo[2])).isTrue();
        assertThat(waiters.of(Request.of(new StillContext(), 9, three[0], 0))).isSameAs(three[0]);
        assertThat(waiters.remove(three[0])).isTrue();
        assertThat(waiters.poll(Long.MAX_VALUE)).isSameAs(three[2]);
        assertThat(waiters.isEmpty()).isFalse();
        assertThat(waiters.hasOwnRequests()).isTrue();
        assertThat(waiters.poll(Long.MAX_VALUE))
                .as("waiters that share a request come first")
                .isSameAs(fifo[0]);
        assertThat(waiters.poll(Long.MAX_VALUE)).isNull();
        assertThat(waiters.isEmpty()).isTrue();
        assertThat(waiters.hasOwnRequests()).isFalse();
        assertThat(waiters.oldest()).isNull();
    }
}
