// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.fence.StaleTokenException;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

/** An entity that refuses a holder whose lock was lost. */
@Entity
public class StockItem {
    // @start region="entity"
    @Id
    private long id;

    @Version
    private long version; // refuses the slower one of two transactions

    private long token; // refuses the older one of two holders

    private int items;

    public void sell(int count, long fencingToken) {
        if (fencingToken < token) {
            throw new StaleTokenException("stock:" + id, fencingToken, token);
        }
        token = fencingToken;
        items -= count;
    }
    // @end

    protected StockItem() {}

    StockItem(long id, int items) {
        this.id = id;
        this.items = items;
    }

    int items() {
        return items;
    }

    long version() {
        return version;
    }
}
