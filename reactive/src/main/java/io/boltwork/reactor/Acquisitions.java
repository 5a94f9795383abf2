package io.boltwork.reactor;

import io.boltwork.Lease;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Makes publishers from asynchronous calls. */
final class Acquisitions {

    private Acquisitions() {}

    /** Returns a publisher that makes a call for each subscription, and withdraws it if the subscription is cancelled. */
    static <T> Mono<T> of(Supplier<? extends CompletionStage<? extends @Nullable T>> call) {
        return of(call, value -> {});
    }

    /** Returns a publisher of leases. A lease that comes too late for the subscriber is released. */
    static Mono<Lease> lease(Supplier<? extends CompletionStage<? extends @Nullable Lease>> call) {
        return of(call, lease -> {
            if (lease != null) {
                lease.releaseAsync();
            }
        });
    }

    private static <T> Mono<T> of(
            Supplier<? extends CompletionStage<? extends @Nullable T>> call, Consumer<@Nullable T> unwanted) {
        return Mono.create(sink -> {
            CompletableFuture<? extends @Nullable T> future = call.get().toCompletableFuture();
            sink.onCancel(() -> {
                if (!future.cancel(true)) {
                    future.thenAccept(unwanted); // it came at the last moment, and the sink drops it
                }
            });
            future.whenComplete((value, failure) -> {
                if (failure == null) {
                    sink.success(value);
                } else if (!future.isCancelled()) {
                    sink.error(
                            failure instanceof CompletionException && failure.getCause() != null
                                    ? failure.getCause()
                                    : failure);
                }
            });
        });
    }

    /** Returns a publisher of leases that is empty if the call was refused. */
    static Mono<Lease> optional(Supplier<? extends CompletionStage<Optional<Lease>>> call) {
        return lease(() -> withdrawable(call.get().toCompletableFuture()));
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

    static Mono<Void> release(Lease lease) {
        return of(lease::releaseAsync);
    }

    // ================================================================ bodies

    /** Subscribes to a body under a lease, and releases the lease before the end of the body is passed on. */
    static <T> Mono<T> one(Mono<Lease> lease, Mono<T> body) {
        return many(lease, body).singleOrEmpty();
    }

    /** Subscribes to a body under a lease, as {@link #one} does. */
    static <T> Flux<T> many(Mono<Lease> lease, Publisher<T> body) {
        return lease.flatMapMany(held -> Flux.usingWhen(
                Mono.just(held),
                // the release is a part of what is guarded, because usingWhen wraps the failures of its own callbacks
                same -> Flux.concat(body, Acquisitions.<T>releaseAfter(same)),
                same -> Mono.empty(),
                Acquisitions::failed,
                Acquisitions::cancelled));
    }

    private static <T> Mono<T> releaseAfter(Lease lease) {
        return release(lease).then(Mono.empty());
    }

    private static Mono<Void> failed(Lease lease, Throwable failure) {
        return release(lease).onErrorResume(loss -> {
            failure.addSuppressed(loss);
            return Mono.empty();
        });
    }

    private static Mono<Void> cancelled(Lease lease) {
        return release(lease).onErrorComplete();
    }
}
