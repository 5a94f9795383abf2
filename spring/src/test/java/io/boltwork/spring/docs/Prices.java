// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** A read-write lock and a semaphore. */
@Component
class Prices {
    private final Map<String, Integer> prices = new ConcurrentHashMap<>();

    // @start region="read-write"
    @DistributedLock(name = "prices", type = LockType.READ)
    public Map<String, Integer> all() {
        return Map.copyOf(prices);
    }

    @DistributedLock(name = "prices", type = LockType.WRITE)
    public void change(Map<String, Integer> changed) {
        prices.putAll(changed);
    }
    // @end

    // @start region="permits"
    @DistributedLock(name = "imports", permits = 3, waitFor = "10s")
    public void importPrices(Map<String, Integer> imported) {
        prices.putAll(imported);
    }
    // @end
}
