package io.boltwork.examples.web;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import java.util.concurrent.TimeUnit;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Purchases: with each way to lock, and without one. */
@RestController
class SaleController {
    private static final String SOLD = "sold";
    private static final String LATE = "sold out";

    private final Stock stock;
    private final AnnotatedStock annotated;
    private final FencedLock lock;

    SaleController(Stock stock, AnnotatedStock annotated, LockClient locks) {
        this.stock = stock;
        this.annotated = annotated;
        this.lock = locks.lock("stock:1001");
    }

    @RequestMapping("/lock-decrease-stock")
    String byLock() throws InterruptedException {
        lock.lock();
        try {
            return stock.decrease() ? SOLD : LATE;
        } finally {
            lock.unlock();
        }
    }

    @RequestMapping("/trylock-decrease-stock")
    String byTryLock(@RequestParam(defaultValue = "60") long wait) throws InterruptedException {
        if (!lock.tryLock(wait, TimeUnit.SECONDS)) {
            stock.turnedAway();
            return "busy";
        }
        try {
            return stock.decrease() ? SOLD : LATE;
        } finally {
            lock.unlock();
        }
    }

    @RequestMapping({"/annotation-lock-decrease-stock", "/annotatin-lock-decrease-stock"})
    String byAnnotation() throws InterruptedException {
        return annotated.decrease() ? SOLD : LATE;
    }

    @RequestMapping("/decrease-stock")
    String withoutLock() throws InterruptedException {
        return stock.decrease() ? SOLD : LATE;
    }

    @PostMapping("/stock")
    String open(@RequestParam(defaultValue = "" + Stock.ITEMS) int items) {
        stock.open(items);
        return Integer.toString(stock.left());
    }
}
