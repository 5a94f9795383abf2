// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.LockOwner;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.EngineReadWriteLock;
import io.boltwork.spi.ForceRelease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Calls of owners at random, by two clients on one server: leases, blocking tries, cancels,
 * releases in any order, and losses. The calls of one owner share one hold. Owners exclude each other, and in the end
 * all calls have ended and nothing is left.
 */
class OwnerSimulationTest {
    private static final long MILLI = 1_000_000;
    private static final int STEPS = 60;
    private static final int DEFAULT_SEEDS = 300;

    /** A lease that was granted, or may be. */
    private record Call(LockOwner owner, int client, CompletableFuture<Optional<Lease>> wish) {
        Optional<Lease> lease() {
            return wish.isDone() && !wish.isCompletedExceptionally() ? wish.join() : Optional.empty();
        }
    }

    private final List<StillClient> clients = new ArrayList<>();
    private final List<LockOwner> owners =
            List.of(LockOwner.create("first"), LockOwner.create("second"), LockOwner.create("third"));
    private final List<Call> calls = new ArrayList<>();

    static LongStream seeds() {
        Long one = Long.getLong("boltwork.seed");
        return one != null
                ? LongStream.of(one)
                : LongStream.range(0, Integer.getInteger("boltwork.seeds", DEFAULT_SEEDS));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void ownersShareAndExclude(long seed) {
        RandomGenerator random = new SplittableRandom(seed);
        clients.add(new StillClient());
        clients.add(new StillClient(clients.get(0), "other"));
        clients.forEach(client -> client.timePassesInSleep = true);
        boolean isShared = random.nextInt(4) == 0;
        LockOptions options = options(random);
        for (int step = 0; step < STEPS; step++) {
            act(random, isShared, options);
            check(seed, step);
        }
        end();
        assertThat(clients).allMatch(StillClient::isSound);
        assertThat(calls).allMatch(call -> call.wish.isDone());
        assertThat(clients.get(0).isFree()).isTrue();
    }

    private static LockOptions options(RandomGenerator random) {
        LockOptions lease = random.nextInt(3) == 0
                ? LockOptions.fixedLease(Duration.ofSeconds(10))
                : LockOptions.renewedLease(Duration.ofSeconds(10));
        return random.nextBoolean() ? lease : lease.withFairness(LockOptions.Fairness.FIFO);
    }

    private FencedLock lock(int client, LockOptions options, LockOwner owner, boolean isShared) {
        Engine engine = clients.get(client).engine;
        FencedLock lock = isShared
                ? new EngineReadWriteLock(engine, "lock", options).writeLock()
                : new EngineLock(engine, "lock", options);
        return lock.ownedBy(owner);
    }

    private void act(RandomGenerator random, boolean isShared, LockOptions options) {
        LockOwner owner = owners.get(random.nextInt(owners.size()));
        int client = random.nextInt(clients.size());
        FencedLock lock = lock(client, options, owner, isShared);
        switch (random.nextInt(12)) {
            case 0, 1, 2 ->
                calls.add(
                        new Call(owner, client, withdrawable(lock.acquireAsync().toCompletableFuture())));
            case 3 ->
                calls.add(new Call(
                        owner,
                        client,
                        lock.tryAcquireAsync(Duration.ofMillis(random.nextInt(3_000)))
                                .toCompletableFuture()));
            case 4 -> calls.add(new Call(owner, client, tried(lock)));
            case 5, 6, 7 -> release(random);
            case 8 -> cancel(random);
            case 9 -> pass(random.nextInt(2_000));
            case 10 -> pass(random.nextInt(5) == 0 ? 15_000 : 100);
            default -> {
                if (!isShared && random.nextInt(3) == 0) {
                    clients.get(0).server.execute(new ForceRelease("lock", 0));
                }
            }
        }
    }

    /** Returns a future of a lease whose cancellation withdraws the request. */
    private static CompletableFuture<Optional<Lease>> withdrawable(CompletableFuture<Lease> wish) {
        CompletableFuture<Optional<Lease>> result = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return wish.cancel(mayInterruptIfRunning) && super.cancel(mayInterruptIfRunning);
            }
        };
        wish.whenComplete((lease, failure) -> {
            if (failure == null) {
                result.complete(Optional.of(lease));
            } else {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    private static CompletableFuture<Optional<Lease>> tried(FencedLock lock) {
        try {
            return CompletableFuture.completedFuture(lock.tryAcquire());
        } catch (RuntimeException lost) {
            return CompletableFuture.failedFuture(lost);
        }
    }

    private void release(RandomGenerator random) {
        List<Call> held =
                calls.stream().filter(call -> call.lease().isPresent()).toList();
        if (!held.isEmpty()) {
            release(held.get(random.nextInt(held.size())));
        }
    }

    private void cancel(RandomGenerator random) {
        if (!calls.isEmpty()) {
            calls.get(random.nextInt(calls.size())).wish.cancel(true);
        }
    }

    private void release(Call call) {
        try {
            call.lease().orElseThrow().release();
        } catch (LeaseLostException lost) {
            assertThat(call.lease().orElseThrow().isValid()).isFalse();
        }
        calls.remove(call);
    }

    private void pass(long millis) {
        clients.get(0).passTo(clients.get(0).now() + millis * MILLI);
    }

    /** Checks that all valid leases are of one owner in one client, and of one hold. */
    private void check(long seed, int step) {
        List<Call> valid = calls.stream()
                .filter(call -> call.lease().filter(Lease::isValid).isPresent())
                .toList();
        long holds = valid.stream()
                .map(call -> call.owner.name()
                        + call.client
                        + call.lease().orElseThrow().fencingToken())
                .distinct()
                .count();
        if (holds > 1) {
            fail("-Dboltwork.seed=%d, step %d: %d holds at a time: %s", seed, step, holds, valid);
        }
    }

    private void end() {
        for (int i = 0;
                i < 200
                        && calls.stream()
                                .anyMatch(call ->
                                        !call.wish.isDone() || call.lease().isPresent());
                i++) {
            calls.stream().filter(call -> call.lease().isPresent()).toList().forEach(this::release);
            clients.get(0).passTo(clients.get(0).now() + TimeUnit.SECONDS.toNanos(1));
        }
    }
}
