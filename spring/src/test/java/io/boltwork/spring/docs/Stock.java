package io.boltwork.spring.docs;

import java.util.concurrent.CompletableFuture;

/** What is sold. */
interface Stock {

    /** How many there were. */
    int decrease(String item);

    /** The same for a storage that refuses an older token than it has seen. */
    int decrease(String item, long fencingToken);

    void increase(String item, long fencingToken);

    CompletableFuture<Integer> decreaseLater(String item);
}
