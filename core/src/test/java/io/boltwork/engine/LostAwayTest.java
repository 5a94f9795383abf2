// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.LeaseLostException;
import io.boltwork.spi.Command;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A thread whose wait for a signal finds its hold lost, while another thread runs the events of the lock. */
class LostAwayTest extends HangingScene {

    private final CountDownLatch awaited = new CountDownLatch(1);
    private final CountDownLatch refused = new CountDownLatch(1);

    @Test
    void theOwnerFindsTheLossWhenItsWaitHasFailed() throws Exception {
        FencedLock lock = lock("lock");
        FutureTask<?> owner = new FutureTask<>(
                () -> {
                    lock.lock();
                    client.freeElsewhereUnheard();
                    client.holdElsewhere(TimeUnit.HOURS.toNanos(1));
                    busyUntil(awaited);
                    try {
                        assertThatThrownBy(lock.condition("filled")::await).isInstanceOf(LeaseLostException.class);
                        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
                    } finally {
                        refused.countDown();
                    }
                },
                null);
        client.wire = command -> {
            if (command instanceof Command.Release) { // its answer is the event before the last
                client.engine.drivers.post("lock", driver -> driver.post(busy -> waitFor(refused)));
            }
            return client.execute(command);
        };
        Thread thread = start("owner", owner::run);
        until(() -> client.naps.containsKey(thread));
        awaited.countDown();
        owner.get();
    }

    /** Lets another thread run the events of the lock, the first of which lasts until a latch is open. */
    private void busyUntil(CountDownLatch latch) {
        CountDownLatch begun = new CountDownLatch(1);
        start(
                "busy",
                () -> client.engine.drivers.post("lock", driver -> {
                    begun.countDown();
                    waitFor(latch);
                }));
        waitFor(begun);
    }

    /** Waits for a latch, but not for longer than an owner that does not wait for the event may need. */
    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await(300, TimeUnit.MILLISECONDS);
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
