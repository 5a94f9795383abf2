// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockOwner;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** An order whose steps run on several threads and want the same lock. */
final class OwnerExample {
    private static final Duration WAIT = Duration.ofSeconds(2);

    private final LockClient locks;

    /** The pieces in stock. */
    private final AtomicInteger pieces;

    OwnerExample(LockClient locks, int pieces) {
        this.locks = locks;
        this.pieces = new AtomicInteger(pieces);
    }

    // @start region="owner"
    CompletionStage<String> buy(String number) {
        LockOwner order = LockOwner.create("order " + number);
        FencedLock stock = locks.lock("stock:1001").ownedBy(order);
        return stock.callAsync(WAIT, lease -> reserve(stock).thenApply(left -> number + ", " + left + " left"));
    }

    CompletionStage<Integer> reserve(FencedLock stock) { // enters the hold of the order, or acquires the lock
        return stock.callAsync(WAIT, lease -> CompletableFuture.supplyAsync(pieces::decrementAndGet));
    }
    // @end
}
