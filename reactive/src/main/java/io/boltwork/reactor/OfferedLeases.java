// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactor;

import io.boltwork.Lease;
import io.boltwork.reactive.LeaseOffer;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** Publishes leases to subscribers that are outside of a guard. */
final class OfferedLeases extends MonoOperator<Lease, Lease> {

    OfferedLeases(Mono<Lease> leases) {
        super(leases);
    }

    @Override
    public void subscribe(CoreSubscriber<? super Lease> actual) {
        source.subscribe(new Offer(actual));
    }

    /** One subscription. */
    private static final class Offer implements CoreSubscriber<Lease>, Subscription {
        private final CoreSubscriber<? super Lease> actual;
        private final LeaseOffer offer = new LeaseOffer();
        private @Nullable Subscription upstream;
        private boolean dropped;

        Offer(CoreSubscriber<? super Lease> actual) {
            this.actual = actual;
        }

        private Subscription upstream() {
            return Objects.requireNonNull(upstream, "no subscription yet");
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            actual.onSubscribe(this);
        }

        @Override
        public void onNext(Lease lease) {
            dropped = !offer.emit(lease, actual::onNext);
        }

        @Override
        public void onError(Throwable failure) {
            actual.onError(failure);
        }

        @Override
        public void onComplete() {
            if (!dropped) {
                actual.onComplete();
            }
        }

        @Override
        public void request(long demand) {
            upstream().request(demand);
        }

        @Override
        public void cancel() {
            upstream().cancel();
            offer.cancel(Offer::withdrawAfterGrace);
        }

        private static void withdrawAfterGrace(LeaseOffer offer) {
            try {
                Schedulers.parallel().schedule(offer::withdraw, LeaseOffer.GRACE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException disposed) {
                offer.withdraw();
            }
        }
    }
}
