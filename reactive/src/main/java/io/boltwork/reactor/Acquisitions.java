// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactor;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockOwner;
import io.boltwork.spi.BodyScope;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Makes publishers from asynchronous calls, and guards publishers with what the calls acquire. For libraries that have
 * their own way to acquire; applications use {@link ReactorLocks}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class Acquisitions {

    private Acquisitions() {}

    /**
     * Returns a publisher that makes a call for each subscription, and withdraws it if the subscription is cancelled.
     */
    static <T> Mono<T> of(Supplier<? extends CompletionStage<? extends @Nullable T>> call) {
        return of(context -> call.get(), value -> {});
    }

    /** Returns a publisher of leases for {@link #guard}. A lease that comes too late for the subscriber is released. */
    static Mono<Lease> lease(Function<ContextView, ? extends CompletionStage<? extends @Nullable Lease>> call) {
        return of(call, lease -> {
            if (lease != null) {
                lease.releaseAsync();
            }
        });
    }

    private static <T> Mono<T> of(
            Function<ContextView, ? extends CompletionStage<? extends @Nullable T>> call,
            Consumer<@Nullable T> unwanted) {
        return Mono.create(sink -> {
            ContextView context = sink.contextView();
            answer(
                    sink,
                    BodyScope.call(scope(context), () -> call.apply(context)).toCompletableFuture(),
                    unwanted);
        });
    }

    /**
     * Returns a publisher that makes a call for each subscription. A cancellation of the subscription cancels the
     * future of the call.
     *
     * @param prepare makes the future of a call
     * @param begin begins the call, after all callbacks are registered; the subscribing thread then runs a callback
     *     only if the call ends at once
     * @param unwanted receives a value that came too late for the subscriber
     * @param <T> the type of the value
     * @param <F> the type of the future
     * @return the publisher
     */
    public static <T, F extends CompletableFuture<T>> Mono<T> of(
            Supplier<? extends F> prepare, Consumer<? super F> begin, Consumer<? super T> unwanted) {
        return Mono.create(sink -> {
            F call = prepare.get();
            answer(sink, call, value -> {
                if (value != null) {
                    unwanted.accept(value);
                }
            });
            BodyScope.call(scope(sink.contextView()), () -> {
                begin.accept(call);
                return call;
            });
        });
    }

    private static <T> void answer(
            MonoSink<T> sink, CompletableFuture<? extends @Nullable T> future, Consumer<@Nullable T> unwanted) {
        sink.onCancel(() -> {
            if (!future.cancel(true)) {
                future.thenAccept(unwanted); // it came at the last moment, and the sink drops it
            }
        });
        future.whenComplete((value, failure) -> {
            if (failure == null) {
                sink.success(value);
            } else if (!future.isCancelled()) {
                sink.error(unwrapped(failure));
            }
        });
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Returns a publisher of leases that is empty if the call was refused. */
    static Mono<Lease> optional(Function<ContextView, ? extends CompletionStage<Optional<Lease>>> call) {
        return lease(context -> withdrawable(call.apply(context).toCompletableFuture()));
    }

    /** Returns a future of a lease or of nothing, whose cancellation is that of the call. */
    private static CompletableFuture<Lease> withdrawable(CompletableFuture<Optional<Lease>> call) {
        CompletableFuture<Lease> lease = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                call.cancel(mayInterruptIfRunning);
                return super.cancel(mayInterruptIfRunning);
            }
        };
        call.whenComplete((value, failure) -> {
            if (failure != null) {
                lease.completeExceptionally(failure);
            } else if (!lease.complete(value.orElse(null))) {
                value.ifPresent(Lease::releaseAsync); // cancelled at the last moment
            }
        });
        return lease;
    }

    // ================================================================ owners

    /**
     * Makes a pipeline the owner of the locks that are acquired in it, unless it runs in a pipeline that has an owner.
     * The owner is in the context, under the key {@code LockOwner.class}.
     *
     * @param name the name of an owner that is created
     * @param pipeline what acquires locks
     * @param <T> the type of the values
     * @return the pipeline
     */
    public static <T> Flux<T> owned(String name, Flux<T> pipeline) {
        return Flux.deferContextual(context -> context.hasKey(LockOwner.class)
                ? pipeline
                : pipeline.contextWrite(Context.of(LockOwner.class, LockOwner.create(name))));
    }

    /**
     * Returns the lock as the owner in a context acquires it.
     *
     * @param lock the lock
     * @param context the context of a pipeline
     * @return the lock itself if the context has no owner, or the lock has one already
     */
    public static FencedLock ownedBy(ContextView context, FencedLock lock) {
        Optional<LockOwner> owner = context.getOrEmpty(LockOwner.class);
        return owner.isEmpty() || lock.owner().isPresent() ? lock : lock.ownedBy(owner.get());
    }

    // ================================================================ bodies

    /** Subscribes to a body under a lease, and releases the lease before the end of the body is passed on. */
    static <T> Mono<T> one(Mono<Lease> lease, Function<? super Lease, ? extends Publisher<T>> body) {
        return many(lease, body).singleOrEmpty();
    }

    /** Subscribes to a body under a lease, as {@link #one} does. */
    static <T> Flux<T> many(Mono<Lease> lease, Function<? super Lease, ? extends Publisher<T>> body) {
        return guard(lease, held -> under(List.of(held), Flux.defer(() -> body.apply(held))), Lease::releaseAsync);
    }

    /**
     * Subscribes to a body within the scope of its leases, so that the client's report of deadlocks knows what is
     * acquired in the body.
     *
     * @param leases the leases of the body
     * @param body the body
     * @param <T> the type of the values
     * @return the body
     */
    public static <T> Flux<T> under(Collection<Lease> leases, Publisher<T> body) {
        return Flux.deferContextual(context -> {
            BodyScope outer = scope(context);
            BodyScope called = BodyScope.of(leases, outer);
            return Flux.<T>from(subscriber -> BodyScope.call(called, () -> {
                        body.subscribe(subscriber);
                        return subscriber;
                    }))
                    .contextWrite(Context.of(BodyScope.class, BodyScope.ofPipeline(leases, outer)));
        });
    }

    /** Returns the scope of the pipeline, or else that of the code that has subscribed to it. */
    private static @Nullable BodyScope scope(ContextView context) {
        Optional<BodyScope> own = context.getOrEmpty(BodyScope.class);
        return own.orElseGet(BodyScope::current);
    }

    /**
     * Subscribes to a body under what was acquired, and releases that before the end of the body is passed on, and when
     * the subscription is cancelled.
     *
     * @param acquired a publisher of what the body needs; empty for no body
     * @param body makes the body
     * @param release releases what was acquired; must accept a second call. If the body has failed, a failure of the
     *     release is suppressed in that of the body. Otherwise it is the end of the body
     * @param <H> the type of what is acquired
     * @param <T> the type of the values
     * @return the body
     */
    public static <H, T> Flux<T> guard(
            Mono<H> acquired,
            Function<? super H, ? extends Publisher<T>> body,
            Function<? super H, ? extends CompletionStage<?>> release) {
        return acquired.flatMapMany(held -> {
            Mono<Void> released = of(() -> release.apply(held)).then();
            return Flux.usingWhen(
                    Mono.just(held),
                    // the release is a part of what is guarded, because usingWhen wraps the failures of its own
                    // callbacks
                    same -> Flux.concat(body.apply(same), released.then(Mono.<T>empty())),
                    same -> Mono.empty(),
                    (same, failure) -> failed(released, failure),
                    same -> released.onErrorComplete());
        });
    }

    private static Mono<Void> failed(Mono<Void> released, Throwable failure) {
        return released.onErrorResume(loss -> {
            if (loss != failure) { // a release that has failed may fail again in the same way
                failure.addSuppressed(loss);
            }
            return Mono.empty();
        });
    }
}
