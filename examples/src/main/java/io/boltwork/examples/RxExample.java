// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.LockClient;
import io.boltwork.rxjava.RxLocks;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.core.Single;
import java.time.Duration;
import java.util.function.LongFunction;

/** A purchase with RxJava 3, see docs/start/reactive.md. */
final class RxExample {

    private RxExample() {}

    static <T> Single<T> purchase(LockClient locks, Single<T> purchase) {
        // @start region="rx-lock"
        RxLocks reactive = RxLocks.of(locks);
        return reactive.lock("stock:1001").withLock(Duration.ofSeconds(2), purchase);
        // @end
    }

    static <T> Single<T> onScheduler(RxLocks reactive, LongFunction<T> storage, Scheduler scheduler) {
        return reactive.lock("stock:1001")
                .withLease(lease -> Single.fromCallable(() -> storage.apply(lease.fencingToken()))
                        .subscribeOn(scheduler));
    }
}
