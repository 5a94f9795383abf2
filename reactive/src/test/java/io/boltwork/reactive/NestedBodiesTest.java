// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.reactor.ReactorLocks;
import io.boltwork.reactor.ReactorSemaphore;
import io.boltwork.rxjava.RxLocks;
import io.boltwork.testkit.wait.Await;
import io.reactivex.rxjava3.core.Single;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A body that waits for the lock that it runs under is reported. */
class NestedBodiesTest {
    private final LockClient client = LockClient.create(MemoryBackend.create());
    private final ReactorLocks reactor = ReactorLocks.of(client);
    private final RxLocks rx = RxLocks.of(client);
    private final Map<String, Boolean> reported = new ConcurrentHashMap<>();

    private static Disposable begin(Mono<?> body) {
        return body.subscribe(value -> {}, closed -> {});
    }

    private static <T> Mono<T> elsewhere(Mono<T> body) {
        return Mono.delay(Duration.ofMillis(1)).flatMap(now -> body);
    }

    @Test
    void aBodyThatWaitsForItsOwnLockIsReported() {
        client.addListener(new LockListener() {
            @Override
            public void deadlock(Deadlock event) {
                event.cycle().forEach(blocked -> reported.put(blocked.lockName(), event.certain()));
            }
        });
        try (client) {
            begin(reactor.lock("mono").withLock(elsewhere(reactor.lock("mono").withLock(Mono.just(1)))));
            begin(reactor.lock("flux")
                    .withLock(elsewhere(reactor.lock("flux").acquire()).flux())
                    .then());
            begin(reactor.lock("lease")
                    .withLease(
                            lease -> elsewhere(reactor.lock("lease").acquire().doOnNext(Lease::releaseAsync))));
            ReactorSemaphore one = reactor.semaphore("permit", 1);
            begin(one.withPermit(elsewhere(one.withPermit(Mono.just(1)))));
            begin(reactor.readWriteLock("prices")
                    .readLock()
                    .withLock(elsewhere(
                            reactor.readWriteLock("prices").writeLock().withLock(Mono.just(1)))));
            begin(reactor.lock("blocked")
                    .withLock(Mono.fromRunnable(() -> client.lock("blocked").lock())));
            begin(reactor.lock("limited")
                    .withLock(elsewhere(reactor.lock("limited").withLock(Duration.ofHours(1), Mono.just(1)))));
            rx.lock("rx").withLock(rx.lock("rx").withLock(Single.just(1))).subscribe(value -> {}, closed -> {});
            rx.lock("rx lease")
                    .withLease(lease -> rx.lock("rx lease").withLock(Single.just(1)))
                    .subscribe(value -> {}, closed -> {});
            begin(reactor.lock("outer").withLock(reactor.lock("inner").withLock(Mono.never())));

            Map<String, Boolean> expected = Map.of(
                    "mono",
                    true,
                    "flux",
                    true,
                    "lease",
                    true,
                    "permit",
                    true,
                    "prices",
                    true,
                    "blocked",
                    true,
                    "rx",
                    false,
                    "rx lease",
                    false);
            Await.until("all are reported", () -> reported.size() >= expected.size());
            assertThat(reported).isEqualTo(expected);
        }
    }
}
