// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import java.util.concurrent.CompletableFuture;

/** The stock of the shop. */
interface Stock {

    /** Removes one item and returns the number of items before. */
    int decrease(String item);

    /** Does the same in a storage that refuses a token older than the largest it has seen. */
    int decrease(String item, long fencingToken);

    void increase(String item, long fencingToken);

    CompletableFuture<Integer> decreaseLater(String item);
}
