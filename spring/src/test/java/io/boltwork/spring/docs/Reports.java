// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** A job that runs once per period. */
@Component
class Reports {
    private volatile int made;

    // @start region="job"
    @Scheduled(cron = "0 0 * * * *")
    @DistributedLock(name = "report", mode = LockMode.SKIP, minHold = "10m", maxHold = "50m")
    public void report() {
        make();
    }
    // @end

    private void make() {
        made++;
    }

    public int made() {
        return made;
    }
}
