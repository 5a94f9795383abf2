// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.spring.autoconfigure.DistributedLockAutoConfiguration;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.context.Context;

/** A caller's reactive transaction keeps the lock until it completes, as an imperative transaction does. */
class ReactiveTransactionTest {
    private static final long PATIENCE = Slack.seconds(5).toMillis();
    private static final int NEVER = 0;
    private static final int ROUNDS = 500;

    /** Longer than an acquisition in memory takes, so that cancellations come before, during and after it. */
    private static final int MOST_NANOS = 300_000;

    /** Records how transactions end, and whether the lock is held at that moment. */
    static class Transactions extends AbstractReactiveTransactionManager {
        private static final long serialVersionUID = 1L;

        final transient List<String> ended = new CopyOnWriteArrayList<>();
        private final transient LockClient locks;

        Transactions(LockClient locks) {
            this.locks = locks;
        }

        private Mono<Void> ends(String how) {
            return Mono.fromRunnable(
                    () -> ended.add(how + (locks.lock("stock").isLocked() ? " under the lock" : " without the lock")));
        }

        @Override
        protected Object doGetTransaction(TransactionSynchronizationManager manager) {
            return new Object();
        }

        @Override
        protected boolean isExistingTransaction(Object transaction) {
            return false;
        }

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager manager, Object transaction, TransactionDefinition definition) {
            return Mono.empty();
        }

        @Override
        protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return ends("committed");
        }

        @Override
        protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return ends("rolled back");
        }
    }

    static class Warehouse {
        private final LockClient locks;

        Warehouse(LockClient locks) {
            this.locks = locks;
        }

        @DistributedLock("stock")
        public Mono<Boolean> one() {
            return Mono.fromSupplier(() -> locks.lock("stock").isLocked());
        }

        @DistributedLock("stock")
        public Flux<Boolean> many() {
            return Flux.range(0, 2).map(i -> locks.lock("stock").isLocked());
        }

        @DistributedLock("stock")
        public Mono<Boolean> fails() {
            return Mono.error(new IllegalStateException("own"));
        }

        @DistributedLock("stock")
        @DistributedLock(name = "limited", permits = 1)
        public Mono<Integer> limited() {
            return Mono.fromSupplier(() -> locks.semaphore("limited", 1).availablePermits());
        }

        @DistributedLock("stock")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public Mono<Boolean> apart() {
            return Mono.fromSupplier(() -> locks.lock("stock").isLocked());
        }
    }

    private record Scene(
            Warehouse warehouse, LockClient locks, Transactions transactions, TransactionalOperator operator) {}

    private interface Act {
        void in(Scene scene) throws Exception;
    }

    private static void play(Act act) {
        ContextConsumer<AssertableApplicationContext> scene = context -> {
            Transactions transactions = context.getBean(Transactions.class);
            LockClient locks = context.getBean(LockClient.class);
            act.in(new Scene(
                    context.getBean(Warehouse.class), locks, transactions, TransactionalOperator.create(transactions)));
            Await.until("the lock is free", () -> !locks.lock("stock").isLocked());
        };
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(BoltworkAutoConfiguration.class, DistributedLockAutoConfiguration.class))
                .withPropertyValues("boltwork.backend=memory")
                .withBean(Transactions.class)
                .withBean(Warehouse.class)
                .run(scene);
    }

    @Test
    void lockIsReleasedAfterTheCommit() {
        play(scene -> {
            StepVerifier.create(scene.operator.transactional(scene.warehouse.one()))
                    .expectNext(true)
                    .verifyComplete();
            assertThat(scene.locks.lock("stock").isLocked()).isFalse();
            StepVerifier.create(scene.operator.transactional(scene.warehouse.many()))
                    .expectNext(true, true)
                    .verifyComplete();
            assertThat(scene.transactions.ended)
                    .containsExactly("committed under the lock", "committed under the lock");
        });
    }

    @Test
    void lockIsReleasedAfterARollback() {
        play(scene -> {
            StepVerifier.create(scene.operator.transactional(scene.warehouse.fails()))
                    .verifyErrorMessage("own");
            assertThat(scene.transactions.ended).containsExactly("rolled back under the lock");
        });
    }

    @Test
    void forcedReleaseRollsBack() {
        play(scene -> {
            Mono<Boolean> taken = scene.warehouse
                    .one()
                    .doOnNext(held -> scene.locks.inspector().forceRelease("stock"));
            StepVerifier.create(scene.operator.transactional(taken))
                    .expectNextCount(0)
                    .verifyError(LeaseLostException.class);
            assertThat(scene.transactions.ended).containsExactly("rolled back without the lock");
        });
    }

    @Test
    void newTransactionReleasesTheLockAfterTheMethod() {
        play(scene -> {
            Mono<Boolean> after = scene.warehouse
                    .apart()
                    .map(held -> held)
                    .then(Mono.fromSupplier(() -> scene.locks.lock("stock").isLocked()));
            StepVerifier.create(scene.operator.transactional(after))
                    .expectNext(false)
                    .verifyComplete();
            assertThat(scene.transactions.ended).containsExactly("committed without the lock");
        });
    }

    @Test
    void transactionKeepsTheLockButNoPermit() {
        play(scene -> {
            Mono<String> counts = scene.warehouse
                    .limited()
                    .map(count -> count)
                    .flatMap(during -> Mono.fromSupplier(() -> during + " during, "
                            + scene.locks.semaphore("limited", 1).availablePermits() + " after"));
            StepVerifier.create(scene.operator.transactional(counts))
                    .expectNext("0 during, 1 after")
                    .verifyComplete();
            assertThat(scene.transactions.ended).containsExactly("committed under the lock");
        });
    }

    @Test
    void lockIsReleasedAtTheEndWithoutATransaction() {
        play(scene ->
                StepVerifier.create(scene.warehouse.one()).expectNext(true).verifyComplete());
    }

    /**
     * Counts the looks of its publisher at its context, and cancels at one of them. The last one comes just after the
     * lock has been acquired, before the method is executed.
     */
    private static final class CancellingSubscriber extends BaseSubscriber<Object> {
        private final AtomicInteger looks = new AtomicInteger();
        private final CountDownLatch ended = new CountDownLatch(1);
        private final int last;

        CancellingSubscriber(int last) {
            this.last = last;
        }

        @Override
        public Context currentContext() {
            if (looks.incrementAndGet() == last) {
                cancel();
                ended.countDown(); // before there is a subscription, nothing else tells of it
            }
            return Context.empty();
        }

        @Override
        protected void hookFinally(SignalType type) {
            ended.countDown();
        }
    }

    @Test
    void lockIsFreeIfItsSubscriberCancelsJustAfterTheAcquisition() {
        play(scene -> {
            int looks = subscribe(scene, scene.warehouse.one(), NEVER);
            assertThat(looks).as("the looks of a whole call").isGreaterThan(1);
            for (int last = 1; last <= looks; last++) {
                subscribe(scene, scene.warehouse.one(), last);
            }
        });
    }

    @Test
    void lockIsFreeWheneverItsSubscriberCancels() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        play(scene -> {
            for (Mono<Boolean> call :
                    List.of(scene.warehouse.one(), scene.operator.transactional(scene.warehouse.one()))) {
                for (int round = 0; round < ROUNDS; round++) {
                    Disposable subscription =
                            call.subscribeOn(Schedulers.boundedElastic()).subscribe();
                    long end = System.nanoTime() + random.nextInt(MOST_NANOS);
                    while (System.nanoTime() < end) {
                        Thread.onSpinWait();
                    }
                    subscription.dispose();
                    assertCanBeLocked(scene, "seed " + seed + ", round " + round);
                }
            }
        });
    }

    private static void assertCanBeLocked(Scene scene, String how) throws InterruptedException {
        assertThat(scene.locks.lock("stock").tryLock(PATIENCE, TimeUnit.MILLISECONDS))
                .as(how)
                .isTrue();
        scene.locks.lock("stock").unlock();
    }

    /** Cancels a call at a look, checks that the lock is free then, and returns the number of looks. */
    private static int subscribe(Scene scene, Mono<Boolean> call, int last) throws InterruptedException {
        CancellingSubscriber subscriber = new CancellingSubscriber(last);
        call.subscribe(subscriber);
        assertThat(subscriber.ended.await(PATIENCE, TimeUnit.MILLISECONDS)).isTrue();
        assertCanBeLocked(scene, "cancelled at look " + last);
        return subscriber.looks.get();
    }
}
