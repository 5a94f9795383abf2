// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.reactor.ReactorLock;
import io.boltwork.rxjava.RxLock;
import io.boltwork.testkit.RandomCancels;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Slack;
import io.reactivex.rxjava3.core.Single;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** A lock that is granted when its request is cancelled is released, whichever way the lease was on. */
class CancelledGrantsTest {
    /** So long that no renewal finds unreachable handles meanwhile. */
    private static final LockOptions LONG = LockOptions.renewedLease(Duration.ofHours(1));

    private static final int ROUNDS = 200;
    private static final int MANY_ROUNDS = 20_000;
    private static final Duration TIME_LIMIT = Duration.ofMinutes(10);

    /** The kind of work that is cancelled. */
    enum Work {
        CALL,
        ACQUIRE,
        TRY_ACQUIRE,
        READ,
        WRITE,
        MULTI_LOCK,
        PERMIT,
        PERMIT_CALL,
        MONO,
        MONO_TRY,
        MONO_TIMEOUT,
        MONO_HOP,
        MONO_ZIP_DISCARDED,
        MONO_USING,
        MONO_USING_HOP,
        MONO_WITH_LOCK,
        MONO_WITH_LOCK_HOP,
        MONO_WITH_LEASE,
        FLUX_WITH_LOCK,
        SINGLE,
        SINGLE_TIMEOUT,
        SINGLE_WITH_LOCK,
        SINGLE_WITH_LEASE
    }

    /** One client, and the work under its locks. */
    private static final class Scene implements AutoCloseable {
        private final LockClient client = LockClient.create(MemoryBackend.create());
        private final FencedLock lock = client.lock("stock", LONG);
        private final LeasedSemaphore semaphore = client.semaphore("uploads", 1, LONG);
        private final ReactorLock reactor = ReactorLock.of(lock);
        private final RxLock rx = RxLock.of(lock);
        private final Scheduler other = Schedulers.newSingle("other");

        void run(Work work, int rounds) {
            RandomCancels.run(work.toString(), rounds, () -> begin(work), this::isFree);
        }

        private boolean isFree() {
            return !lock.isLocked()
                    && !client.lock("orders").isLocked()
                    && !client.readWriteLock("prices").writeLock().isLocked()
                    && !client.readWriteLock("prices").readLock().isLocked()
                    && semaphore.availablePermits() == 1
                    && client.waiting() == 0;
        }

        private Runnable begin(Work work) {
            return switch (work) {
                case CALL -> cancelled(lock.callAsync(TIME_LIMIT, lease -> done()));
                case ACQUIRE -> released(lock.acquireAsync());
                case TRY_ACQUIRE -> {
                    var wish = lock.tryAcquireAsync(TIME_LIMIT).toCompletableFuture();
                    wish.thenAccept(lease -> lease.ifPresent(Lease::releaseAsync));
                    yield () -> wish.cancel(true);
                }
                case READ ->
                    released(client.readWriteLock("prices", LONG).readLock().acquireAsync());
                case WRITE ->
                    released(client.readWriteLock("prices", LONG).writeLock().acquireAsync());
                case MULTI_LOCK ->
                    released(client.multiLock(lock, client.lock("orders", LONG)).acquireAsync());
                case PERMIT -> released(semaphore.acquireAsync());
                case PERMIT_CALL -> cancelled(semaphore.callAsync(TIME_LIMIT, lease -> done()));
                case MONO -> disposed(reactor.acquire());
                case MONO_TRY -> disposed(reactor.tryAcquire(TIME_LIMIT));
                case MONO_TIMEOUT -> disposed(reactor.acquire().timeout(Duration.ofNanos(40_000), other));
                case MONO_HOP -> disposed(reactor.acquire().publishOn(other));
                case MONO_ZIP_DISCARDED ->
                    disposed(Mono.zip(reactor.acquire(), Mono.never(), (lease, never) -> lease)
                            .doOnDiscard(Lease.class, Lease::releaseAsync));
                case MONO_USING -> disposedBody(using(reactor.acquire()));
                case MONO_USING_HOP -> disposedBody(using(reactor.acquire().publishOn(other)));
                case MONO_WITH_LOCK -> disposedBody(reactor.withLock(Mono.just(1)));
                case MONO_WITH_LOCK_HOP ->
                    disposedBody(reactor.withLock(TIME_LIMIT, Mono.just(1).publishOn(other))
                            .publishOn(other));
                case MONO_WITH_LEASE ->
                    disposedBody(reactor.withLease(
                            lease -> Mono.fromCallable(lease::fencingToken).subscribeOn(other)));
                case FLUX_WITH_LOCK -> disposedBody(reactor.withLock(Flux.range(1, 3)));
                case SINGLE -> rx.acquire().subscribe(Lease::releaseAsync, failure -> {})::dispose;
                case SINGLE_TIMEOUT ->
                    rx.acquire().timeout(40_000, TimeUnit.NANOSECONDS).subscribe(Lease::releaseAsync, failure -> {})
                            ::dispose;
                case SINGLE_WITH_LOCK -> rx.withLock(Single.just(1)).subscribe(value -> {}, failure -> {})::dispose;
                case SINGLE_WITH_LEASE ->
                    rx.withLease(TIME_LIMIT, lease -> Single.just(lease.fencingToken()))
                            .subscribe(value -> {}, failure -> {})::dispose;
            };
        }

        private static CompletableFuture<Integer> done() {
            return CompletableFuture.completedFuture(1);
        }

        private static Runnable cancelled(CompletionStage<?> call) {
            return () -> call.toCompletableFuture().cancel(true);
        }

        private static Runnable released(CompletionStage<Lease> wish) {
            wish.thenAccept(Lease::releaseAsync);
            return cancelled(wish);
        }

        private static Runnable disposed(Mono<Lease> wish) {
            return wish.subscribe(Lease::releaseAsync, failure -> {})::dispose;
        }

        private static Runnable disposedBody(org.reactivestreams.Publisher<?> body) {
            Disposable subscription = Flux.from(body).subscribe(value -> {}, failure -> {});
            return subscription::dispose;
        }

        private static Mono<Integer> using(Mono<Lease> lease) {
            return Mono.usingWhen(lease, held -> Mono.just(1), held -> Mono.fromCompletionStage(held::releaseAsync));
        }

        @Override
        public void close() {
            other.dispose();
            client.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aLockThatIsGrantedWhenItsRequestIsCancelledIsReleased(Work work) {
        try (Scene scene = new Scene()) {
            scene.run(work, ROUNDS);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:+TieredCompilation"})
    @EnabledIfSystemProperty(
            named = "boltwork.proof",
            matches = "true",
            disabledReason = "minutes: -Dboltwork.proof=true")
    void manyCancellationsLeaveNothing(String jvmArgument) throws InterruptedException {
        try (ChildJvm jvm = ChildJvm.start(CancelledGrantsTest.class, List.of(jvmArgument), List.of())) {
            for (Work work : Work.values()) {
                assertThat(jvm.nextLine(Slack.of(Duration.ofMinutes(2)))).isEqualTo(work + " leaves nothing");
            }
        }
    }

    /** Runs all kinds of work many times, and prints a line for each. */
    public static void main(String... names) {
        Hooks.onErrorDropped(timeout -> {}); // Reactor prints timeouts that come after a cancellation
        for (Work work : names.length == 0 ? Work.values() : new Work[] {Work.valueOf(names[0])}) {
            try (Scene scene = new Scene()) {
                scene.run(work, MANY_ROUNDS);
            }
            System.out.println(work + " leaves nothing");
        }
        System.exit(0);
    }
}
