// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.Faults;
import io.boltwork.testkit.fault.FaultyLink.Kind;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests every method that waits, while Redis gives no answer. Their limit is one second each. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class WaitingPromisesTest extends RedisPromiseTest {
    private static final Duration LIMIT = Duration.ofSeconds(1);
    private static final Duration BOUND = LIMIT.plusMillis(200);

    enum Silence {
        FROZEN,
        GONE,
        GONE_FOR_A_WHILE,
        HALF_OPEN,
        A_REPLICA,
        MEMORY_FULL
    }

    /** A call of a method that waits; it may prepare something before the fault. */
    @FunctionalInterface
    private interface Prepared {
        Callable<?> prepare(FencedLock lock) throws Exception;
    }

    /** The result of the call. */
    private record Ended(Object result, Duration took) {}

    private Fault fault(Silence silence) {
        return switch (silence) {
            case FROZEN -> Faults.freeze(redis);
            case GONE, GONE_FOR_A_WHILE -> link.unreachable();
            case HALF_OPEN -> link.halfOpen(Kind.ALL);
            case A_REPLICA -> Faults.readOnly(redis);
            case MEMORY_FULL -> Faults.memoryFull(redis);
        };
    }

    /** Returns the methods that want a lock, without a time limit of their own and with one. */
    private static Map<String, Prepared> acquiring() {
        Map<String, Prepared> all = new LinkedHashMap<>();
        all.put("lock()", lock -> () -> {
            lock.lock();
            return true;
        });
        all.put("lock(lease)", lock -> () -> {
            lock.lock(Duration.ofSeconds(30));
            return true;
        });
        all.put("lockInterruptibly()", lock -> () -> {
            lock.lockInterruptibly();
            return true;
        });
        all.put("acquire()", lock -> lock::acquire);
        all.put("acquireInterruptibly()", lock -> lock::acquireInterruptibly);
        all.put("acquireAsync()", lock -> () -> get(lock.acquireAsync()));
        all.put("tryLock()", lock -> lock::tryLock);
        all.put("tryLock(1 s)", lock -> () -> lock.tryLock(1, TimeUnit.SECONDS));
        all.put("tryLock(1 s, lease)", lock -> () -> lock.tryLock(LIMIT, Duration.ofSeconds(30)));
        all.put("tryAcquire()", lock -> lock::tryAcquire);
        all.put("tryAcquire(1 s)", lock -> () -> lock.tryAcquire(LIMIT));
        all.put("tryAcquireAsync(1 s)", lock -> () -> get(lock.tryAcquireAsync(LIMIT)));
        all.put("run(1 s)", lock -> () -> {
            lock.run(LIMIT, () -> {});
            return true;
        });
        all.put("call(1 s)", lock -> () -> lock.call(LIMIT, () -> true));
        all.put(
                "callAsync(1 s)",
                lock -> () -> get(lock.callAsync(LIMIT, lease -> CompletableFuture.completedFuture(true))));
        return all;
    }

    /** Returns the methods that want something else of the server. */
    private static Map<String, Prepared> others(LockClient client) {
        Map<String, Prepared> all = new LinkedHashMap<>();
        all.put("unlock()", lock -> {
            lock.lock();
            return () -> {
                lock.unlock();
                return true;
            };
        });
        all.put("release()", lock -> {
            Lease lease = lock.acquire();
            return () -> {
                lease.release();
                return true;
            };
        });
        all.put("releaseAsync()", lock -> {
            Lease lease = lock.acquire();
            return () -> get(lease.releaseAsync().thenApply(released -> true));
        });
        all.put("extend()", lock -> {
            Lease lease = lock.acquire();
            return () -> {
                lease.extend(Duration.ofMinutes(1));
                return true;
            };
        });
        all.put("isLocked()", lock -> lock::isLocked);
        all.put("describe()", lock -> () -> client.inspector().describe(lock.name()));
        all.put("list()", lock -> () -> client.inspector().list("*", 10));
        all.put("clients()", lock -> () -> client.inspector().clients());
        all.put("forceRelease()", lock -> () -> client.inspector().forceRelease(lock.name()));
        return all;
    }

    @TimedTest
    void everyWaitingMethodEndsInTimeAndReturnsNoUnconfirmedFalse(Silence silence) throws Exception {
        ClientOptions options = ClientOptions.defaults().withOutagePatience(LIMIT);
        LockClient other = far(options, LIMIT); // a full memory does not refuse calls in one group with a release
        allEndInTime(silence, far(options, LIMIT), acquiring(), other, others(other));
    }

    /** Tests that the deadline holds although no answer is overdue by then. */
    @TimedTest
    void timedMethodsEndInTimeDespiteALongerCommandTimeout(Silence silence) throws Exception {
        Map<String, Prepared> methods = acquiring();
        methods.keySet().removeIf(method -> !method.contains("1 s"));
        LockClient client = far(ClientOptions.defaults(), LIMIT.multipliedBy(5));
        allEndInTime(silence, client, methods, client, Map.of());
    }

    private void allEndInTime(
            Silence silence,
            LockClient client,
            Map<String, Prepared> acquiring,
            LockClient other,
            Map<String, Prepared> others)
            throws Exception {
        warm(client);
        warm(other);
        Map<String, Prepared> methods = new LinkedHashMap<>(acquiring);
        methods.putAll(others);
        CountDownLatch prepared = new CountDownLatch(methods.size());
        CountDownLatch go = new CountDownLatch(1);
        Map<String, Task<Ended>> tasks = new LinkedHashMap<>();
        for (Map.Entry<String, Prepared> method : methods.entrySet()) {
            FencedLock lock = (acquiring.containsKey(method.getKey()) ? client : other).lock(name + ":" + tasks.size());
            tasks.put(method.getKey(), start(() -> {
                Callable<?> call = method.getValue().prepare(lock);
                prepared.countDown();
                go.await();
                return end(call);
            }));
        }
        assertThat(prepared.await(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS))
                .isTrue();
        Fault fault = inject(fault(silence));
        if (silence == Silence.GONE_FOR_A_WHILE) {
            pass(Duration.ofMillis(1_500));
        }
        go.countDown();

        List<String> wrong = new ArrayList<>();
        Duration longest = Duration.ZERO;
        String slowest = "";
        for (Map.Entry<String, Task<Ended>> task : tasks.entrySet()) {
            Ended ended = task.getValue().get();
            boolean failed = ended.result() instanceof BackendException;
            if (!failed && (acquiring.containsKey(task.getKey()) || ended.result() instanceof Throwable)) {
                wrong.add(task.getKey() + " ended with " + ended.result());
            }
            if (ended.took().compareTo(Slack.of(BOUND)) > 0) {
                wrong.add(task.getKey() + " took " + ended.took());
            }
            if (ended.took().compareTo(longest) > 0) {
                longest = ended.took();
                slowest = task.getKey();
            }
        }
        fault.heal();
        Await.until("the clients work again", () -> works(client) && works(other));
        assertThat(wrong).isEmpty();
        measured(4, silence + ", " + tasks.size() + " methods ended, the last one " + slowest, longest, BOUND);
    }

    /** Tests a refusal after the definite answer that the lock was taken. */
    @TimedTest
    void aWaiterBehindAHolderIsRefusedInTimeWhenRedisIsSilent(Silence silence) {
        FencedLock theirs = near().lock(name);
        theirs.lock();
        LockClient client = far(ClientOptions.defaults(), LIMIT);
        FencedLock lock = client.lock(name);
        Task<Ended> locker = start(() -> end(() -> lock.tryLock(1, TimeUnit.SECONDS)));
        Task<Ended> acquirer = start(() -> end(() -> lock.tryAcquire(LIMIT)));
        Task<Ended> async = start(() -> end(() -> get(lock.tryAcquireAsync(LIMIT))));
        pass(Duration.ofMillis(300));
        Fault fault = inject(fault(silence));
        Duration longest = Duration.ZERO;
        for (Task<Ended> task : List.of(locker, acquirer, async)) {
            Ended ended = task.get();
            assertThat(ended.result()).isIn(false, Optional.empty());
            longest = longest.compareTo(ended.took()) > 0 ? longest : ended.took();
        }
        fault.heal();
        theirs.unlock();
        measured(4, silence + " while the lock was taken, refused", longest, BOUND);
    }

    private boolean works(LockClient client) {
        try {
            FencedLock lock = client.lock(name);
            boolean got = lock.tryLock();
            if (got) {
                lock.unlock();
            }
            return got;
        } catch (BackendException e) {
            return false;
        }
    }

    private static Ended end(Callable<?> call) {
        long start = System.nanoTime();
        try {
            Object result = call.call();
            return new Ended(result, since(start));
        } catch (Exception e) {
            return new Ended(e, since(start));
        }
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        try {
            return stage.toCompletableFuture().get(Slack.seconds(15).toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw (Exception) e.getCause();
        } catch (TimeoutException e) {
            throw new AssertionError("The stage has not completed", e);
        }
    }
}
