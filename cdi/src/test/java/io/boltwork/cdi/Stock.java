// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi;

import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/** A bean whose class is annotated. */
@ApplicationScoped
@DistributedLock(mode = LockMode.TRY)
class Stock {
    @Inject
    LockClient locks;

    @DistributedLock("stock:{0}")
    int holdCount(String item) {
        return locks.lock("stock:" + item).holdCount();
    }

    public String ofClass() {
        return Shop.lockName();
    }
}
