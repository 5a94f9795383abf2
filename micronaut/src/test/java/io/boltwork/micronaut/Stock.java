// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut;

import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import jakarta.annotation.PostConstruct;
import jakarta.inject.Singleton;

/** A bean whose class is annotated. */
@Singleton
@DistributedLock(mode = LockMode.TRY)
class Stock {
    private final LockClient locks;

    Stock(LockClient locks) {
        this.locks = locks;
    }

    @PostConstruct
    public void begin() {
        // Micronaut calls it without advice
    }

    @DistributedLock("stock:{0}")
    int holdCount(String item) {
        return locks.lock("stock:" + item).holdCount();
    }

    public String ofClass() {
        return Shop.lockName();
    }
}
