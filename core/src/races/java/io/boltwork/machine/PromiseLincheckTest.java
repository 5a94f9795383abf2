// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine;

import static io.boltwork.engine.Interleavings.check;
import static io.boltwork.engine.Interleavings.together;

import io.boltwork.engine.Interleavings;
import io.boltwork.machine.request.Promise;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("interleavings")
class PromiseLincheckTest {

    /**
     * A thread that finds no decision when it goes to sleep is woken by it. PromiseTest checks that no thread sleeps
     * later.
     */
    @Test
    void theSleepingThreadIsNamedToTheDecider() {
        Interleavings.of(60, () -> {
            Promise<Integer> outcome = new Promise<>();
            boolean[] asleep = new boolean[1];
            Thread[] named = new Thread[1];
            together(
                    () -> {
                        outcome.sleep(outcome, 0);
                        asleep[0] = !outcome.isDecided();
                    },
                    () -> named[0] = outcome.decideQuietly(1));
            check(outcome.isDecided() && outcome.value() == 1, "the decision is lost");
            check(!asleep[0] || named[0] == Thread.currentThread(), "the sleeping thread is not woken");
        });
    }

    @Test
    void aCallbackRunsExactlyOnceWithTheDecision() {
        Interleavings.of(60, () -> {
            Promise<Integer> outcome = new Promise<>();
            AtomicInteger calls = new AtomicInteger();
            AtomicInteger told = new AtomicInteger();
            together(
                    () -> outcome.then(() -> {
                        calls.incrementAndGet();
                        told.set(outcome.value());
                    }),
                    () -> outcome.decide(1),
                    () -> outcome.decide(2));
            check(calls.get() == 1, "not called, or twice");
            check(told.get() == outcome.value(), "another value");
        });
    }
}
