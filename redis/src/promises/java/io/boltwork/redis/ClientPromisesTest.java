// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.redis.Interrupted.Step;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests a client with many threads, with interrupts, and at the end of its life. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class ClientPromisesTest extends Promises {
    private static final String LOCK = "promised";

    // ================================================================ 13

    @Test
    void aThousandInterruptsLeaveNothingBehindAndUnlockAlwaysWorks() {
        int interrupts = 1_000;
        long seed = Long.getLong("boltwork.seed", System.nanoTime());
        System.out.println("promise 13: -Dboltwork.seed=" + seed);
        Random random = new Random(seed);
        AtomicBoolean inside = new AtomicBoolean();
        AtomicBoolean over = new AtomicBoolean();
        LockClient one = client();
        LockClient two = client();
        List<Interrupted> all = new ArrayList<>();
        for (LockClient client : List.of(one, one, one, one, two, two)) {
            LockOptions options = all.size() % 2 == 0 ? LockOptions.defaults() : fifo(LockOptions.defaults());
            all.add(new Interrupted(history.recorded(client.lock(LOCK, options)), random.nextLong(), inside, over));
        }
        long start = System.nanoTime();
        List<CompletableFuture<Void>> threads = all.stream().map(this::thread).toList();
        for (int sent = 0; sent < interrupts; ) {
            LockSupport.parkNanos(random.nextInt(3_000_000));
            if (all.get(random.nextInt(all.size())).interrupt()) {
                sent++;
            }
            if (threads.stream().anyMatch(CompletableFuture::isDone)) {
                break; // a thread has failed
            }
        }
        over.set(true);
        threads.forEach(Promises::get);
        Duration time = since(start);
        Map<Step, Integer> where = new EnumMap<>(Step.class);
        all.forEach(each -> each.interrupts().forEach((step, count) -> where.merge(step, count, Integer::sum)));
        int holds = all.stream().mapToInt(Interrupted::holds).sum();
        Await.until(
                "nothing is left at the server",
                () -> isFree(LOCK) && field(LOCK, "owner").isEmpty());
        Await.until(
                "nothing is left in the clients",
                () -> List.of(one, two).stream()
                        .allMatch(client -> client.toString().contains(", 0 locks in use")));
        report(13, "interrupts %s, %d holds, nothing left, in %.1f s", where, holds, ms(time) / 1_000);
        assertThat(where.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(interrupts);
        assertThat(where).containsKeys(Step.values());
    }

    // ================================================================ 14

    @TimedTest
    void fourHundredContendedLocksOfOneClientAreServed() {
        int locks = 400;
        LockClient ours = client();
        LockClient theirs = client();
        List<CompletableFuture<Lease>> asked = IntStream.range(0, locks)
                .mapToObj(i -> theirs.lock(LOCK + i).acquireAsync().toCompletableFuture())
                .toList();
        List<Lease> held = asked.stream().map(Promises::get).toList();
        List<CompletableFuture<Arrival>> waiters = IntStream.range(0, locks)
                .mapToObj(i -> visitor(ours.lock(LOCK + i)))
                .toList();
        IntStream.range(0, locks).forEach(i -> awaitQueued(LOCK + i, 1));
        long start = System.nanoTime();
        held.forEach(Lease::releaseAsync);
        waiters.forEach(Promises::get);
        Duration time = since(start);
        report(14, "%d locks that a client waited for: all served in %.0f ms", locks, ms(time));
        atMost(2_000, time, "less than a safety poll");
    }

    @Test
    void aThousandThreadsOnOneLockAreServed() {
        int threads = 1_000;
        int rounds = 5;
        FencedLock lock = client().lock(LOCK);
        FencedLock theirs = client().lock(LOCK);
        int[] counter = new int[1];
        lock.lock();
        List<CompletableFuture<Integer>> all = IntStream.range(0, threads)
                .mapToObj(i -> thread(() -> {
                    for (int round = 0; round < rounds; round++) {
                        FencedLock mine = i % 10 == 0 ? theirs : lock;
                        mine.lock();
                        counter[0]++;
                        mine.unlock();
                    }
                    return rounds;
                }))
                .toList();
        long start = System.nanoTime();
        lock.unlock();
        all.forEach(Promises::get);
        Duration time = since(start);
        report(14, "%d threads of 2 clients on one lock, %d times each: %.0f ms", threads, rounds, ms(time));
        assertThat(counter[0]).isEqualTo(threads * rounds);
    }

    private static int versionWithVirtualThreads() {
        int version = Runtime.version().feature();
        assumeTrue(version >= 21, "SKIPPED: virtual threads need JDK 21 or later, this is " + version);
        return version;
    }

    /** Waiting threads leave their carriers to others: all threads begin to wait before the first one is served. */
    @Test
    void virtualThreadsOfEachKindAreServedWithoutPinning() throws InterruptedException {
        versionWithVirtualThreads();
        int threads = 1_000;
        try (ChildJvm jvm =
                ChildJvm.start(VirtualKinds.class, List.of("-Xmx256m"), List.of(server.uri(), "" + threads))) {
            for (String most : List.of("read-write: 1000", "semaphore: 5", "multi: 1", "latch: 0", "condition: 1")) {
                String[] expected = most.split(": ");
                assertThat(jvm.nextLine(Duration.ofSeconds(60)))
                        .isEqualTo("%s: served %d, at most %s at a time, pinned 0", expected[0], threads, expected[1]);
            }
            assertThat(jvm.awaitExit(Duration.ofSeconds(10))).isZero();
        }
    }

    @Test
    void tenThousandVirtualThreadsAreServedWithoutPinning() throws InterruptedException {
        int version = versionWithVirtualThreads();
        int threads = 10_000;
        try (ChildJvm jvm = ChildJvm.start(
                VirtualThreads.class,
                List.of("-Xmx256m"),
                List.of(server.uri(), LOCK, "" + threads, histories.toString()))) {
            String served = String.valueOf(jvm.nextLine(Duration.ofSeconds(60)));
            String pinned = String.valueOf(jvm.nextLine(Duration.ofSeconds(30)));
            report(14, "%d virtual threads on one lock, JDK %d: %s ms, %s", threads, version, served, pinned);
            assertThat(served).startsWith("served " + threads + " ");
            assertThat(pinned).isEqualTo("pinned 0");
            assertThat(jvm.awaitExit(Duration.ofSeconds(10))).isZero();
        }
    }

    // ================================================================ 19

    private static final int HOLDERS = 10;
    private static final int WAITERS = 10;
    private static final long LEASE = millis(1_500).toMillis();

    @TimedTest
    void closeNotifiesWaitersReleasesLocksAndEndsInTime() {
        Leaving leaving = new Leaving();
        leaving.jvm.tell("closer", "close");
        long closed = leaving.jvm.number("closer", "closed");
        leaving.waitersAreNotified();
        Duration free = leaving.locksAreFree();
        report(
                19,
                "close() with %d holders and %d waiters took %d ms; the last lock was free after %.0f ms",
                HOLDERS,
                WAITERS,
                closed,
                ms(free));
        atMost(500, Duration.ofMillis(closed), "close()");
        atMost(500, free, "free");
        leaving.end();
    }

    @TimedTest
    void aJvmThatClosesItsClientOnExitReleasesItsLocks() {
        Leaving leaving = new Leaving();
        assertThat(leaving.jvm.ask("main", "hook")).isEqualTo("hooked");
        leaving.jvm.tell("main", "exit");
        long closed = leaving.jvm.number("hook", "closed");
        Duration free = leaving.locksAreFree();
        assertThat(leaving.jvm.awaitExit(Duration.ofSeconds(2))).isEqualTo(7);
        report(19, "close() in a shutdown hook took %d ms; the last lock was free after %.0f ms", closed, ms(free));
        atMost(500, Duration.ofMillis(closed), "close()");
        atMost(1_000, free, "free");
        leaving.end();
    }

    @TimedTest
    void locksOfAJvmThatExitsWithoutCloseAreFreeAfterTheirLeases() {
        Leaving leaving = new Leaving();
        leaving.jvm.tell("main", "exit");
        assertThat(leaving.jvm.awaitExit(Duration.ofSeconds(2))).isEqualTo(7);
        Duration exited = since(leaving.begin);
        Duration free = leaving.locksAreFree();
        report(
                19,
                "System.exit() without close() took %.0f ms; the last lock was free after %.0f ms, the lease %d ms",
                ms(exited),
                ms(free),
                LEASE);
        atMost(1_000, exited, "exit");
        atMost(LEASE + 1_000 + 50, free, "exit and lease");
        leaving.end();
    }

    @TimedTest
    void anOpenClientDoesNotKeepTheJvmAlive() {
        Leaving leaving = new Leaving();
        leaving.jvm.leave();
        assertThat(leaving.jvm.awaitExit(Duration.ofSeconds(2))).isZero();
        report(19, "a JVM whose main thread returned ended after %.0f ms", ms(since(leaving.begin)));
        leaving.locksAreFree();
        leaving.end();
    }

    @TimedTest
    void closeReportsTheLocksThatItCouldNotRelease() {
        Leaving leaving = new Leaving();
        server.freeze();
        leaving.jvm.tell("closer", "close");
        long closed = leaving.jvm.number("closer", "closed");
        leaving.waitersAreNotified();
        String logged = leaving.jvm.answer("log");
        while (!logged.startsWith("Closed")) { // other lines may come first, also about the missing answers
            logged = leaving.jvm.answer("log");
        }
        server.thaw();
        Duration free = leaving.locksAreFree();
        report(
                19,
                "close() with Redis frozen took %d ms, its bound is %d ms; it logged: %s",
                closed,
                RemoteClient.SHUTDOWN.toMillis(),
                logged);
        assertThat(logged)
                .startsWith("Closed without an answer from " + server.uri())
                .contains(" about " + (HOLDERS + 1) + " locks")
                .endsWith("they become free when their leases end");
        atMost(RemoteClient.SHUTDOWN.toMillis() + 500, Duration.ofMillis(closed), "close()");
        atMost(RemoteClient.SHUTDOWN.toMillis() + LEASE + 1_000, free, "free");
        leaving.end();
    }

    /** A JVM that is about to end, with holders and waiters, and other clients that wait for the locks it holds. */
    private final class Leaving {
        final RemoteClient jvm = remote();
        final long begin;
        private final FencedLock ours = history.recorded(client().lock(LOCK));
        private final List<CompletableFuture<Arrival>> others = new ArrayList<>();

        Leaving() {
            LockClient other = client();
            ours.lock();
            for (int i = 0; i < HOLDERS; i++) {
                assertThat(jvm.ask("holder-" + i, "lock " + LOCK + i + " renewed:" + LEASE))
                        .startsWith("locked ");
                others.add(visitor(other.lock(LOCK + i)));
            }
            for (int i = 0; i < WAITERS; i++) {
                jvm.tell("waiter-" + i, "visit " + LOCK + (i % 2 == 0 ? " fifo" : " batched"));
            }
            awaitQueued(LOCK, WAITERS / 2 + 1);
            IntStream.range(0, HOLDERS).forEach(i -> awaitQueued(LOCK + i, 1));
            begin = System.nanoTime();
        }

        /** Checks that the waiters get an exception and the holders are told of the loss. */
        void waitersAreNotified() {
            for (int i = 0; i < WAITERS; i++) {
                jvm.expect("waiter-" + i, "ClientClosedException");
            }
            for (int i = 0; i < HOLDERS; i++) {
                jvm.expect("holder-" + i + "-loss", "told CLOSED");
            }
        }

        /** Returns the time until the other clients had got the last of the locks. */
        Duration locksAreFree() {
            long last =
                    others.stream().mapToLong(other -> get(other).nanos()).max().orElseThrow();
            return Duration.ofNanos(last - begin);
        }

        /** Checks that the waiters of the ended JVM block no other client. */
        void end() {
            CompletableFuture<Arrival> next = visitor(client().lock(LOCK));
            Await.until("it waits", () -> queued(LOCK) > 0);
            long start = System.nanoTime();
            ours.unlock();
            atMost(500, Duration.ofNanos(get(next).nanos() - start), "behind waiters that have gone");
        }
    }
}
