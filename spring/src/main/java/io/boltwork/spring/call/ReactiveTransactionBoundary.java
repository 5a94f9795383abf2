// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.boltwork.Lease;
import io.boltwork.annotation.acquire.BoundHold;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.call.AsyncLocking.Held;
import io.boltwork.annotation.operation.LockMethod;
import io.boltwork.annotation.operation.LockStep;
import org.springframework.core.Ordered;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A reactive transaction of the subscriber that releases the locks when it has completed: see {@link
 * TransactionBoundary}.
 */
final class ReactiveTransactionBoundary {
    private static final boolean PRESENT = ClassUtils.isPresent(
            "org.springframework.transaction.reactive.TransactionSynchronizationManager",
            ReactiveTransactionBoundary.class.getClassLoader());

    private ReactiveTransactionBoundary() {}

    /**
     * Lets such a transaction release the locks, if there is one that the method takes part in. Permits of semaphores
     * are not among them, as in {@link TransactionBoundary#takes}.
     *
     * @param taking is run just before the transaction takes the locks, if it does
     */
    static Mono<Void> takes(LockMethod method, Held held, Runnable taking) {
        return PRESENT && !method.apart() && !held.leases().isEmpty()
                ? ReleaseAfterReactiveTransaction.register(held, taking)
                : Mono.empty();
    }

    /** A separate class, because it depends on classes that may be absent. */
    private record ReleaseAfterReactiveTransaction(Held held) implements TransactionSynchronization, Ordered {
        static Mono<Void> register(Held held, Runnable taking) {
            return TransactionSynchronizationManager.forCurrentTransaction()
                    .doOnNext(transaction -> {
                        if (transaction.isActualTransactionActive() && transaction.isSynchronizationActive()) {
                            taking.run();
                            leaveTo(transaction, held);
                        }
                    })
                    .onErrorComplete(NoTransactionException.class)
                    .then();
        }

        private static void leaveTo(TransactionSynchronizationManager transaction, Held held) {
            try {
                transaction.registerSynchronization(new ReleaseAfterReactiveTransaction(held));
            } catch (RuntimeException ended) { // by a cancellation meanwhile
                held.release();
                throw ended;
            }
        }

        /** Runs after all other synchronizations have flushed their data. */
        @Override
        public int getOrder() {
            return Ordered.LOWEST_PRECEDENCE;
        }

        /** Asks the backend, because a lease that was taken away a moment ago is still valid by the clock. */
        @Override
        public Mono<Void> beforeCommit(boolean readOnly) {
            return Flux.range(0, held.leases().size())
                    .filter(i -> !held.steps().get(i).operation().ignoreLoss())
                    .concatMap(i -> verify(held.steps().get(i), held.leases().get(i)))
                    .then();
        }

        /**
         * Verifies a lease on a thread that may block. The query blocks for a round trip, which the threads of the
         * application's pipeline must not do.
         */
        private static Mono<Boolean> verify(LockStep step, Lease lease) {
            return Mono.fromCallable(lease::verify)
                    .subscribeOn(Schedulers.boundedElastic())
                    .doOnNext(confirmed -> {
                        if (!confirmed) {
                            BoundHold.warn(step.source(), lease);
                        }
                    });
        }

        @Override
        public Mono<Void> afterCompletion(int status) {
            Mono<Void> released = Mono.fromFuture(held::release, true).then();
            return status == STATUS_COMMITTED ? released : released.onErrorComplete();
        }
    }
}
