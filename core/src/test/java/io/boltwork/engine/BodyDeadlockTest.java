// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockKind;
import io.boltwork.LockListener.Blocked;
import io.boltwork.LockListener.Deadlock;
import io.boltwork.LockOptions;
import io.boltwork.engine.locks.EngineSemaphore;
import io.boltwork.engine.locks.multi.EngineMultiLock;
import io.boltwork.spi.BodyScope;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Tests of bodies of asynchronous calls that wait for their own holds. */
class BodyDeadlockTest extends HangingScene {

    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final String CERTAIN =
            "Deadlock: a body waits for the lock that it runs under. " + "Asynchronous leases are not reentrant";
    private static final String POSSIBLE = "Possible deadlock: a body may wait for the lock that it runs under. "
            + "Asynchronous leases are not reentrant";

    private static <T> CompletableFuture<T> call(FencedLock lock, Function<Lease, CompletionStage<T>> body) {
        return lock.callAsync(FOR_EVER, body).toCompletableFuture();
    }

    private static CompletionStage<Integer> done(Lease lease) {
        return CompletableFuture.completedFuture(1);
    }

    private void isReportedOnce(boolean certain) {
        pass(1);
        assertThat(deadlocks).as("one look may see what is over").isEmpty();
        pass(2);
        assertThat(deadlocks).hasSize(1).allMatch(deadlock -> deadlock.certain() == certain);
        pass(30);
        assertThat(deadlocks).hasSize(1);
        assertThat(log.entries).containsExactly(certain ? CERTAIN : POSSIBLE);
    }

    @Test
    void aBodyThatWaitsForItsOwnLockIsReportedAtOnce() {
        call(lock("a"), lease -> call(lock("a"), BodyDeadlockTest::done).thenApply(one -> one + 1));
        untilWaiting(1);
        isReportedOnce(false);
        Blocked only = deadlocks.get(0).cycle().get(0);
        assertThat(only.kind()).isEqualTo(LockKind.LOCK);
        assertThat(only.lockName()).isEqualTo("a");
        assertThat(only.waiter()).startsWith("a handle of thread '");
        assertThat(only.holder()).startsWith("a handle of thread '");
        assertThat(only.fencingToken()).isEqualTo(client.engine.drivers.hold("a").token);
        assertThat(log.thrown.get(0).getSuppressed()[0]).hasMessageContaining("for the lock 'a', held by a handle of");
    }

    @Test
    void aBodyThatBlocksItsThreadForItsOwnLockIsCertain() {
        start(
                "body",
                () -> call(lock("a"), lease -> {
                    lock("a").lock();
                    return done(lease);
                }));
        untilWaiting(1);
        pass(3);
        assertThat(deadlocks).hasSize(1).allMatch(Deadlock::certain);
        assertThat(deadlocks.get(0).cycle().get(0).stack()).isNotEmpty();
    }

    @Test
    void aPipelineThatWaitsForItsOwnLockIsCertain() {
        Lease lease = lock("a").acquireAsync().toCompletableFuture().join();
        BodyScope scope = BodyScope.ofPipeline(List.of(lease), null);
        BodyScope.call(scope, () -> lock("a").acquireAsync().thenAccept(Lease::release));
        untilWaiting(1);
        isReportedOnce(true);
    }

    @Test
    void aRequestThatNoCodeWaitsForIsNotReported() {
        CompletableFuture<Integer> body = new CompletableFuture<>();
        CompletableFuture<Integer> later = new CompletableFuture<>();
        call(lock("a"), lease -> {
            call(lock("a"), next -> {
                later.complete(2);
                return done(next);
            });
            return body;
        });
        untilWaiting(1);
        pass(60);
        assertThat(deadlocks).isEmpty();
        body.complete(1);
        assertThat(later.join()).isEqualTo(2);
    }

    @Test
    void aWaitWithALimitIsPossibleAfterTenSeconds() {
        call(lock("a"), lease -> lock("a").callAsync(Duration.ofHours(1), BodyDeadlockTest::done));
        untilWaiting(1);
        pass(9);
        assertThat(deadlocks).isEmpty();
        pass(3);
        assertThat(deadlocks).hasSize(1).noneMatch(Deadlock::certain);
    }

    @Test
    void nestedBodiesInOppositeOrderArePossibleAfterTenSeconds() {
        AtomicInteger inside = new AtomicInteger();
        for (String name : List.of("a", "b")) {
            start(
                    name,
                    () -> call(lock(name), lease -> {
                        inside.incrementAndGet();
                        until(() -> inside.get() == 2);
                        return call(lock(name.equals("a") ? "b" : "a"), BodyDeadlockTest::done);
                    }));
        }
        untilWaiting(2);
        pass(9);
        assertThat(deadlocks).isEmpty();
        pass(3);
        assertThat(deadlocks).hasSize(1).noneMatch(Deadlock::certain);
        assertThat(deadlocks.get(0).cycle()).extracting(Blocked::lockName).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void theLastPermitIsReported() {
        LeasedSemaphore one = new EngineSemaphore(client.engine, "one", 1, TEN);
        LeasedSemaphore two = new EngineSemaphore(client.engine, "two", 2, TEN);
        one.callAsync(FOR_EVER, lease -> one.callAsync(FOR_EVER, BodyDeadlockTest::done));
        untilWaiting(1);
        isReportedOnce(false);
        two.acquire();
        two.callAsync(FOR_EVER, lease -> two.callAsync(FOR_EVER, BodyDeadlockTest::done));
        untilWaiting(2);
        pass(20);
        assertThat(deadlocks).as("another holder may release its permit").hasSize(1);
    }

    @Test
    void aWriterInTheBodyOfAReaderIsReported() {
        call(both("a").readLock(), lease -> call(both("a").readLock(), BodyDeadlockTest::done))
                .join();
        call(both("a").readLock(), lease -> call(both("a").writeLock(), BodyDeadlockTest::done));
        untilWaiting(1);
        isReportedOnce(false);
    }

    @Test
    void aMultiLockInTheBodyOfAMemberIsReported() {
        FencedLock multi = EngineMultiLock.of(lock("a"), lock("b"));
        call(lock("a"), lease -> call(multi, BodyDeadlockTest::done));
        untilWaiting(1);
        pass(3);
        assertThat(deadlocks).hasSize(1);
    }

    @Test
    void theMemberOfAMultiLockInItsBodyIsReported() {
        FencedLock multi = EngineMultiLock.of(lock("a"), lock("b"));
        call(multi, lease -> call(lock("b"), BodyDeadlockTest::done));
        untilWaiting(1);
        isReportedOnce(false);
    }

    @Test
    void whatEndsByItselfIsNotCertain() {
        FencedLock fixed = lock("a", LockOptions.fixedLease(Duration.ofMinutes(10)));
        Lease lease = fixed.acquireAsync().toCompletableFuture().join();
        BodyScope.call(
                BodyScope.ofPipeline(List.of(lease), null),
                () -> lock("a").acquireAsync().thenAccept(Lease::release));
        untilWaiting(1);
        isReportedOnce(false);
    }

    @Test
    void aBodyThatBeginsTheNextOneKeepsNothing() {
        AtomicInteger left = new AtomicInteger(100);
        AtomicInteger most = new AtomicInteger();
        new Object() {
            CompletionStage<Integer> next(Lease lease) {
                most.accumulateAndGet(BodyScope.current().holds().size(), Math::max);
                if (left.decrementAndGet() > 0) {
                    call(lock("a"), this::next);
                }
                return done(lease);
            }

            void begin() {
                call(lock("a"), this::next);
            }
        }.begin();
        until(() -> left.get() == 0);
        assertThat(most).hasValue(1);
        assertThat(BodyScope.current()).isNull();
    }
}
