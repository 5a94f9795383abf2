// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.boltwork.LeadershipListener.Reason;
import io.boltwork.LockOptions.OnLoss;
import io.boltwork.engine.LogBook;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leaders whose work takes time, on threads. {@code LeadershipRulesTest} has the rules in virtual time. */
@Timeout(120)
class LeadershipTest {
    private static final LockOptions INTERRUPT = LockOptions.defaults().withOnLoss(OnLoss.INTERRUPT);

    private final MemoryServer server = MemoryServer.create();
    private final LockClient locks = client(Duration.ofMinutes(1));
    private final LockClient elsewhere = client(Duration.ofMinutes(1));
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final LogBook log = new LogBook();

    private LockClient client(Duration shutdownTime) {
        return LockClient.create(
                MemoryBackend.on(server), ClientOptions.defaults().withShutdownTime(shutdownTime));
    }

    @AfterEach
    void close() {
        locks.close();
        elsewhere.close();
        log.close();
    }

    private interface Work {
        void run(Lease lease) throws Exception;
    }

    private LeadershipListener listener(Work elected, Work revoked) {
        return new LeadershipListener() {
            private volatile Lease term;

            @Override
            public void elected(Lease lease) throws Exception {
                term = lease;
                elected.run(lease);
            }

            @Override
            public void revoked(Revocation revocation) throws Exception {
                events.add("revoked " + revocation.reason());
                revoked.run(term);
            }
        };
    }

    private void next(String event) throws InterruptedException {
        assertThat(events.poll(30, TimeUnit.SECONDS)).isEqualTo(event);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void workIsInterruptedOnALossIfWanted(boolean wanted) throws Exception {
        CountDownLatch stop = new CountDownLatch(1);
        AtomicBoolean flag = new AtomicBoolean();
        ExecutorService worker = Executors.newSingleThreadExecutor();
        LeadershipListener listener = listener(
                lease -> {
                    events.add("works");
                    try {
                        stop.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt(); // and goes on, which must not harm the next task
                        events.add("interrupted, valid: " + lease.isValid());
                    }
                },
                lease -> {});
        Executor watched = task -> worker.execute(() -> {
            task.run();
            flag.set(Thread.currentThread().isInterrupted());
        });
        FencedLock lock = locks.lock("leader", wanted ? INTERRUPT : LockOptions.defaults());
        try (Leadership leadership = Leadership.of(lock, listener, watched)) {
            next("works");
            assertThat(elsewhere.inspector().forceRelease("leader")).isTrue();
            if (wanted) {
                next("interrupted, valid: false");
            } else {
                assertThat(events.poll(100, TimeUnit.MILLISECONDS))
                        .as("works until it looks at the lease")
                        .isNull();
                assertThat(leadership.isLeader()).isFalse();
                stop.countDown();
            }
            next("revoked LOST");
            next("works");
            assertThat(flag).isFalse();
            assertThat(leadership.isLeader()).isTrue();
            stop.countDown();
        } finally {
            worker.shutdownNow();
        }
    }

    @Test
    void theLockIsTakenUntilWorkAndListenerHaveEnded() throws Exception {
        CountDownLatch work = new CountDownLatch(1);
        CountDownLatch stops = new CountDownLatch(1);
        LeadershipListener listener = listener(
                lease -> {
                    events.add("works");
                    work.await();
                },
                lease -> {
                    assertThat(lease.isValid()).isFalse();
                    stops.await();
                });
        try (Leadership leadership = Leadership.of(locks.lock("leader"), listener);
                Leadership next = Leadership.of(
                        elsewhere.lock("leader"), listener(lease -> events.add("next works"), lease -> {}))) {
            next("works");
            leadership.yieldFor(Duration.ofDays(1));
            assertThat(leadership.isLeader()).isFalse();
            assertThat(events.poll(50, TimeUnit.MILLISECONDS)).isNull();
            assertThat(elsewhere.lock("leader").isLocked()).isTrue();
            work.countDown();
            next("revoked YIELDED");
            assertThat(events.poll(50, TimeUnit.MILLISECONDS)).isNull();
            assertThat(next.isLeader()).isFalse();
            assertThat(elsewhere.lock("leader").isLocked()).isTrue();
            stops.countDown();
            next("next works");
            assertThat(next.leader().orElseThrow().fencingToken())
                    .isEqualTo(next.lease().orElseThrow().fencingToken());
        }
    }

    @Test
    void closeWaitsForTheListenerOnlyForTheShutdownTime() throws Exception {
        CountDownLatch work = new CountDownLatch(1);
        try (LockClient hasty = client(Duration.ofMillis(200))) {
            Leadership leadership = Leadership.of(
                    hasty.lock("leader"),
                    listener(
                            lease -> {
                                events.add("works");
                                work.await();
                            },
                            lease -> {}));
            next("works");
            Thread.currentThread().interrupt();
            leadership.close();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(log.entries)
                    .contains("The listener of the leadership 'leader' has not returned within 200 ms; its lock stays"
                            + " taken until then");
            assertThat(elsewhere.lock("leader").isLocked()).isTrue();
            work.countDown();
            next("revoked CLOSED");
            assertThat(elsewhere.lock("leader").tryLock(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aLeaderNeedsAThreadOnlyForItsWork() throws Exception {
        AtomicReference<Thread> worker = new AtomicReference<>();
        try (Leadership leadership = Leadership.of(
                        locks.lock("leader"),
                        listener(
                                lease -> {
                                    worker.set(Thread.currentThread());
                                    events.add("works");
                                },
                                lease -> {}));
                Leadership waits =
                        Leadership.of(elsewhere.lock("leader"), listener(lease -> fail("elected"), lease -> {}))) {
            next("works");
            worker.get().join(30_000);
            assertThat(worker.get().isAlive()).isFalse();
            assertThat(leadership.isLeader()).isTrue();
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .doesNotContain(worker.get().getName());
            waits.yieldFor(Duration.ofDays(1));
        }
    }

    /** Candidates yield, fail and close at random. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void thereAreNeverTwoValidLeaders(long seed) throws Exception {
        Random random = new Random(seed);
        Office office = new Office();
        List<Politician> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            all.add(new Politician(i % 2 == 0 ? locks : elsewhere, random.nextLong(), office));
        }
        for (int step = 0; step < 2_000; step++) {
            Politician one = all.get(random.nextInt(all.size()));
            switch (random.nextInt(16)) {
                case 0 -> {
                    one.close();
                    one.stand();
                }
                case 1, 2, 3 -> one.leadership.yieldFor(Duration.ofNanos(random.nextInt(2_000_000)));
                case 4, 5, 6 -> one.leadership.yieldFor(Duration.ZERO);
                default -> LockSupport.parkNanos(random.nextInt(100_000));
            }
            all.forEach(other -> one.leadsNotWith(other));
        }
        all.forEach(Politician::close);
        assertThat(log.thrown).allMatch(failure -> "for the test".equals(failure.getMessage()));
        assertThat(office.faults).as("seed %d", seed).isEmpty();
        assertThat(office.terms).as("seed %d", seed).hasValueGreaterThan(50);
        untilFree(Duration.ofSeconds(5)); // the lease, which a lost lock would keep, is 30 s
    }

    /** Waits for grants that came while their candidates gave up. */
    private void untilFree(Duration most) {
        long begun = System.nanoTime();
        while (locks.lock("leader").isLocked()) {
            assertThat(System.nanoTime() - begun).as("ns with a lock").isLessThan(most.toNanos());
            LockSupport.parkNanos(100_000);
        }
    }

    /** The things that only one may have at a time. */
    private static final class Office {
        final AtomicReference<Politician> leader = new AtomicReference<>();
        final AtomicInteger working = new AtomicInteger();
        final AtomicInteger terms = new AtomicInteger();
        final AtomicLong token = new AtomicLong();
        final Queue<String> faults = new ConcurrentLinkedQueue<>();

        void check(boolean right, String fault) {
            if (!right) {
                faults.add(fault);
            }
        }
    }

    /** A candidate, and its successor after each close. */
    private static final class Politician implements LeadershipListener {
        private final LockClient client;
        private final Random random;
        private final Office office;
        private volatile Leadership leadership;

        Politician(LockClient client, long seed, Office office) {
            this.client = client;
            this.random = new Random(seed);
            this.office = office;
            stand();
        }

        void stand() {
            leadership = Leadership.of(client.lock("leader", INTERRUPT), this);
        }

        void close() {
            leadership.close();
            office.check(office.leader.get() != this, "closed, but not revoked");
        }

        /** If this one leads before and after the other one does, they lead at the same time. */
        void leadsNotWith(Politician other) {
            Lease before = leadership.lease().orElse(null);
            boolean both = other != this && other.leadership.isLeader();
            office.check(!both || before == null || leadership.lease().orElse(null) != before, "two valid leaders");
        }

        @Override
        public void elected(Lease lease) throws InterruptedException {
            office.terms.incrementAndGet();
            office.check(office.working.incrementAndGet() == 1, "elected while another works");
            office.check(office.leader.compareAndSet(null, this), "elected before another was revoked");
            office.check(office.token.getAndSet(lease.fencingToken()) < lease.fencingToken(), "an old token");
            try {
                switch (random.nextInt(8)) {
                    case 0 -> throw new IllegalStateException("for the test");
                    case 1 -> Optional.ofNullable(leadership).ifPresent(own -> own.yieldFor(Duration.ZERO));
                    case 2, 3 -> Thread.sleep(1);
                    default -> {}
                }
            } finally {
                office.working.decrementAndGet();
            }
        }

        @Override
        public void revoked(Revocation revocation) {
            office.check(revocation.reason() != Reason.LOST, "lost");
            office.check(office.token.get() == revocation.fencingToken(), "revoked after another was elected");
            office.check(office.working.get() == 0, "revoked while it works");
            office.check(office.leader.compareAndSet(this, null), "revoked, but not elected");
        }
    }
}
