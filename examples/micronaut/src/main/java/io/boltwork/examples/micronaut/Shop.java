// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.micronaut;

import io.boltwork.annotation.DistributedLock;
import jakarta.inject.Singleton;

/** Sells each item to one buyer at a time, across all instances of the application. */
@Singleton
public class Shop {
    private final Stock stock;

    Shop(Stock stock) {
        this.stock = stock;
    }

    @DistributedLock(name = "stock:{item}", waitFor = "10s")
    public boolean buy(String item) {
        int left = stock.left(item);
        if (left == 0) {
            return false;
        }
        stock.set(item, left - 1);
        return true;
    }
}
