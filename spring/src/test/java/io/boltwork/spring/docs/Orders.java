// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.LockTemplate;
import org.springframework.beans.factory.annotation.Qualifier;

/** Locks of a further client, as docs/start/spring.md shows them. */
// @start region="orders"
class Orders {
    private final LockTemplate locks;

    Orders(@Qualifier("orders") LockTemplate locks) {
        this.locks = locks;
    }

    @DistributedLock(client = "orders", name = "order:#{#id}")
    public String ship(long id) {
        return "shipped " + id;
    }

    public String pack(long id) {
        return locks.execute("order:" + id, () -> "packed " + id);
    }
}
// @end
