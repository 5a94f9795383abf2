package io.boltwork.spring;

import io.boltwork.spring.AsyncLocking.Held;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Methods that return a {@link Mono}, a {@link Flux} or what Spring can make of them. Each subscription takes the locks and
 * executes the method; the locks are given back when that has completed, failed or been cancelled.
 */
final class ReactiveLocking {

    private ReactiveLocking() {}

    static Object publisher(AsyncLocking call, ReactiveAdapter adapter) {
        Mono<Held> take = Mono.fromFuture(call::take).doOnDiscard(Held.class, Held::release);
        if (adapter.isMultiValue()) {
            return adapter.fromPublisher(Flux.usingWhen(
                    take,
                    held -> Flux.from(body(call, held, adapter)),
                    ReactiveLocking::completed,
                    ReactiveLocking::failed,
                    ReactiveLocking::cancelled));
        }
        return adapter.fromPublisher(Mono.usingWhen(
                take,
                held -> Mono.from(body(call, held, adapter)),
                ReactiveLocking::completed,
                ReactiveLocking::failed,
                ReactiveLocking::cancelled));
    }

    @SuppressWarnings("unchecked") // the method's own type
    private static Publisher<Object> body(AsyncLocking call, Held held, ReactiveAdapter adapter) {
        LockTurn refused = held.refused();
        try {
            if (refused == null) {
                return (Publisher<Object>) (Publisher<?>) adapter.toPublisher(call.execute(held));
            }
            OnRefused then = refused.operation().onRefused();
            if (refused.skips() || then == OnRefused.RETURN_NULL) {
                return Mono.empty();
            }
            return then == OnRefused.THROW
                    ? Mono.error(refused.refusal())
                    : (Publisher<Object>)
                            (Publisher<?>) adapter.toPublisher(LockInterceptor.fallback(refused, call.invocation()));
        } catch (Throwable thrown) { // the method's own
            return Mono.error(thrown);
        }
    }

    private static Mono<Void> completed(Held held) {
        return released(held).onErrorMap(AsyncLocking::unwrapped);
    }

    private static Mono<Void> failed(Held held, Throwable failure) {
        return released(held).onErrorResume(loss -> {
            failure.addSuppressed(AsyncLocking.unwrapped(loss));
            return Mono.empty();
        });
    }

    private static Mono<Void> cancelled(Held held) {
        return released(held).onErrorComplete();
    }

    private static Mono<Void> released(Held held) {
        return Mono.<Object>fromFuture(() -> held.release().thenApply(nothing -> (Object) nothing), true)
                .then();
    }
}
