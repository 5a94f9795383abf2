// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.first;

// @start region="service"
import io.boltwork.annotation.DistributedLock;
import org.springframework.stereotype.Service;

@Service
class Purchases {
    @DistributedLock(name = "stock:#{#item}", waitFor = "2s")
    public String buy(String item) throws InterruptedException {
        Thread.sleep(10_000); // so that you can look at the lock
        return "bought " + item;
    }
}
// @end
