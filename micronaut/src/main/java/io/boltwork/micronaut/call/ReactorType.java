// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.call;

import io.boltwork.LockOwner;
import io.boltwork.annotation.acquire.EnteredLock;
import io.boltwork.annotation.call.AsyncLocking;
import io.boltwork.annotation.call.AsyncLocking.Held;
import io.boltwork.annotation.call.AsyncLocking.Taking;
import io.boltwork.annotation.call.CallerContext;
import io.boltwork.annotation.call.PublisherType;
import io.boltwork.reactor.Acquisitions;
import io.boltwork.spi.BodyScope;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** The types of Reactor. Each subscription acquires the locks, and its end or cancellation releases them. */
enum ReactorType implements PublisherType {
    MONO {
        @Override
        Object of(Flux<Object> values) {
            return values.singleOrEmpty();
        }
    },
    FLUX {
        @Override
        Object of(Flux<Object> values) {
            return values;
        }
    };

    static @Nullable ReactorType of(Class<?> type) {
        return Mono.class.isAssignableFrom(type) ? MONO : Flux.class.isAssignableFrom(type) ? FLUX : null;
    }

    /** The publisher that is subscribed to under the locks. */
    private interface Body {
        @Nullable
        Object of(Held held) throws Throwable;
    }

    abstract Object of(Flux<Object> values);

    @Override
    public Object publisher(AsyncLocking call) {
        return guarded(call, held -> call.execute(held, call.arguments(held)));
    }

    @Override
    public Object publisher(AsyncLocking call, Object returned) {
        return guarded(call, held -> returned);
    }

    @Override
    public Object failed(RuntimeException failure) {
        return of(Flux.error(failure));
    }

    private Object guarded(AsyncLocking call, Body body) {
        return of(Flux.deferContextual(subscriber -> guarded(call, body, subscriber)));
    }

    /** Guards an acquired lease at once: no operator that may drop it after a cancellation stands between. */
    private static Flux<Object> guarded(AsyncLocking call, Body body, ContextView subscriber) {
        CallerContext context = call.contexts().get();
        LockOwner around = subscriber.getOrDefault(LockOwner.class, EnteredLock.owner());
        LockOwner owner = around == null ? LockOwner.create(call.where()) : around;
        return Acquisitions.<Held, Object>guard(
                        Acquisitions.of(() -> call.take(owner), ReactorType::begin, Held::release),
                        held -> Acquisitions.under(held.leases(), begun(call, held, body, context)),
                        Held::release)
                .contextWrite(Context.of(LockOwner.class, owner));
    }

    private static void begin(Taking taking) {
        BodyScope.call(EnteredLock.scope(), taking::begun);
    }

    @SuppressWarnings("unchecked") // the method's own type
    private static Publisher<Object> begun(AsyncLocking call, Held held, Body body, CallerContext context) {
        try {
            Object value = context.call(
                    () -> held.denial() == null ? body.of(held) : call.instead(held.denial(), false, result -> result));
            return value instanceof Publisher<?> publisher ? (Publisher<Object>) publisher : Mono.justOrEmpty(value);
        } catch (Throwable thrown) { // by the method
            return Mono.error(thrown);
        }
    }
}
