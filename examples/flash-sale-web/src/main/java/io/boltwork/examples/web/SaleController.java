// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockException;
import io.boltwork.LockOptions;
import io.boltwork.LockOptions.Fairness;
import io.boltwork.annotation.LockRefusedException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
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
    private static final String ITEM = "1001";

    private final RedisStock stock;
    private final AnnotatedStock annotated;
    private final LockClient locks;
    private final Duration lease;
    private final Duration work;

    SaleController(
            RedisStock stock,
            AnnotatedStock annotated,
            LockClient locks,
            @Value("${boltwork.lock.renewed-lease}") Duration lease,
            @Value("${sale.work}") Duration work) {
        this.stock = stock;
        this.annotated = annotated;
        this.locks = locks;
        this.lease = lease;
        this.work = work;
    }

    /** Reads the buyer of a request: {@code ?item=1001&number=17&work=50}, with the work in milliseconds. */
    @ModelAttribute
    Buyer buyer(
            @RequestParam(defaultValue = ITEM) String item,
            @RequestParam(defaultValue = "0") int number,
            @RequestParam(name = "work", defaultValue = "-1") long workMillis) {
        return new Buyer(item, number, workMillis < 0 ? work : Duration.ofMillis(workMillis));
    }

    /** Returns the lock of an item, in strict order if the request has {@code fifo=true}. */
    @ModelAttribute
    FencedLock lock(
            @RequestParam(defaultValue = ITEM) String item, @RequestParam(defaultValue = "false") boolean fifo) {
        return locks.lock(
                "stock:" + item, LockOptions.renewedLease(lease).withFairness(fifo ? Fairness.FIFO : Fairness.BATCHED));
    }

    // @start region="lock"
    @RequestMapping("/lock-decrease-stock")
    String byLock(Buyer buyer, FencedLock lock) throws InterruptedException {
        lock.lock();
        try {
            return stock.decrease(buyer.item(), buyer) ? SOLD : LATE;
        } finally {
            lock.unlock();
        }
    }
    // @end

    // @start region="trylock"
    @RequestMapping("/trylock-decrease-stock")
    String byTryLock(Buyer buyer, FencedLock lock, @RequestParam(defaultValue = "60") long wait)
            throws InterruptedException {
        if (!lock.tryLock(wait, TimeUnit.SECONDS)) {
            return BUSY;
        }
        try {
            return stock.decrease(buyer.item(), buyer) ? SOLD : LATE;
        } finally {
            lock.unlock();
        }
    }
    // @end

    @RequestMapping({"/annotation-lock-decrease-stock", "/annotatin-lock-decrease-stock"})
    String byAnnotation(Buyer buyer, @RequestParam(defaultValue = "false") boolean fifo) throws InterruptedException {
        boolean sold = fifo ? annotated.decreaseInOrder(buyer.item(), buyer) : annotated.decrease(buyer.item(), buyer);
        return sold ? SOLD : LATE;
    }

    // @start region="none"
    @RequestMapping("/decrease-stock")
    String withoutLock(Buyer buyer) throws InterruptedException {
        return stock.decrease(buyer.item(), buyer) ? SOLD : LATE;
    }
    // @end

    @PostMapping("/stock")
    String open(Buyer buyer, @RequestParam(defaultValue = "" + RedisStock.ITEMS) int items) {
        stock.open(buyer.item(), items);
        return Integer.toString(stock.left(buyer.item()));
    }

    @GetMapping("/worked")
    long workedMicros() {
        return stock.worked().toNanos() / 1_000;
    }

    /** Answers a refusal of the annotation. The other two kinds return their refusals themselves. */
    @ExceptionHandler
    String refused(LockRefusedException refused) {
        return BUSY;
    }

    /**
     * Answers after an outage, a lost lease or a refused write. Only after a refused write is it certain that the item
     * was not sold.
     */
    @ExceptionHandler({LockException.class, DataAccessException.class})
    @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
    String unknown(RuntimeException failure) {
        return "try again later: " + failure.getMessage();
    }
}
