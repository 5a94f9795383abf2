// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

public class PromiseTest {

    @Test
    void aPromiseIsDecidedOnce() {
        Promise<String> outcome = new Promise<>();
        assertThatThrownBy(outcome::value).isInstanceOf(IllegalStateException.class);
        outcome.decide("first");
        outcome.decide("second");
        assertThat(outcome.value()).isEqualTo("first");
    }

    @Test
    void aDecisionWakesTheSleeper() throws InterruptedException {
        for (int i = 0; i < 5_000; i++) {
            Promise<Integer> outcome = new Promise<>();
            int value = i;
            Thread decider = new Thread(() -> outcome.decide(value));
            decider.start();
            while (!outcome.isDecided()) {
                outcome.sleep(this, Ticker.NEVER); // a lost wake-up would hang here
            }
            assertThat(outcome.value()).isEqualTo(i);
            decider.join();
        }
    }

    @Test
    void aSleepHasABoundAndEndsAtOnceAfterTheDecision() {
        Promise<String> outcome = new Promise<>();
        long end = System.nanoTime() + 20_000_000;
        int sleeps = 0;
        for (; System.nanoTime() < end; sleeps++) {
            outcome.sleep(this, 5_000_000);
        }
        assertThat(sleeps).isLessThan(100); // wake-ups may be spurious
        outcome.sleep(this, 0);
        outcome.decide("x");
        outcome.sleep(this, Ticker.NEVER);
    }

    @Test
    void aCallbackRunsOnceBeforeOrAfterTheDecision() {
        AtomicInteger calls = new AtomicInteger();
        Promise<String> before = new Promise<>();
        before.then(calls::incrementAndGet);
        assertThat(calls).hasValue(0);
        before.decide("x");
        before.decide("y");
        assertThat(calls).hasValue(1);
        Promise.decided("z").then(calls::incrementAndGet);
        assertThat(calls).hasValue(2);
    }
}
