// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.LockListener;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.scheduling.annotation.Scheduled;

/** A job that runs once, however often it is due. */
class Jobs implements LockListener {
    private final AtomicInteger attempts = new AtomicInteger();
    private volatile int calls;

    public int calls() {
        return calls;
    }

    public int attempts() {
        return attempts.get();
    }

    @Override
    public void waited(Waited event) {
        if (event.lockName().equals("job") && event.outcome() == Outcome.REFUSED) {
            attempts.incrementAndGet();
        }
    }

    @Scheduled(fixedDelay = 10)
    @DistributedLock(name = "job", mode = LockMode.SKIP, minHold = "10m")
    public void run() {
        calls++;
    }
}
