// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.testkit.fault.Faults;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests a hold that the server has forgotten. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ForgettingPromisesTest extends RedisPromiseTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration RENEWAL = LEASE.dividedBy(3);
    private static final Duration NOTIFICATION = Duration.ofMillis(200);

    enum DataLoss {
        FLUSH,
        DELETED_KEY,
        EVICTION,
        RESTART_WITHOUT_DATA,
        /** A state like after a failover that lost the last writes. */
        ANOTHER_SERVER_AT_THE_ADDRESS;

        /** Returns whether connections break, so that the client checks its holds as soon as it is connected again. */
        boolean reconnects() {
            return this == RESTART_WITHOUT_DATA || this == ANOTHER_SERVER_AT_THE_ADDRESS;
        }
    }

    /** Records the events of a client's listener. */
    private static final class Events implements LockListener {
        final Queue<Restored> restored = new ConcurrentLinkedQueue<>();
        final Queue<Lost> lost = new ConcurrentLinkedQueue<>();

        @Override
        public void restored(Restored event) {
            restored.add(event);
        }

        @Override
        public void lost(Lost event) {
            lost.add(event);
        }
    }

    @AfterEach
    void forgetAll() {
        redis.command("FLUSHALL"); // the hold has continued at another server
    }

    @TimedTest
    void aForgottenHoldIsRestoredWithItsTokenAndAnEvent(DataLoss how) {
        LockClient client = far();
        Events events = new Events();
        client.addListener(events);
        FencedLock lock = client.lock(name, LockOptions.renewedLease(LEASE));
        Lease lease = lock.acquire();
        CompletableFuture<LeaseLoss> loss = lease.whenLost().toCompletableFuture();

        forget(how);
        long forgotten = System.nanoTime();
        Await.until("it is restored", () -> events.restored.size() == 1);
        Duration restored = since(forgotten);

        assertThat(events.restored.element().fencingToken()).isEqualTo(lease.fencingToken());
        LockClient others = far();
        Await.until(
                "it is held", () -> others.inspector().describe(name).holders().size() == 1);
        assertThat(others.inspector().describe(name).holders().get(0).fencingToken())
                .isEqualTo(lease.fencingToken());
        assertThat(others.lock(name).tryLock()).isFalse();
        lease.ensureValid();
        assertThat(loss).isNotDone();
        assertThat(events.lost).isEmpty();
        lease.release();
        assertThat(isFree(others)).isTrue();
        measured(3, how + ", hold restored", restored, how.reconnects() ? LEASE : RENEWAL.plus(NOTIFICATION));
    }

    @TimedTest({"FLUSH", "DELETED_KEY", "EVICTION"})
    void theHolderOfAForgottenLockTakenByAnotherIsTold(DataLoss how) {
        LockClient client = far();
        FencedLock lock = client.lock(name, LockOptions.renewedLease(LEASE));
        FencedLock theirs = warm(near());
        Lease lease = lock.acquire();
        CompletableFuture<LeaseLoss> loss = lease.whenLost().toCompletableFuture();

        do { // again if a renewal has just restored the hold
            forget(how);
        } while (!theirs.tryLock());
        long taken = System.nanoTime();
        LeaseLoss told = loss.join();
        Duration after = since(taken);

        assertThat(told.reason()).isEqualTo(LeaseLoss.Reason.TAKEN);
        assertThat(lease.isValid()).isFalse();
        assertThat(theirs.currentLease().orElseThrow().fencingToken()).isGreaterThan(lease.fencingToken());
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::release);
        theirs.currentLease().orElseThrow().extend(Duration.ofMinutes(1)); // the server confirms the lease
        theirs.unlock();
        measured(3, how + " and another client took it, old holder told", after, RENEWAL.plus(NOTIFICATION));
    }

    private void forget(DataLoss how) {
        switch (how) {
            case FLUSH -> Faults.flush(redis).inject();
            case DELETED_KEY -> redis.command("DEL", "boltwork:{" + name + "}");
            case EVICTION -> evictAll();
            case RESTART_WITHOUT_DATA -> Faults.restartEmpty(redis).inject();
            case ANOTHER_SERVER_AT_THE_ADDRESS -> {
                link.leadTo(nothing.closing(RedisServer.start()));
                link.cut(FaultyLink.Kind.ALL).inject();
            }
        }
    }

    /** Makes the server evict every key and then have memory again. */
    private static void evictAll() {
        redis.command("CONFIG", "RESETSTAT");
        redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
        redis.command("CONFIG", "SET", "maxmemory", "1");
        Await.until(
                "keys are evicted",
                () -> !Objects.requireNonNull(redis.command("INFO", "stats"))
                        .toString()
                        .contains("evicted_keys:0"));
        Await.until("all keys are evicted", () -> Objects.equals(redis.command("DBSIZE"), 0L));
        redis.command("CONFIG", "SET", "maxmemory", "0");
        redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    }
}
