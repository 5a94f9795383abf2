// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.annotation.DistributedLock;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A controller whose method is locked. */
@RestController
class Checkout {
    private final Stock stock;

    Checkout(Stock stock) {
        this.stock = stock;
    }

    @DistributedLock("stock:#{#item}")
    @PostMapping("/buy/{item}")
    public boolean buy(@PathVariable String item) {
        return stock.decrease(item) > 0;
    }
}
