// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import io.boltwork.annotation.DistributedLock;
import java.util.function.ToIntFunction;
import org.springframework.boot.autoconfigure.klock.annotation.Klock;
import org.springframework.boot.autoconfigure.klock.model.LockTimeoutStrategy;

/** An order under an annotation of klock. */
final class FromKlock {
    private FromKlock() {}

    static class OrderBefore {
        private final ToIntFunction<String> stock;

        OrderBefore(ToIntFunction<String> stock) {
            this.stock = stock;
        }

        @Klock(
                name = "order",
                keys = {"#item"},
                waitTime = 2,
                leaseTime = 10,
                lockTimeoutStrategy = LockTimeoutStrategy.FAIL_FAST)
        public boolean order(String item) {
            return stock.applyAsInt(item) > 0;
        }

        @Klock(
                name = "order",
                keys = {"#item"},
                waitTime = 0,
                leaseTime = 10)
        public boolean orderByDefault(String item) {
            return stock.applyAsInt(item) > 0;
        }
    }

    static class OrderAfter {
        private final ToIntFunction<String> stock;

        OrderAfter(ToIntFunction<String> stock) {
            this.stock = stock;
        }

        @DistributedLock(name = "order", keys = "#item", waitFor = "2s", lease = "10s")
        public boolean order(String item) {
            return stock.applyAsInt(item) > 0;
        }
    }
}
