// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Two callers that lock and unlock, of which each also waits for the other, and a lease that is held all the time. Few
 * enough that they execute their commands over connections of their own.
 */
final class RotationLoad implements AutoCloseable {
    private final LockClient client;
    private final Lease held;
    private final AtomicInteger lost = new AtomicInteger();
    final AtomicInteger outages = new AtomicInteger();
    private final List<AtomicLong> pairs = List.of(new AtomicLong(), new AtomicLong());
    private final List<Task<Boolean>> callers = new ArrayList<>();
    private volatile boolean ends;

    RotationLoad(LockClient client) {
        this.client = client;
        client.addListener(new LockListener() {
            @Override
            public void lost(Lost event) {
                lost.incrementAndGet();
            }

            @Override
            public void backendDown(BackendDown event) {
                outages.incrementAndGet();
            }
        });
        held = client.lock("held", LockOptions.renewedLease(Duration.ofSeconds(15)))
                .acquire();
        for (AtomicLong count : pairs) {
            callers.add(Task.start("caller", () -> run(count)));
        }
        awaitMore(100);
    }

    private boolean run(AtomicLong count) {
        List<FencedLock> locks = IntStream.range(0, 4)
                .mapToObj(i -> client.lock("rotation:" + i))
                .toList();
        while (!ends) {
            for (FencedLock lock : locks) {
                lock.lock();
                lock.unlock();
                count.incrementAndGet();
            }
        }
        return true;
    }

    /** Waits until each caller has had so many locks more. */
    void awaitMore(long more) {
        List<Long> before = pairs.stream().map(AtomicLong::get).toList();
        Await.until("the callers go on", () -> {
            for (int i = 0; i < pairs.size(); i++) {
                if (pairs.get(i).get() < before.get(i) + more) {
                    return callers.stream().anyMatch(Task::isDone);
                }
            }
            return true;
        });
    }

    /** Ends the load; fails if a call has failed or a lease was lost. */
    @Override
    public void close() {
        ends = true;
        callers.forEach(caller -> assertThat(caller.get()).isTrue());
        assertThat(lost).as("leases lost").hasValue(0);
        assertThat(held.verify()).isTrue();
        held.release();
    }
}
