// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import com.baomidou.lock.annotation.Lock4j;
import io.boltwork.annotation.DistributedLock;
import java.util.function.ToIntFunction;

/** A purchase under an annotation of lock4j. */
final class FromLock4j {
    private FromLock4j() {}

    static class PurchaseBefore {
        private final ToIntFunction<String> stock;

        PurchaseBefore(ToIntFunction<String> stock) {
            this.stock = stock;
        }

        @Lock4j(name = "stock", keys = "#item", acquireTimeout = 2000)
        public boolean buy(String item) {
            return stock.applyAsInt(item) > 0;
        }

        @Lock4j(name = "stock", keys = "#item", acquireTimeout = 0)
        public boolean buyAtOnce(String item) {
            return stock.applyAsInt(item) > 0;
        }
    }

    static class PurchaseAfter {
        private final ToIntFunction<String> stock;

        PurchaseAfter(ToIntFunction<String> stock) {
            this.stock = stock;
        }

        @DistributedLock(name = "stock", keys = "#item", waitFor = "2s")
        public boolean buy(String item) {
            return stock.applyAsInt(item) > 0;
        }
    }
}
