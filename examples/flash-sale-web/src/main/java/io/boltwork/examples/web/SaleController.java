package io.boltwork.examples.web;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockException;
import io.boltwork.spring.LockRefusedException;
import java.util.concurrent.TimeUnit;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Purchases with each kind of lock, and without a lock. */
@RestController
class SaleController {
    private static final String SOLD = "sold";
    private static final String LATE = "sold out";
    private static final String BUSY = "busy";

    private final RedisStock stock;
    private final AnnotatedStock annotated;
    private final FencedLock lock;

    SaleController(RedisStock stock, AnnotatedStock annotated, LockClient locks) {
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
            return BUSY;
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
    String open(@RequestParam(defaultValue = "" + RedisStock.ITEMS) int items) {
        stock.open(items);
        return Integer.toString(stock.left());
    }

    @GetMapping("/worked")
    long workedMicros() {
        return stock.worked().toNanos() / 1_000;
    }

    /** Handles refusals of the annotation; the other two kinds return them themselves. */
    @ExceptionHandler
    String refused(LockRefusedException refused) {
        return BUSY;
    }

    /** Handles outages, lost leases and refused writes. Only after a refused write is it certain that the item was not sold. */
    @ExceptionHandler({LockException.class, DataAccessException.class})
    @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
    String unknown(RuntimeException failure) {
        return "try again later: " + failure.getMessage();
    }
}
