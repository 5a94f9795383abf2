package io.boltwork.examples;

/** How buyers keep out of each other's way. */
enum SaleMode {
    /** Not at all. */
    NONE("without a lock"),
    /** They wait as long as it takes. */
    LOCK("lock()"),
    /** They wait for a limited time and leave without having been served. */
    TRYLOCK("tryLock(time)");

    private final String title;

    SaleMode(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
