// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import org.springframework.stereotype.Component;

// @start region="merged"
@Component
@DistributedLock(name = "account", keys = "#id", waitFor = "2s", renewedLease = "60s")
class Ledger {

    public String book(long id) {
        return "under " + CurrentLease.get().lockName(); // account:7
    }

    @DistributedLock(waitFor = "100ms")
    public String look(long id) {
        return "under " + CurrentLease.get().lockName(); // account:7
    }

    @DistributedLock("journal")
    public String close(long id) {
        return "under " + CurrentLease.get().lockName(); // journal, and waits 2 s
    }
}
// @end
