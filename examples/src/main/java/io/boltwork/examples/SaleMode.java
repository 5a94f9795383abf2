// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

/** The lock that buyers use. */
enum SaleMode {
    /** Buyers do not exclude each other. */
    NONE("without a lock"),
    /** Buyers wait as long as it takes. */
    LOCK("lock()"),
    /** Buyers wait for a limited time, and leave if they have not been served. */
    TRYLOCK("tryLock(time)");

    private final String title;

    SaleMode(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
