// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockType;
import org.springframework.stereotype.Component;

/** Sells to one buyer at a time. */
@Component
class AnnotatedStock {
    private final RedisStock stock;

    AnnotatedStock(RedisStock stock) {
        this.stock = stock;
    }

    // @start region="annotation"
    @DistributedLock("stock:#{#item}")
    public boolean decrease(String item, Buyer buyer) throws InterruptedException {
        return stock.decrease(item, buyer);
    }
    // @end

    // @start region="annotation-fifo"
    @DistributedLock(name = "stock:#{#item}", type = LockType.FAIR)
    public boolean decreaseInOrder(String item, Buyer buyer) throws InterruptedException {
        return stock.decrease(item, buyer);
    }
    // @end
}
