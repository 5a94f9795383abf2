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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/*
 * A cancellation may come at any moment, also between the grant of the locks and their delivery. Mutiny drops an item
 * that comes after a cancellation. So whoever the locks are delivered to says so, before the delivery returns; if
 * nobody has, they are released. While the method executes, its publisher is not subscribed to yet, and Mutiny loses a
 * cancellation. So that publisher is cancelled by itself.
 */
/** The types of Mutiny. Each subscription acquires the locks, and the end of what it subscribes to releases them. */
enum MutinyType implements PublisherType {
    UNI {
        @Override
        Object guarded(AsyncLocking call, Body body) {
            Supplier<Subscription> subscriptions = subscriptions(call);
            return Uni.createFrom().deferred(() -> {
                Subscription own = subscriptions.get();
                return own.granted()
                        .onItem()
                        .transformToUni(held -> own.guard(held, published(own.begin(held, body))))
                        .onCancellation()
                        .invoke(own::cancel);
            });
        }

        @Override
        public Object failed(RuntimeException failure) {
            return Uni.createFrom().failure(failure);
        }
    },
    MULTI {
        @Override
        Object guarded(AsyncLocking call, Body body) {
            Supplier<Subscription> subscriptions = subscriptions(call);
            return Multi.createFrom().deferred(() -> {
                Subscription own = subscriptions.get();
                return own.granted()
                        .onItem()
                        .transformToMulti(held -> own.guard(held, multi(own.begin(held, body))))
                        .onCancellation()
                        .invoke(own::cancel);
            });
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

    private static Supplier<Subscription> subscriptions(AsyncLocking call) {
        LockOwner caller = EnteredLock.owner();
        return () -> new Subscription(call, caller);
    }

    /** One subscription, which has locks of its own. */
    private static final class Subscription {
        private static final Runnable CANCELLED = () -> {};

        private final AsyncLocking call;
        private final @Nullable LockOwner caller;

        /** Cancels the method's publisher; {@code null} until that is subscribed to. */
        private final AtomicReference<@Nullable Runnable> cancellation = new AtomicReference<>();

        private boolean received;

        Subscription(AsyncLocking call, @Nullable LockOwner caller) {
            this.call = call;
            this.caller = caller;
        }

        /** Requests the locks. */
        Uni<Held> granted() {
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

        private void deliver(Held held, UniEmitter<? super Held> emitter) {
            emitter.complete(held);
            if (!received) {
                held.release();
            }
        }

        /** Executes the method, or what replaces it, and returns what it returns, to be guarded. */
        @Nullable
        Object begin(Held held, Body body) {
            received = true;
            try {
                return held.denial() == null ? body.of(held) : call.instead(held.denial(), false, value -> value);
            } catch (Throwable thrown) { // by the method
                return Uni.createFrom().failure(thrown);
            }
        }

        <T> Uni<T> guard(Held held, Uni<T> body) {
            return body.onTermination()
                    .call((item, failure, cancelled) -> released(held, failure))
                    .onSubscription()
                    .invoke(subscription -> begun(subscription::cancel));
        }

        <T> Multi<T> guard(Held held, Multi<T> body) {
            return body.onTermination()
                    .call((failure, cancelled) -> released(held, failure))
                    .onSubscription()
                    .invoke(subscription -> begun(subscription::cancel));
        }

        private void begun(Runnable cancel) {
            if (!cancellation.compareAndSet(null, cancel)) {
                cancel.run();
            }
        }

        void cancel() {
            Runnable begun = cancellation.getAndSet(CANCELLED);
            if (begun != null) {
                begun.run();
            }
        }

        /** Releases the locks. A loss is the failure of the result, unless it has another one. */
        private static Uni<Void> released(Held held, @Nullable Throwable failure) {
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
