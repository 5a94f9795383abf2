// SPDX-License-Identifier: Apache-2.0
package io.boltwork.rxjava;

import io.boltwork.Lease;
import io.boltwork.reactive.LeaseOffer;
import io.boltwork.spi.BodyScope;
import io.reactivex.rxjava3.core.Completable;
import io.reactivex.rxjava3.core.Flowable;
import io.reactivex.rxjava3.core.Maybe;
import io.reactivex.rxjava3.core.MaybeObserver;
import io.reactivex.rxjava3.core.Single;
import io.reactivex.rxjava3.core.SingleObserver;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.schedulers.Schedulers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * A publisher that makes an asynchronous call for each subscription, and withdraws it if the subscription is disposed.
 * A value in time is passed to {@code wanted} before it is emitted, and a value that comes too late to
 * {@code unwanted}.
 *
 * @param <S> the type of the call's result
 * @param <T> the type of the value
 */
final class Acquisition<S, T> extends Maybe<T> {

    /** The end of a subscription. */
    private enum State {
        ENDED,
        DISPOSED
    }

    private final Supplier<? extends CompletionStage<S>> call;
    private final Function<@Nullable S, @Nullable T> value;
    private final Consumer<T> wanted;
    private final Consumer<T> unwanted;

    private Acquisition(
            Supplier<? extends CompletionStage<S>> call,
            Function<@Nullable S, @Nullable T> value,
            Consumer<T> wanted,
            Consumer<T> unwanted) {
        this.call = call;
        this.value = value;
        this.wanted = wanted;
        this.unwanted = unwanted;
    }

    /** Returns a publisher of a value that needs no care. */
    static <T> Maybe<T> of(Supplier<? extends CompletionStage<T>> call) {
        return new Acquisition<T, T>(call, result -> result, timely -> {}, late -> {});
    }

    /** Returns a publisher of a lease. */
    static Acquisition<Lease, Lease> lease(Supplier<? extends CompletionStage<Lease>> call) {
        return new Acquisition<>(call, lease -> lease, timely -> {}, Lease::releaseAsync);
    }

    /** Returns a publisher of a lease, or of nothing if the call was refused. */
    static Acquisition<Optional<Lease>, Lease> optional(Supplier<? extends CompletionStage<Optional<Lease>>> call) {
        return new Acquisition<>(
                call, lease -> lease == null ? null : lease.orElse(null), timely -> {}, Lease::releaseAsync);
    }

    /** Returns a publisher of this lease for observers that are outside of {@link #body}. */
    static Maybe<Lease> offered(Acquisition<?, Lease> leases) {
        return new Maybe<>() {
            @Override
            protected void subscribeActual(MaybeObserver<? super Lease> observer) {
                leases.subscribe(new OfferTo(observer));
            }
        };
    }

    /** Returns a publisher of this lease, which does not end without one, like {@link #offered}. */
    static Single<Lease> offeredAlways(Acquisition<?, Lease> leases) {
        return new Single<>() {
            @Override
            protected void subscribeActual(SingleObserver<? super Lease> observer) {
                leases.subscribe(new OfferTo(new AlwaysSome(observer)));
            }
        };
    }

    @Override
    protected void subscribeActual(MaybeObserver<? super T> observer) {
        Turn turn = new Turn(observer);
        observer.onSubscribe(turn);
        turn.begin();
    }

    /** Offers a lease to an observer, until the lease is used. */
    private record OfferTo(MaybeObserver<? super Lease> observer, LeaseOffer offer) implements MaybeObserver<Lease> {

        OfferTo(MaybeObserver<? super Lease> observer) {
            this(observer, new LeaseOffer());
        }

        @Override
        public void onSubscribe(Disposable upstream) {
            observer.onSubscribe(new OfferedTurn(upstream, offer));
        }

        @Override
        public void onSuccess(Lease lease) {
            offer.emit(lease, observer::onSuccess);
        }

        @Override
        public void onError(Throwable failure) {
            observer.onError(failure);
        }

        @Override
        public void onComplete() {
            observer.onComplete();
        }
    }

    /** A disposal of it withdraws the request, or the lease that no code uses. */
    private record OfferedTurn(Disposable upstream, LeaseOffer offer) implements Disposable {

        @Override
        public void dispose() {
            upstream.dispose();
            offer.cancel(unused -> Schedulers.computation()
                    .scheduleDirect(unused::withdraw, LeaseOffer.GRACE_MILLIS, TimeUnit.MILLISECONDS));
        }

        @Override
        public boolean isDisposed() {
            return upstream.isDisposed();
        }
    }

    /**
     * Passes signals on to an observer of exactly one value. Not by toSingle, which keeps a late disposal to itself.
     */
    private record AlwaysSome(SingleObserver<? super Lease> observer) implements MaybeObserver<Lease> {

        @Override
        public void onSubscribe(Disposable upstream) {
            observer.onSubscribe(upstream);
        }

        @Override
        public void onSuccess(Lease lease) {
            observer.onSuccess(lease);
        }

        @Override
        public void onError(Throwable failure) {
            observer.onError(failure);
        }

        @Override
        public void onComplete() {
            observer.onError(new IllegalStateException("refused although it would wait"));
        }
    }

    /** One subscription. Its end or its disposal wins, by one compare-and-set. */
    private final class Turn extends AtomicReference<@Nullable State> implements Disposable {
        private static final long serialVersionUID = 1;

        private final transient MaybeObserver<? super T> observer;
        private transient volatile @Nullable CompletableFuture<S> future;

        Turn(MaybeObserver<? super T> observer) {
            this.observer = observer;
        }

        void begin() {
            if (isDisposed()) {
                return;
            }
            CompletableFuture<S> begun;
            try {
                begun = call.get().toCompletableFuture();
            } catch (RuntimeException refused) {
                fail(refused);
                return;
            }
            future = begun;
            if (isDisposed()) {
                begun.cancel(true);
            }
            begun.whenComplete((result, failure) -> {
                if (failure != null) {
                    fail(
                            failure instanceof CompletionException && failure.getCause() != null
                                    ? failure.getCause()
                                    : failure);
                } else {
                    succeed(value.apply(result));
                }
            });
        }

        private void fail(Throwable failure) {
            if (compareAndSet(null, State.ENDED)) {
                observer.onError(failure);
            }
        }

        private void succeed(@Nullable T result) {
            boolean timely = compareAndSet(null, State.ENDED);
            if (timely && result != null) {
                wanted.accept(result);
                observer.onSuccess(result);
            } else if (timely) {
                observer.onComplete();
            } else if (result != null) {
                unwanted.accept(result);
            }
        }

        @Override
        public void dispose() {
            if (compareAndSet(null, State.DISPOSED)) {
                CompletableFuture<S> underWay = future;
                if (underWay != null) {
                    underWay.cancel(true);
                }
            }
        }

        @Override
        public boolean isDisposed() {
            return get() == State.DISPOSED;
        }
    }

    // ================================================================ bodies

    /**
     * Subscribes to a body under a lease, and releases the lease before the end of the body is passed on.
     *
     * @param refused supplies the failure if there is no lease
     */
    static <S, T> Flowable<T> body(
            Acquisition<S, Lease> acquisition,
            Supplier<? extends Throwable> refused,
            io.reactivex.rxjava3.functions.Function<? super Lease, ? extends Publisher<T>> body) {
        return Flowable.defer(() -> {
            HeldLease held = new HeldLease();
            BodyScope outer = BodyScope.current();
            // not by doOnSuccess, which drops the value if it is disposed just then
            Maybe<Lease> noted =
                    new Acquisition<>(acquisition.call, acquisition.value, held::set, acquisition.unwanted);
            Flowable<T> guarded = noted.switchIfEmpty(Maybe.error(refused::get))
                    .flatMapPublisher(lease ->
                            scoped(BodyScope.of(List.of(lease), outer), Flowable.defer(() -> body.apply(lease))));
            return guarded.onErrorResumeNext(failure -> held.release()
                            .onErrorComplete(loss -> {
                                failure.addSuppressed(loss);
                                return true;
                            })
                            .andThen(Flowable.error(failure)))
                    .concatWith(Completable.defer(held::release))
                    .doOnCancel(held::forsake);
        });
    }

    /** Subscribes to a body within a scope, so that the client's report of deadlocks knows what is acquired in it. */
    private static <T> Publisher<T> scoped(BodyScope scope, Publisher<T> body) {
        return subscriber -> BodyScope.call(scope, () -> {
            body.subscribe(subscriber);
            return subscriber;
        });
    }

    /** The lease of one subscription, which is released once. */
    private static final class HeldLease {
        private static final Object FORSAKEN = new Object();

        private final AtomicReference<@Nullable Object> state = new AtomicReference<>();

        void set(Lease lease) {
            if (!state.compareAndSet(null, lease)) {
                lease.releaseAsync(); // cancelled at the last moment
            }
        }

        /**
         * Begins to release the lease, and returns a publisher of the end. Begins here and not with the subscription,
         * because a subscription that is disposed just then makes no call, and the lease is forgotten already.
         */
        Completable release() {
            if (state.getAndSet(FORSAKEN) instanceof Lease lease) {
                CompletionStage<Void> released = lease.releaseAsync();
                return Completable.fromMaybe(of(() -> released));
            }
            return Completable.complete();
        }

        /** Releases the lease, now or when it comes, without waiting for the backend. */
        void forsake() {
            if (state.getAndSet(FORSAKEN) instanceof Lease lease) {
                lease.releaseAsync();
            }
        }
    }
}
