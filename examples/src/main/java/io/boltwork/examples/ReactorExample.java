// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.LockClient;
import io.boltwork.reactor.ReactorLocks;
import java.time.Duration;
import java.util.function.LongFunction;
import reactor.core.publisher.Mono;

/** Purchases with Reactor, see docs/reactive.md. */
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
        return Mono.usingWhen(
                reactive.lock("stock:1001").acquire(),
                lease -> storage.apply(lease.fencingToken()),
                lease -> Mono.fromCompletionStage(lease::releaseAsync));
        // @end
    }
}
