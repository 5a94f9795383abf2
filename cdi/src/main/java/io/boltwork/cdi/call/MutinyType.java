// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.call;

import io.boltwork.LockOwner;
import io.boltwork.annotation.acquire.EnteredLock;
import io.boltwork.annotation.call.AsyncLocking;
import io.boltwork.annotation.call.AsyncLocking.Held;
import io.boltwork.annotation.call.AsyncLocking.Taking;
import io.boltwork.annotation.call.PublisherType;
import io.boltwork.spi.BodyScope;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/*
 * A cancellation may come at any moment, also between the grant of the locks and their delivery. Mutiny drops an item
 * that comes after a cancellation. So whoever the locks are delivered to says so, before the delivery returns; if
 * nobody has, they are released.
 */
/** The types of Mutiny. Each subscription acquires the locks, and the end of what it subscribes to releases them. */
enum MutinyType implements PublisherType {
    UNI {
        @Override
        Object guarded(AsyncLocking call, Body body) {
            return granted(call).onItem().transformToUni(locks -> locks.guard(published(locks.begin(call, body))));
        }

        @Override
        public Object failed(RuntimeException failure) {
            return Uni.createFrom().failure(failure);
        }
    },
    MULTI {
        @Override
        Object guarded(AsyncLocking call, Body body) {
            return granted(call).onItem().transformToMulti(locks -> locks.guard(multi(locks.begin(call, body))));
        }

        private Multi<?> multi(@Nullable Object value) {
            return value instanceof Multi<?> multi ? multi : published(value).toMulti();
        }

        @Override
        public Object failed(RuntimeException failure) {
            return Multi.createFrom().failure(failure);
        }
    };

    static @Nullable MutinyType of(Class<?> type) {
        return Uni.class.isAssignableFrom(type) ? UNI : Multi.class.isAssignableFrom(type) ? MULTI : null;
    }

    /** The publisher that is subscribed to under the locks. */
    interface Body {
        @Nullable
        Object of(Held held) throws Throwable;
    }

    abstract Object guarded(AsyncLocking call, Body body);

    @Override
    public Object publisher(AsyncLocking call) {
        return guarded(call, held -> call.execute(held, call.arguments(held)));
    }

    @Override
    public Object publisher(AsyncLocking call, Object returned) {
        return guarded(call, held -> returned);
    }

    private static Uni<?> published(@Nullable Object value) {
        return value instanceof Uni<?> uni ? uni : Uni.createFrom().item(value);
    }

    /** Requests the locks for each subscriber. */
    private static Uni<Locks> granted(AsyncLocking call) {
        LockOwner caller = EnteredLock.owner();
        return Uni.createFrom().emitter(emitter -> {
            LockOwner around = caller == null ? EnteredLock.owner() : caller;
            Taking taking = call.take(around == null ? LockOwner.create(call.where()) : around);
            Executor subscriber = EventLoop.current();
            emitter.onTermination(() -> taking.cancel(true));
            taking.whenComplete((held, failure) -> {
                if (failure == null) {
                    subscriber.execute(() -> deliver(held, emitter));
                } else {
                    subscriber.execute(() -> emitter.fail(AsyncLocking.unwrapped(failure)));
                }
            });
            BodyScope.call(EnteredLock.scope(), taking::begun);
        });
    }

    private static void deliver(Held held, UniEmitter<? super Locks> emitter) {
        Locks locks = new Locks(held);
        emitter.complete(locks);
        if (!locks.received) {
            held.release();
        }
    }

    /** The locks of one subscription. */
    private static final class Locks {
        private final Held held;
        private boolean received;

        Locks(Held held) {
            this.held = held;
        }

        /** Executes the method, or what replaces it, and returns what it returns. */
        @Nullable
        Object begin(AsyncLocking call, Body body) {
            received = true;
            try {
                return held.denial() == null ? body.of(held) : call.instead(held.denial(), false, value -> value);
            } catch (Throwable thrown) { // by the method
                return Uni.createFrom().failure(thrown);
            }
        }

        <T> Uni<T> guard(Uni<T> body) {
            return body.onTermination().call((item, failure, cancelled) -> released(failure));
        }

        <T> Multi<T> guard(Multi<T> body) {
            return body.onTermination().call((failure, cancelled) -> released(failure));
        }

        /** Releases the locks. A loss is the failure of the result, unless it has another one. */
        private Uni<Void> released(@Nullable Throwable failure) {
            Uni<Void> released = Uni.createFrom().completionStage(held::release).replaceWithVoid();
            return failure == null
                    ? released
                    : released.onFailure()
                            .invoke(loss -> failure.addSuppressed(AsyncLocking.unwrapped(loss)))
                            .onFailure()
                            .recoverWithNull();
        }
    }
}
