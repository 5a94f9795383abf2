// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.quarkus;

import io.boltwork.annotation.DistributedLock;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/** Sells each item to one buyer at a time, across all instances of the application. */
@ApplicationScoped
public class Shop {
    @Inject
    Stock stock;

    // @start region="buy"
    @DistributedLock(name = "stock:{item}", waitFor = "10s")
    public boolean buy(String item) {
        int left = stock.left(item);
        if (left == 0) {
            return false;
        }
        stock.set(item, left - 1);
        return true;
    }
    // @end
}
