// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.Lease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.fence.JdbcFence;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Sells under a lock and in a transaction, which a guard refuses if the lock was lost. */
@Component
class GuardedSales {
    private final JdbcTemplate jdbc;
    private final JdbcFence fence = JdbcFence.defaults();

    GuardedSales(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    // @start region="guarded"
    @DistributedLock("stock:1001")
    @Transactional
    public int sell(Lease lease) {
        jdbc.execute((ConnectionCallback<Boolean>) connection -> {
            fence.check(connection, "stock:1001", lease.fencingToken());
            return true;
        });
        return jdbc.update("UPDATE stock SET items = items - 1 WHERE id = 1001 AND items > 0");
    }
    // @end

    /** Does the same with a lease from elsewhere. */
    @Transactional
    public int sellLate(Lease lease) {
        return sell(lease);
    }

    JdbcFence fence() {
        return fence;
    }
}
