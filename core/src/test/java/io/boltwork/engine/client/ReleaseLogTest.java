// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockOptions;
import io.boltwork.engine.StillContext;
import io.boltwork.machine.request.LockContext;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Uses real threads, because the log's places are too many steps for the model checker. */
class ReleaseLogTest {

    private static final int REQUESTS = 1_024;
    private static final int THREADS = 4;
    private static final int ROUNDS = 100;
    private static final long LEASE = Duration.ofSeconds(5).toNanos();

    private final AtomicLong now = new AtomicLong();
    private final ReleaseLog log = new ReleaseLog(now::get);

    private static Request request(long number) {
        LockOptions options =
                LockOptions.renewedLease(Duration.ofNanos(LEASE)).withTakeoverDelay(Duration.ofSeconds(1));
        LockContext lock = new StillContext(
                "lock " + number, () -> 0, new Listeners(), new CallbackQueue(Runnable::run), Map.of());
        return Request.of(lock, number, Waiter.ofHandle(LockTerms.of(options), false), 0);
    }

    private List<Long> recent() {
        return log.recent(now.get()).stream()
                .map(ReleaseLog.LoggedRelease::request)
                .toList();
    }

    @Test
    void releasesAreKnownWhileTheirLeasesMightStillRun() {
        log.add(request(1));
        now.set(LEASE);
        log.add(request(2));
        assertThat(recent()).as("the newest first").containsExactly(2L, 1L);
        now.set(LEASE + Duration.ofSeconds(1).toNanos());
        assertThat(recent()).containsExactly(2L);
    }

    @Test
    void theOldestReleasesAreForgottenFirst() {
        for (int i = 0; i <= ReleaseLog.SIZE; i++) {
            log.add(request(i));
        }
        assertThat(recent())
                .hasSize(ReleaseLog.SIZE)
                .contains(1L, (long) ReleaseLog.SIZE)
                .doesNotContain(0L);
    }

    @Test
    void longLeasesAreRememberedForTenSeconds() {
        LockOptions day = LockOptions.renewedLease(Duration.ofDays(1));
        log.add(Request.of(new StillContext(), 1, Waiter.ofHandle(LockTerms.of(day), false), 0));
        now.set(ReleaseLog.KEPT - 1);
        assertThat(recent()).containsExactly(1L);
        now.set(ReleaseLog.KEPT);
        assertThat(recent()).isEmpty();
    }

    @Test
    void oldReleasesAreForgotten() {
        for (int i = 0; i < ReleaseLog.SIZE + 5_000; i++) {
            log.add(request(i));
        }
        now.set(LEASE / 2);
        log.add(request(-1));
        log.forgetBefore(now.get());
        assertThat(recent()).hasSize(ReleaseLog.SIZE);
        now.set(LEASE + Duration.ofSeconds(1).toNanos());
        log.forgetBefore(now.get());
        now.set(0); // so that all remaining releases would be recent
        assertThat(recent()).containsExactly(-1L);
    }

    @Test
    void noReleaseIsLostIfManyThreadsAddAtOnce() throws InterruptedException {
        List<Request> requests =
                IntStream.range(0, REQUESTS).mapToObj(i -> request(i)).toList();
        for (int round = 0; round < ROUNDS; round++) {
            ReleaseLog fresh = new ReleaseLog(now::get);
            CyclicBarrier start = new CyclicBarrier(THREADS);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                List<Request> part = requests.subList(i * REQUESTS / THREADS, (i + 1) * REQUESTS / THREADS);
                Thread thread = new Thread(() -> {
                    try {
                        start.await();
                    } catch (Exception broken) {
                        throw new AssertionError(broken);
                    }
                    part.forEach(fresh::add);
                });
                threads.add(thread);
                thread.start();
            }
            List<ReleaseLog.LoggedRelease> meanwhile = fresh.recent(now.get());
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(meanwhile).allMatch(entry -> entry.lock().equals("lock " + entry.request()));
            assertThat(fresh.recent(now.get())).hasSize(REQUESTS).doesNotHaveDuplicates();
        }
    }
}
