// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.reactor.ReactorLock;
import io.boltwork.rxjava.RxLock;
import io.boltwork.testkit.wait.Await;
import io.reactivex.rxjava3.core.Single;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The subscription owns a lease until a method of it is called. */
class LeaseOfferTest {
    private final MemoryServer server = MemoryServer.create();
    private final LockClient client = LockClient.create(MemoryBackend.on(server));
    private final FencedLock lock = client.lock("stock");
    private final LeaseOffer offer = new LeaseOffer();
    private final List<LeaseOffer> later = new ArrayList<>();
    private Lease offered;

    @AfterEach
    void close() {
        client.close();
    }

    private Lease emit() {
        assertThat(offer.emit(lock.acquire(), lease -> offered = lease)).isTrue();
        return offered;
    }

    @Test
    void aCancellationBeforeTheLeaseReleasesIt() {
        offer.cancel(later::add);
        assertThat(offer.emit(lock.acquire(), lease -> offered = lease)).isFalse();
        assertThat(offered).isNull();
        assertThat(later).isEmpty();
        Await.until("the lease is released", () -> !lock.isLocked());
    }

    @Test
    void aLeaseThatNoCodeUsesIsReleased() {
        Lease lease = emit();
        assertThat(lease.toString()).startsWith("Lease['stock'"); // printing is no use
        offer.cancel(later::add);
        assertThat(lock.isLocked()).isTrue();
        later.forEach(LeaseOffer::withdraw);
        Await.until("the lease is released", () -> !lock.isLocked());
        assertThat(lease.isValid()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThatIllegalStateException()
                .isThrownBy(lease::ensureValid)
                .withMessageContaining("'stock' was released when its subscription was cancelled");
        assertThatIllegalStateException().isThrownBy(lease::fencingToken);
        assertThatIllegalStateException().isThrownBy(lease::release); // work without the lock does not end silently
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> lease.releaseAsync().toCompletableFuture().join())
                .withCauseInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"token", "valid", "ensure", "remaining", "verify", "extend", "lost", "of"})
    void aMethodMakesTheLeaseThatOfItsUser(String method) {
        Lease lease = emit();
        offer.cancel(later::add);
        switch (method) { // within the grace time
            case "token" -> assertThat(lease.fencingToken()).isPositive();
            case "valid" -> assertThat(lease.isValid()).isTrue();
            case "ensure" -> lease.ensureValid();
            case "remaining" -> assertThat(lease.remaining()).isPositive();
            case "verify" -> assertThat(lease.verify()).isTrue();
            case "extend" -> lease.extend(Duration.ofMinutes(1));
            case "lost" -> assertThat(lease.whenLost()).isNotNull();
            default -> assertThat(lease.of(lock)).isSameAs(lease);
        }
        later.forEach(LeaseOffer::withdraw);
        assertThat(lease.isValid()).isTrue();
        lease.close();
        lease.release();
        assertThat(lock.isLocked()).isFalse();
    }

    @Test
    void aCancellationFromWithinTheEmissionIsNone() {
        offer.emit(lock.acquire(), lease -> {
            offered = lease;
            offer.cancel(later::add);
        });
        assertThat(later).isEmpty();
        assertThat(offered.isValid()).isTrue();
        offered.release();
    }

    @Test
    void operatorsThatTakeTheFirstValuePassTheLeaseOn() {
        AtomicReference<Lease> first = new AtomicReference<>();
        ReactorLock.of(lock).acquire().flux().next().subscribe(first::set);
        Await.until("it is granted", () -> first.get() != null);
        Mono.delay(Duration.ofMillis(2 * LeaseOffer.GRACE_MILLIS)).block();
        assertThat(lock.isLocked()).isTrue();
        first.get().release();
    }

    @ParameterizedTest
    @ValueSource(strings = {"publishOn", "delayElement", "flatMap", "zip"})
    void aLeaseInAnOperatorIsReleased(String operator) {
        AtomicReference<Lease> emitted = new AtomicReference<>();
        Mono<Lease> acquire = ReactorLock.of(lock).tryAcquire(Duration.ZERO).doOnNext(emitted::set);
        Scheduler busy = Schedulers.newSingle("busy");
        CountDownLatch end = new CountDownLatch(1);
        busy.schedule(() -> await(end));
        Runnable cancel = switch (operator) {
            case "publishOn" -> acquire.publishOn(busy).subscribe()::dispose;
            case "delayElement" ->
                acquire.delayElement(Duration.ofMinutes(1))
                        .doOnDiscard(Lease.class, Lease::releaseAsync)
                        .subscribe()::dispose;
            case "flatMap" -> acquire.flatMap(lease -> Mono.never()).subscribe()::dispose;
            default ->
                Single.zip(RxLock.of(lock).acquire().doOnSuccess(emitted::set), Single.never(), (lease, never) -> lease)
                        .subscribe()::dispose;
        };
        Await.until("the operator has the lease", () -> emitted.get() != null);
        cancel.run();
        Await.until("it is released", () -> !lock.isLocked());
        end.countDown();
        busy.dispose();
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException disposed) {
            Thread.currentThread().interrupt();
        }
    }
}
