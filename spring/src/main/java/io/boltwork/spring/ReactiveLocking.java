// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.reactor.Acquisitions;
import io.boltwork.spring.AsyncLocking.Held;
import io.boltwork.spring.AsyncLocking.Taking;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Executes methods that return a {@link Mono}, a {@link Flux} or a type that Spring can adapt to them. Each
 * subscription acquires the locks and executes the method. The locks are released when the result has completed or
 * failed, when the subscription is cancelled, or when a reactive transaction of the subscriber has completed.
 */
final class ReactiveLocking {
    private final AsyncLocking call;
    private final ReactiveAdapter adapter;
    private final GuardedPublisher body;

    /** The publisher that is subscribed to under the locks. */
    interface GuardedPublisher {
        @Nullable
        Object publisher(Held held) throws Throwable;
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
                        ? Flux.deferContextual(context -> locking.guarded(CallerContext.capture(context)))
                        : Mono.deferContextual(context ->
                                locking.guarded(CallerContext.capture(context)).singleOrEmpty()));
    }

    /**
     * The acquired locks.
     *
     * @param held the locks
     * @param own those of them that no transaction of the subscriber releases
     */
    private record LocksForSubscriber(Held held, Held own) {}

    private Flux<Object> guarded(CallerContext context) {
        return Acquisitions.guard(
                taken(), held -> body(held, context), held -> held.own().release());
    }

    private Mono<LocksForSubscriber> taken() {
        Mono<Held> take = Acquisitions.of(call::take, Taking::begin, Held::release);
        return take.flatMap(held -> held.denial() != null
                ? Mono.just(new LocksForSubscriber(held, held))
                : ReactiveTransactionBoundary.takes(call.method(), held.only(false))
                        .map(taken -> new LocksForSubscriber(held, taken ? held.only(true) : held)));
    }

    @SuppressWarnings("unchecked") // the method's own type
    private Publisher<Object> body(LocksForSubscriber taken, CallerContext context) {
        LockDenial denial = taken.held().denial();
        try {
            Object publisher = context.call(
                    () -> denial == null ? body.publisher(taken.held()) : denial.instead(null, call.invocation()));
            return denial != null && publisher == null
                    ? Mono.empty()
                    : (Publisher<Object>) (Publisher<?>) adapter.toPublisher(publisher);
        } catch (Throwable thrown) { // thrown by the method
            return Mono.error(thrown);
        }
    }
}
