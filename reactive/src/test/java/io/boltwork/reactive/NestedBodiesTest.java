// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOwner;
import io.boltwork.LockTimeoutException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.reactor.ReactorLock;
import io.boltwork.reactor.ReactorLocks;
import io.boltwork.reactor.ReactorReadWriteLock;
import io.boltwork.reactor.ReactorSemaphore;
import io.boltwork.rxjava.RxLocks;
import io.boltwork.testkit.wait.Await;
import io.reactivex.rxjava3.core.Single;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** A body that waits for the lock that it runs under is reported. */
class NestedBodiesTest {
    private final LockClient client = LockClient.create(MemoryBackend.create());
    private final ReactorLocks reactor = ReactorLocks.of(client);
    private final RxLocks rx = RxLocks.of(client);
    private final Map<String, Boolean> reported = new ConcurrentHashMap<>();

    private static Disposable begin(Mono<?> body) {
        return body.subscribe(value -> {}, closed -> {});
    }

    private static <T> T ended(Mono<T> body) {
        return body.block(Duration.ofSeconds(20));
    }

    private static <T> Mono<T> elsewhere(Mono<T> body) {
        return Mono.delay(Duration.ofMillis(1)).flatMap(now -> body);
    }

    @Test
    void aBodyEntersTheHoldOfItsPipeline() {
        ReactorLock lock = reactor.lock("lock");
        try (client) {
            assertThat(ended(lock.withLock(elsewhere(lock.withLock(Mono.just(1))))))
                    .isEqualTo(1);
            assertThat(ended(lock.withLock(elsewhere(
                            lock.withLock(Duration.ZERO, Flux.just(1, 2)).collectList()))))
                    .containsExactly(1, 2);
            boolean isOneHold = ended(lock.withLease(outer -> elsewhere(lock.acquire()
                    .flatMap(inner -> Mono.fromCompletionStage(inner.releaseAsync())
                            .thenReturn(inner.fencingToken() == outer.fencingToken() && outer.isValid())))));
            assertThat(isOneHold).isTrue();
            ReactorReadWriteLock prices = reactor.readWriteLock("prices");
            assertThat(ended(prices.writeLock()
                            .withLock(elsewhere(prices.readLock().withLock(Mono.just(1))))))
                    .isEqualTo(1);
            assertThatThrownBy(() -> ended(prices.readLock()
                            .withLock(elsewhere(prices.writeLock().withLock(Mono.just(1))))))
                    .isInstanceOf(IllegalMonitorStateException.class);
            assertThat(client.lock("lock").isLocked()).isFalse();
            assertThat(client.readWriteLock("prices").writeLock().isLocked()).isFalse();
        }
    }

    @Test
    void pipelinesExcludeEachOtherUnlessTheyShareAnOwner() {
        ReactorLock lock = reactor.lock("lock");
        LockOwner order = LockOwner.create("order 42");
        Mono<Integer> tried = lock.withLock(Duration.ZERO, Mono.just(1));
        try (client) {
            assertThat(ended(Flux.range(0, 20)
                            .flatMap(i -> lock.withLease(lease -> elsewhere(Mono.just(lease.fencingToken()))))
                            .distinct()
                            .count()))
                    .isEqualTo(20);
            try (Lease held = client.lock("lock").ownedBy(order).acquire()) {
                assertThat(held.isValid()).isTrue();
                assertThatThrownBy(() -> ended(tried)).isInstanceOf(LockTimeoutException.class);
                assertThat(ended(tried.contextWrite(Context.of(LockOwner.class, order))))
                        .isEqualTo(1);
                assertThat(ended(ReactorLock.of(client.lock("lock").ownedBy(order))
                                .withLock(Duration.ZERO, elsewhere(tried))))
                        .isEqualTo(1);
            }
        }
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
            ReactorSemaphore one = reactor.semaphore("permit", 1);
            begin(one.withPermit(elsewhere(one.withPermit(Mono.just(1)))));
            begin(reactor.lock("blocked")
                    .withLock(Mono.fromRunnable(() -> client.lock("blocked").lock()))
                    .subscribeOn(Schedulers.boundedElastic()));
            rx.lock("rx").withLock(rx.lock("rx").withLock(Single.just(1))).subscribe(value -> {}, closed -> {});
            rx.lock("rx lease")
                    .withLease(lease -> rx.lock("rx lease").withLock(Single.just(1)))
                    .subscribe(value -> {}, closed -> {});
            begin(reactor.lock("outer").withLock(reactor.lock("inner").withLock(Mono.never())));

            Map<String, Boolean> expected = Map.of("permit", true, "blocked", true, "rx", false, "rx lease", false);
            Await.until("all are reported", () -> reported.size() >= expected.size());
            assertThat(reported).isEqualTo(expected);
        }
    }
}
