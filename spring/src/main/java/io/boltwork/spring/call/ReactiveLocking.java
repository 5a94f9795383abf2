// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.boltwork.LockOwner;
import io.boltwork.annotation.acquire.EnteredLock;
import io.boltwork.annotation.call.AsyncLocking;
import io.boltwork.annotation.call.AsyncLocking.Held;
import io.boltwork.annotation.call.AsyncLocking.Taking;
import io.boltwork.annotation.call.CallerContext;
import io.boltwork.annotation.operation.LockDenial;
import io.boltwork.reactor.Acquisitions;
import io.boltwork.spi.BodyScope;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Executes methods that return a {@link Mono}, a {@link Flux} or a type that Spring can adapt to them. Each
 * subscription acquires the locks and executes the method. The locks are released when the result has completed or
 * failed, when the subscription is cancelled, or when a reactive transaction of the subscriber has completed.
 */
public final class ReactiveLocking {
    private final AsyncLocking call;
    private final ReactiveAdapter adapter;
    private final GuardedPublisher body;

    /** The publisher that is subscribed to under the locks. */
    interface GuardedPublisher {
        @Nullable
        Object publisher(Held held, Consumer<Supplier<CompletableFuture<?>>> endings) throws Throwable;
    }

    private ReactiveLocking(AsyncLocking call, ReactiveAdapter adapter, GuardedPublisher body) {
        this.call = call;
        this.adapter = adapter;
        this.body = body;
    }

    static Object publisher(AsyncLocking call, ReactiveAdapter adapter, GuardedPublisher body) {
        ReactiveLocking locking = new ReactiveLocking(call, adapter, body);
        return adapter.fromPublisher(
                adapter.isMultiValue()
                        ? Flux.deferContextual(locking::guarded)
                        : Mono.deferContextual(
                                context -> locking.guarded(context).singleOrEmpty()));
    }

    /** Returns a result that fails for each subscriber. */
    static Object failed(ReactiveAdapter adapter, Throwable failure) {
        return adapter.fromPublisher(Flux.error(failure));
    }

    /*
     * A cancellation may come at any moment. An acquired lease is guarded from then on, and no operator that may drop a
     * value stands between.
     */

    private Flux<Object> guarded(ContextView subscriber) {
        CallerContext context = CapturedContext.of(subscriber);
        LockOwner around = subscriber.getOrDefault(LockOwner.class, EnteredLock.owner());
        LockOwner owner = around == null ? LockOwner.create(call.where()) : around;
        Mono<LocksForSubscriber> taken = Acquisitions.of(() -> call.take(owner), ReactiveLocking::begin, Held::release)
                .map(LocksForSubscriber::new);
        return Acquisitions.<LocksForSubscriber, Object>guard(
                        taken,
                        locks -> Acquisitions.under(locks.held.leases(), body(locks, context)),
                        LocksForSubscriber::release)
                .contextWrite(Context.of(LockOwner.class, owner));
    }

    private static void begin(Taking taking) {
        BodyScope.call(EnteredLock.scope(), taking::begun);
    }

    private Publisher<Object> body(LocksForSubscriber locks, CallerContext context) {
        return locks.held.denial() != null
                ? publisher(locks, context)
                : ReactiveTransactionBoundary.takes(call.method(), locks.held.only(false), locks::leaveToTransaction)
                        .thenMany(Flux.defer(() -> publisher(locks, context)));
    }

    @SuppressWarnings("unchecked") // the method's own type
    private Publisher<Object> publisher(LocksForSubscriber locks, CallerContext context) {
        LockDenial denial = locks.held.denial();
        try {
            Object publisher = context.call(() -> denial == null
                    ? body.publisher(locks.held, locks::endWith)
                    : call.instead(denial, false, this::published));
            return denial != null && publisher == null
                    ? Mono.empty()
                    : (Publisher<Object>) (Publisher<?>) adapter.toPublisher(publisher);
        } catch (Throwable thrown) { // thrown by the method
            return Mono.error(thrown);
        }
    }

    private @Nullable Object published(@Nullable Object value) {
        return value == null || adapter.getReactiveType().isInstance(value)
                ? value
                : adapter.fromPublisher(value instanceof Publisher<?> many ? many : Mono.just(value));
    }

    /** The acquired locks. */
    private static final class LocksForSubscriber {
        private final Held held;

        /** Those of them that no transaction of the subscriber releases. */
        private volatile Held own;

        /** Awaits the end of what is executed under the locks, which may come after that of the publisher. */
        private volatile Supplier<CompletableFuture<?>> end = () -> CompletableFuture.completedFuture(null);

        LocksForSubscriber(Held held) {
            this.held = held;
            this.own = held;
        }

        void leaveToTransaction() {
            own = held.only(true);
        }

        void endWith(Supplier<CompletableFuture<?>> coroutine) {
            end = coroutine;
        }

        CompletableFuture<?> release() {
            return end.get().thenCompose(ended -> own.release());
        }
    }
}
