package io.boltwork.examples.web;

import io.boltwork.spring.DistributedLock;
import org.springframework.stereotype.Component;

/** Sells to one buyer at a time. */
@Component
class AnnotatedStock {
    private final RedisStock stock;

    AnnotatedStock(RedisStock stock) {
        this.stock = stock;
    }

    @DistributedLock("stock:1001")
    public boolean decrease() throws InterruptedException {
        return stock.decrease();
    }
}
