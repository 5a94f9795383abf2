package io.boltwork.examples;

import io.boltwork.FencedLock;
import java.util.concurrent.CompletionStage;
import java.util.function.LongFunction;

/** Waiting without a thread: the lease belongs to its handle, and any thread may release it. */
final class AsyncPurchase {
    private AsyncPurchase() {}

    static <T> CompletionStage<T> buy(FencedLock lock, LongFunction<CompletionStage<T>> purchase) {
        // @start region="async"
        return lock.acquireAsync().thenCompose(lease -> {
            CompletionStage<T> sold = purchase.apply(lease.fencingToken());
            return sold.whenComplete((receipt, failure) -> lease.releaseAsync());
        });
        // @end
    }
}
