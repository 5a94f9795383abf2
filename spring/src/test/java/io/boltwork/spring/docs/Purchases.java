// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LeaseOf;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import io.boltwork.spring.LockTemplate;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** The examples of docs/start/spring.md, README and the Javadoc. */
@Component
class Purchases {
    private final Stock stock;
    private final LockTemplate locks;

    Purchases(Stock stock, LockTemplate locks) {
        this.stock = stock;
        this.locks = locks;
    }

    // @start region="buy"
    @DistributedLock(name = "stock:#{#item}", waitFor = "2s")
    @Transactional
    public boolean buy(String item) {
        return stock.decrease(item) > 0;
    }
    // @end

    // @start region="fallback"
    @DistributedLock(name = "stock:#{#item}", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = "busy")
    public String order(String item) {
        return stock.decrease(item) > 0 ? "sold" : "sold out";
    }

    String busy(String item, LockRefusedException refused) {
        return "another customer is buying " + item;
    }
    // @end

    // @start region="later"
    @DistributedLock(
            value = "stock",
            keys = {"#country", "#item"})
    public CompletableFuture<Integer> buyLater(String country, String item) {
        return stock.decreaseLater(item);
    }
    // @end

    // @start region="token"
    @DistributedLock("stock:#{#item}")
    public boolean buyOnce(String item, Lease lease) {
        return stock.decrease(item, lease.fencingToken()) > 0;
    }
    // @end

    // @start region="outage"
    @DistributedLock(
            name = "stock:#{#item}",
            waitFor = "2s",
            onRefused = OnRefused.FALLBACK,
            onUnavailable = OnUnavailable.FALLBACK,
            fallback = "later")
    public String reserve(String item) {
        return stock.decrease(item) > 0 ? "reserved" : "sold out";
    }

    String later(String item, LockRefusedException refused) {
        return "try again in a moment";
    }

    String later(String item, BackendException outage) {
        return "we call you back";
    }
    // @end

    // @start region="leases"
    @DistributedLock("stock:#{#from}")
    @DistributedLock("stock:#{#to}")
    public void move(
            String from, String to, @LeaseOf("stock:#{#from}") Lease taken, @LeaseOf("stock:#{#to}") Lease given) {
        stock.decrease(from, taken.fencingToken());
        stock.increase(to, given.fencingToken());
    }
    // @end

    boolean buyWithTemplate(String item) {
        // @start region="template"
        return locks.withWait(Duration.ofSeconds(2)).execute("stock:" + item, lease -> {
            return stock.decrease(item, lease.fencingToken()) > 0;
        });
        // @end
    }

    CompletableFuture<Integer> buyAsync(String item) {
        // @start region="template-async"
        return locks.executeAsync("stock:" + item, lease -> stock.decreaseLater(item));
        // @end
    }

    String outcome(String item) {
        // @start region="outcomes"
        try {
            return buy(item) ? "sold" : "sold out";
        } catch (LockRefusedException refused) {
            return "busy"; // nothing was done
        } catch (LeaseLostException lost) {
            return "check it"; // done, but the lock was lost before the end
        }
        // @end
    }
}
