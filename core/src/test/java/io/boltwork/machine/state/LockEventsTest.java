// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.memory.MemoryBackend;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LockEventsTest {

    private static final int PAIRS = 20_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /**
     * Events are objects. They are not created if there is no listener, so clients without listeners pay nothing for
     * them.
     */
    @Test
    void eventsWithoutListenersCostNothing() {
        try (LockClient client = LockClient.create(MemoryBackend.create())) {
            FencedLock lock = client.lock("lock");
            Counter counter = new Counter();
            client.addListener(counter);
            bytesPerPair(lock); // so that all is compiled for both cases before it is measured
            client.removeListener(counter);
            long before = bytesPerPair(lock);
            client.addListener(counter);
            long heard = bytesPerPair(lock);
            client.removeListener(counter);
            long after = bytesPerPair(lock);
            System.out.printf(
                    "bytes per pair: %d without a listener, %d with one, %d without one%n", before, heard, after);
            assertThat(counter.events).as("waited, acquired, released").hasValueGreaterThanOrEqualTo(3 * PAIRS);
            assertThat(heard).as("with a listener").isGreaterThan(before + 100);
            assertThat(after).as("without one again").isLessThan(heard - 100);
        }
    }

    private long bytesPerPair(FencedLock lock) {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            long start = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < PAIRS; i++) {
                lock.lock();
                lock.unlock();
            }
            least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - start) / PAIRS);
        }
        return least;
    }

    private static final class Counter implements LockListener {
        private final AtomicLong events = new AtomicLong();

        @Override
        public void waited(Waited event) {
            events.incrementAndGet();
        }

        @Override
        public void acquired(Acquired event) {
            events.incrementAndGet();
        }

        @Override
        public void released(Released event) {
            events.incrementAndGet();
        }
    }
}
