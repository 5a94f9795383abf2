// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.FencedLock;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Waits and works without blocking a thread. */
final class AsyncPurchase {
    private AsyncPurchase() {}

    static <T> CompletionStage<T> buy(FencedLock lock, Function<Long, CompletionStage<T>> purchase) {
        // @start region="async"
        return lock.callAsync(Duration.ofSeconds(2), lease -> purchase.apply(lease.fencingToken()));
        // @end
    }
}
