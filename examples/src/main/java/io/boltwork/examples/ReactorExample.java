// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.reactor.ReactorLocks;
import java.time.Duration;
import java.util.function.LongFunction;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.util.function.Tuple2;

/** Purchases with Reactor, see docs/start/reactive.md. */
final class ReactorExample {

    private ReactorExample() {}

    static <T> Mono<T> purchase(LockClient locks, Mono<T> purchase) {
        // @start region="reactor-lock"
        ReactorLocks reactive = ReactorLocks.of(locks);
        return reactive.lock("stock:1001").withLock(Duration.ofSeconds(2), purchase);
        // @end
    }

    static <T> Mono<T> write(ReactorLocks reactive, LongFunction<Mono<T>> storage) {
        // @start region="reactor-lease"
        return reactive.lock("stock:1001").withLease(lease -> storage.apply(lease.fencingToken()));
        // @end
    }

    static <T> Mono<T> inTime(ReactorLocks reactive, LongFunction<Mono<T>> storage) {
        return reactive.lock("stock:1001")
                .withLease(Duration.ofSeconds(2), lease -> storage.apply(lease.fencingToken()));
    }

    static <T> Mono<T> onScheduler(ReactorLocks reactive, LongFunction<T> storage, Scheduler scheduler) {
        // @start region="reactor-scheduler"
        return reactive.lock("stock:1001")
                .withLease(lease -> Mono.fromCallable(() -> storage.apply(lease.fencingToken()))
                        .subscribeOn(scheduler));
        // @end
    }

    static <T> Mono<T> twoLocks(LockClient locks, Mono<T> transfer) {
        // @start region="reactor-two"
        return ReactorLocks.of(locks)
                .multiLock(locks.lock("account:1"), locks.lock("account:2"))
                .withLock(Duration.ofSeconds(2), transfer);
        // @end
    }

    static Mono<Tuple2<Lease, String>> zipped(ReactorLocks reactive, Mono<String> price) {
        return Mono.zip(reactive.lock("stock:1001").acquire(), price).doOnDiscard(Lease.class, Lease::releaseAsync);
    }
}
