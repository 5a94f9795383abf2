// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.Faults;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests when holders learn that their lease is lost. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class LeasePromisesTest extends RedisPromiseTest {
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration RENEWAL = LEASE.dividedBy(3);

    /** The time for a round trip and a callback. */
    private static final Duration NOTIFICATION = Duration.ofMillis(200);

    /** More than the difference between two reads of one deadline. */
    private static final long MOMENT = 100_000_000;

    enum TakeOver {
        A_FORCED_RELEASE,
        ANOTHER_OWNER_IN_THE_KEY
    }

    enum Outage {
        FROZEN,
        UNREACHABLE,
        HALF_OPEN
    }

    /** The time when a holder was told, for each way. */
    private record Told(long interrupted, long whenLost) {}

    @TimedTest
    void aHolderIsToldOfATakeoverWithinOneRenewalInterval(TakeOver how) {
        LockClient client = far();
        LockClient others = near();
        Queue<LockListener.Lost> heard = new ConcurrentLinkedQueue<>();
        client.addListener(new LockListener() {
            @Override
            public void lost(Lost event) {
                heard.add(event);
            }
        });
        FencedLock lock = client.lock(name, LockOptions.renewedLease(LEASE).withOnLoss(LockOptions.OnLoss.INTERRUPT));
        CompletableFuture<Lease> held = new CompletableFuture<>();
        Task<Told> holder = start(() -> holdUntilTold(lock, held));
        long token = held.join().fencingToken();

        if (how == TakeOver.A_FORCED_RELEASE) {
            assertThat(others.inspector().forceRelease(name, token)).isTrue();
        }
        Lease theirs = takeOver(others.lock(name));
        long takenOver = System.nanoTime();

        Told told = holder.get();
        Await.until("the listener was called", () -> heard.size() == 1);
        assertThat(heard.element().loss().reason()).isEqualTo(LeaseLoss.Reason.TAKEN);
        assertThat(theirs.fencingToken()).isGreaterThan(token);
        theirs.extend(Duration.ofMinutes(1)); // the server confirms the lease
        theirs.close();
        long last = Math.max(told.interrupted(), told.whenLost());
        measured(1, how + ", holder told", Duration.ofNanos(last - takenOver), RENEWAL.plus(NOTIFICATION));
    }

    /** Takes the lock over, and tries again if a renewal has just restored the hold. */
    private static Lease takeOver(FencedLock lock) {
        while (true) {
            Optional<Lease> taken = lock.tryAcquire();
            if (taken.isPresent()) {
                return taken.get();
            }
            redis.command("DEL", "boltwork:{" + lock.name() + "}");
        }
    }

    private static Told holdUntilTold(FencedLock lock, CompletableFuture<Lease> held) {
        lock.lock();
        Lease lease = lock.currentLease().orElseThrow();
        CompletableFuture<Long> whenLost =
                lease.whenLost().thenApply(loss -> System.nanoTime()).toCompletableFuture();
        held.complete(lease);
        long interrupted = awaitInterrupt();
        assertThat(lease.isValid()).isFalse();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::ensureValid);
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        return new Told(interrupted, whenLost.join());
    }

    private static long awaitInterrupt() {
        try {
            Thread.sleep(Slack.seconds(20).toMillis());
        } catch (InterruptedException e) {
            return System.nanoTime();
        }
        throw new AssertionError("Not interrupted");
    }

    private Fault fault(Outage outage) {
        return switch (outage) {
            case FROZEN -> Faults.freeze(redis);
            case UNREACHABLE -> link.unreachable();
            case HALF_OPEN -> link.halfOpen(FaultyLink.Kind.ALL);
        };
    }

    /** Half open connections are left out: they are detected and replaced in time, and the lease continues. */
    @TimedTest({"FROZEN", "UNREACHABLE"})
    void aLeaseIsLostAtItsDeadlineWhileRedisDoesNotAnswer(Outage outage) {
        LockClient client = far();
        LockClient others = near();
        Lease theirs = others.lock(name + ":other").acquire();
        FencedLock lock = client.lock(name, LockOptions.renewedLease(LEASE));
        lock.lock();
        Lease lease = lock.currentLease().orElseThrow();
        CompletableFuture<Long> told =
                lease.whenLost().thenApply(loss -> System.nanoTime()).toCompletableFuture();

        Fault fault = inject(fault(outage));
        long before = System.nanoTime();
        Duration left = lease.remaining();
        long start = System.nanoTime();
        assertThat(left).isGreaterThan(Duration.ofSeconds(1));
        Duration valid = since(start);
        for (Duration looked = valid; lease.isValid(); looked = since(start)) {
            valid = looked;
            assertThat(valid).isLessThan(Slack.of(LEASE.multipliedBy(2)));
            LockSupport.parkNanos(100_000);
        }
        Duration lost = since(before);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lease::ensureValid);
        assertThat(valid).as("the last look that found it valid").isLessThanOrEqualTo(left);
        assertThat(lost).as("the first look that did not").isGreaterThanOrEqualTo(left);
        Duration heard = Duration.ofNanos(told.join() - start);
        fault.heal();

        assertThatExceptionOfType(LeaseLostException.class).isThrownBy(lock::unlock);
        theirs.ensureValid();
        Await.until("the others are connected", () -> isConfirmed(theirs));
        theirs.close();
        lock.lock();
        lock.unlock();
        measured(2, outage + ", told past the deadline", heard.minus(left), NOTIFICATION);
    }

    private static boolean isConfirmed(Lease lease) {
        try {
            lease.extend(Duration.ofMinutes(1));
            return true;
        } catch (BackendException e) {
            return false;
        }
    }

    /** Tests renewal after an outage. A half open connection is replaced, so that fault need not end. */
    @TimedTest
    void renewalIsRetriedUntilTheDeadline(Outage outage) {
        FencedLock lock = far().lock(name, LockOptions.renewedLease(Duration.ofSeconds(6)));
        lock.lock();
        Lease lease = lock.currentLease().orElseThrow();
        Fault fault = inject(fault(outage));
        long start = System.nanoTime();
        long deadline = start + lease.remaining().toNanos();
        if (outage != Outage.HALF_OPEN) {
            pass(Duration.ofSeconds(3));
            start = System.nanoTime();
            fault.heal();
        }
        Await.until(
                "the lease is renewed",
                () -> System.nanoTime() + lease.remaining().toNanos() > deadline + MOMENT);
        Duration renewed = since(start);
        assertThat(lease.isValid()).isTrue();
        fault.heal();
        lock.unlock();
        if (outage == Outage.HALF_OPEN) {
            measured(2, outage + ", lease renewed", renewed, Duration.ofSeconds(5));
        } else {
            measured(2, outage + " for 3 s, lease renewed", renewed, Duration.ofSeconds(2));
        }
    }
}
