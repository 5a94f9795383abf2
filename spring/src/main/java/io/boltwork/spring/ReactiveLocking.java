package io.boltwork.spring;

import io.boltwork.spring.AsyncLocking.Held;
import io.boltwork.spring.AsyncLocking.Taking;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

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
                        ? Flux.deferContextual(context -> locking.many(CallerContext.capture(context)))
                        : Mono.deferContextual(context -> locking.one(CallerContext.capture(context))));
    }

    private Flux<Object> many(CallerContext context) {
        return Flux.usingWhen(
                taken(),
                held -> Flux.from(body(held, context)),
                LocksForSubscriber::completed,
                LocksForSubscriber::failed,
                LocksForSubscriber::cancelled);
    }

    private Mono<Object> one(CallerContext context) {
        return Mono.usingWhen(
                taken(),
                held -> Mono.from(body(held, context)),
                LocksForSubscriber::completed,
                LocksForSubscriber::failed,
                LocksForSubscriber::cancelled);
    }

    /**
     * The acquired locks.
     *
     * @param held the locks
     * @param own those of them that no transaction of the subscriber releases
     */
    private record LocksForSubscriber(Held held, Held own) {

        Mono<Void> completed() {
            return released(own).onErrorMap(AsyncLocking::unwrapped);
        }

        Mono<Void> failed(Throwable failure) {
            return released(own).onErrorResume(loss -> {
                failure.addSuppressed(AsyncLocking.unwrapped(loss));
                return Mono.empty();
            });
        }

        Mono<Void> cancelled() {
            return released(own).onErrorComplete();
        }
    }

    private Mono<LocksForSubscriber> taken() {
        Mono<Held> take = Mono.create(this::take);
        return take.doOnDiscard(Held.class, Held::release)
                .flatMap(held -> held.denial() != null
                        ? Mono.just(new LocksForSubscriber(held, held))
                        : ReactiveTransactionBoundary.takes(call.method(), held.only(false))
                                .map(taken -> new LocksForSubscriber(held, taken ? held.only(true) : held)));
    }

    private void take(MonoSink<Held> sink) {
        Taking taking = call.take();
        sink.onCancel(() -> {
            if (!taking.cancel(true) && !taking.isCompletedExceptionally()) {
                taking.join().release(); // acquired at the last moment: it will not be passed on
            }
        });
        taking.whenComplete((held, failure) -> {
            if (failure != null) {
                sink.error(AsyncLocking.unwrapped(failure));
            } else {
                sink.success(held);
            }
        });
        taking.begin(); // last; otherwise this thread might continue with locks that were acquired in the meantime
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

    static Mono<Void> released(Held held) {
        return Mono.<Object>fromFuture(() -> held.release().thenApply(nothing -> (Object) nothing), true)
                .then();
    }
}
