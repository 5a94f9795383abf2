// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.testkit.fault.FaultyLink.Kind;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests user callbacks that misbehave. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class CallbackPromisesTest extends RedisPromiseTest {
    private static final int PAIRS = 200;

    enum Callbacks {
        THROW,
        BLOCK,
        BLOCK_THE_ONLY_THREAD,
        REENTER
    }

    /** Treats every event in the same way. */
    private record Nuisance(Runnable deed) implements LockListener {
        @Override
        public void waited(Waited event) {
            deed.run();
        }

        @Override
        public void acquired(Acquired event) {
            deed.run();
        }

        @Override
        public void handedOver(HandedOver event) {
            deed.run();
        }

        @Override
        public void released(Released event) {
            deed.run();
        }

        @Override
        public void lost(Lost event) {
            deed.run();
        }

        @Override
        public void backendDown(BackendDown event) {
            deed.run();
        }

        @Override
        public void backendUp(BackendUp event) {
            deed.run();
        }
    }

    @TimedTest
    void theEngineKeepsWorkingWhateverCallbacksDo(Callbacks callbacks) {
        ExecutorService single = Executors.newSingleThreadExecutor();
        nothing.closing(single::shutdownNow);
        ClientOptions options = ClientOptions.defaults();
        LockClient client = far(
                callbacks == Callbacks.BLOCK_THE_ONLY_THREAD ? options.withCallbackExecutor(single) : options,
                COMMAND_TIMEOUT);
        LockClient others = near();
        FencedLock lock = client.lock(name);
        CountDownLatch resume = new CountDownLatch(1);
        nothing.closing(resume::countDown);
        AtomicInteger called = new AtomicInteger();
        client.addListener(new Nuisance(() -> {
            if (called.incrementAndGet() <= 10) {
                misbehave(client, callbacks, resume);
            }
        }));
        FencedLock renewed = client.lock(name + ":renewed", LockOptions.renewedLease(Duration.ofSeconds(1)));
        Lease lease = renewed.acquire();
        FencedLock lossy = client.lock(name + ":lost", LockOptions.renewedLease(Duration.ofSeconds(1)));
        Lease lost = lossy.acquire();
        lost.whenLost().thenRun(() -> misbehave(client, callbacks, resume));
        lossy.acquireAsync().whenComplete((got, failure) -> {
            if (got != null) {
                got.releaseAsync();
            }
            misbehave(client, callbacks, resume);
        });
        others.inspector().forceRelease(lossy.name());

        long start = System.nanoTime();
        for (int i = 0; i < PAIRS; i++) {
            lock.lock();
            lock.unlock();
        }
        Duration pairs = since(start);
        FencedLock theirs = others.lock(name);
        theirs.lock();
        Task<Long> waiter = visitor(lock);
        awaitQueued(others, 1);
        link.cut(Kind.ALL).inject();
        pass(Duration.ofMillis(2_500)); // more than two leases
        theirs.unlock();
        waiter.get();
        assertThat(lease.isValid()).isTrue();
        assertThat(called).hasPositiveValue();
        resume.countDown();
        lease.close();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lost::close);
        Await.until("all callbacks have run", () -> called.get() >= 3 * PAIRS);
        measured(
                20,
                "callbacks " + callbacks + ", " + PAIRS + " pairs of lock and unlock",
                pairs,
                Duration.ofSeconds(10));
    }

    private void misbehave(LockClient client, Callbacks callbacks, CountDownLatch resume) {
        switch (callbacks) {
            case THROW -> throw new IllegalStateException("thrown by a callback, on purpose");
            case BLOCK, BLOCK_THE_ONLY_THREAD -> {
                try {
                    resume.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            case REENTER -> {
                FencedLock other = client.lock(name + ":reentered");
                other.lock();
                other.unlock();
                if (client.lock(name).tryLock()) {
                    client.lock(name).unlock();
                }
            }
        }
    }
}
