// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.FaultyLink.Kind;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests lost replies and broken connections. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ConnectionPromisesTest extends RedisPromiseTest {
    private static final Duration SAFETY_POLL = Duration.ofSeconds(5);

    // ================================================================ the reply of an acquire is lost

    @TimedTest
    void anAcquireWhoseReplyWasLostIsHeldOnce() {
        FencedLock lock = warm(far());
        LockClient others = near();
        Fault fault = inject(link.loseReplies(Kind.COMMANDS));
        long start = System.nanoTime();
        lock.lock();
        Duration took = since(start);
        assertThat(lock.holdCount()).isEqualTo(1);
        assertThat(others.lock(name).tryLock()).isFalse();
        fault.heal();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        awaitFree(others, Duration.ofSeconds(1));
        measured(5, "reply of an acquire lost, held", took, COMMAND_TIMEOUT.plusSeconds(3));
    }

    @TimedTest
    void anAbandonedAcquireWhoseReplyWasLostLeavesNoOrphan() {
        FencedLock lock = warm(far());
        LockClient others = near();
        Fault fault = inject(link.loseReplies(Kind.COMMANDS));
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> lock.tryLock(300, TimeUnit.MILLISECONDS))
                .withMessageContaining("does not hold");
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        fault.heal();
        measured(
                5,
                "reply of an acquire lost, caller gave up, healed, free",
                awaitFree(others, Duration.ofSeconds(15)),
                Duration.ofSeconds(1));
    }

    enum Caller {
        HOLDS,
        HAS_RELEASED,
        GAVE_UP
    }

    /**
     * Delivers the bytes so soon that the server still executes them, as it does within the command timeout. An
     * unwanted request is withdrawn again after that time.
     */
    @TimedTest
    void lateBytesOfAnAcquireLeaveNoOrphan(Caller caller) {
        LockClient client = far(ClientOptions.defaults(), Duration.ofSeconds(3));
        FencedLock lock = warm(client);
        LockClient others = near();
        Fault silent = inject(link.halfOpen(Kind.COMMANDS));
        CountDownLatch arrived = new CountDownLatch(1);
        Task<?> acquirer = start(() -> {
            acquireWithoutReply(lock, caller, arrived);
            return true;
        });
        pass(Duration.ofMillis(500)); // its bytes are under way
        Fault stranded = inject(link.strand(Kind.COMMANDS));
        Await.until("the caller has continued", () -> isReady(others, caller, acquirer));
        silent.heal();
        stranded.heal();
        pass(Duration.ofMillis(200)); // the bytes arrive
        arrived.countDown();
        acquirer.get();
        long start = System.nanoTime();
        FencedLock theirs = others.lock(name);
        theirs.lock();
        Duration took = since(start);
        theirs.unlock();
        awaitFree(others, Duration.ofSeconds(1));
        measured(
                5,
                "bytes of an acquire arrived late, caller " + caller + ", next had the lock",
                took,
                Duration.ofSeconds(4));
    }

    private static void acquireWithoutReply(FencedLock lock, Caller caller, CountDownLatch arrived)
            throws InterruptedException {
        if (caller == Caller.GAVE_UP) {
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> lock.tryLock(300, TimeUnit.MILLISECONDS));
            return;
        }
        lock.lock();
        assertThat(lock.holdCount()).isEqualTo(1);
        if (caller == Caller.HOLDS) {
            arrived.await();
            assertThat(lock.isHeldByCurrentThread()).isTrue();
        }
        lock.unlock();
    }

    private boolean isReady(LockClient looker, Caller caller, Task<?> acquirer) {
        return caller == Caller.HOLDS
                ? !looker.inspector().describe(name).holders().isEmpty()
                : acquirer.isDone() && isFree(looker);
    }

    // ================================================================ the reply of a release is lost

    @TimedTest
    void aReleaseWithALostReplyFreesTheLockAndMayBeRepeated() {
        LockClient client = far();
        Queue<Record> events = new ConcurrentLinkedQueue<>();
        client.addListener(new LockListener() {
            @Override
            public void lost(Lost event) {
                events.add(event);
            }

            @Override
            public void backendUp(BackendUp event) {
                events.add(event);
            }
        });
        LockClient others = near();
        FencedLock lock = warm(client);
        lock.lock();
        inject(link.loseReplies(Kind.COMMANDS));
        long start = System.nanoTime();
        Task<Duration> next = start(() -> {
            FencedLock theirs = others.lock(name);
            theirs.lock();
            Duration waited = since(start);
            Await.until("the client is connected again", () -> !events.isEmpty());
            pass(COMMAND_TIMEOUT.plusMillis(500)); // the release is repeated
            Lease lease = theirs.currentLease().orElseThrow();
            lease.ensureValid();
            lease.extend(Duration.ofMinutes(1)); // the server confirms it
            theirs.unlock();
            return waited;
        });
        lock.unlock();
        Duration unlocked = since(start);
        Duration free = next.get();
        assertThat(events).hasSize(1).allMatch(event -> event instanceof LockListener.BackendUp);
        measured(6, "reply of a release lost, unlock() returned", unlocked, COMMAND_TIMEOUT.plusMillis(200));
        measured(6, "reply of a release lost, the next had the lock", free, Duration.ofMillis(500));
    }

    // ================================================================ subscriptions

    @TimedTest
    void aWaiterWithAKilledSubscriptionIsServedWithinTwoSeconds() {
        measured(
                7,
                "subscription killed, waiter had the lock",
                handoverWith(link.cut(Kind.SUBSCRIPTIONS)),
                Duration.ofSeconds(2));
    }

    @TimedTest
    void aWaiterWithAHalfOpenSubscriptionIsServedByTheSafetyPoll() {
        measured(7, "half open, waiter had the lock", handoverWith(link.halfOpen(Kind.SUBSCRIPTIONS)), SAFETY_POLL);
    }

    private Duration handoverWith(Fault fault) {
        LockClient others = near();
        FencedLock theirs = warm(others);
        FencedLock ours = warm(far());
        theirs.lock();
        Task<Long> waiter = visitor(ours);
        awaitQueued(others, 1);
        assertThat(link.connections(Kind.SUBSCRIPTIONS)).isEqualTo(1);
        inject(fault);
        long start = System.nanoTime();
        theirs.unlock();
        return Duration.ofNanos(waiter.get() - start);
    }

    // ================================================================ many waiters

    @TimedTest
    void twoHundredWaitersAreServedOnceDespiteKilledConnections() {
        LockClient others = near();
        FencedLock theirs = others.lock(name);
        theirs.lock();
        int[] served = new int[1]; // guarded only by the lock
        List<Task<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            FencedLock lock = far().lock(name);
            for (int k = 0; k < 50; k++) {
                waiters.add(start(() -> {
                    boolean got = lock.tryLock(Slack.seconds(30).toMillis(), TimeUnit.MILLISECONDS);
                    if (got) {
                        int before = served[0];
                        pass(Duration.ofMillis(10));
                        served[0] = before + 1;
                        lock.unlock();
                    }
                    return got;
                }));
            }
        }
        waiters.forEach(Task::awaitParked);
        awaitQueued(others, 4);
        link.cut(Kind.ALL).inject();
        long start = System.nanoTime();
        theirs.unlock();
        int cuts = 1;
        while (!waiters.stream().allMatch(Task::isDone)) {
            pass(Duration.ofMillis(700));
            link.cut(Kind.ALL).inject();
            cuts++;
        }
        Duration took = since(start);
        assertThat(waiters).allMatch(Task::get);
        assertThat(served[0]).isEqualTo(200);
        measured(8, "all connections killed " + cuts + " times, 200 waiters served", took, Duration.ofSeconds(30));
    }
}
