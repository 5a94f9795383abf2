/** Locks, the interface of their backends, the rules of the protocol, and a backend in memory. */
module io.boltwork.core {
    requires static transitive org.jspecify;

    exports io.boltwork;
    exports io.boltwork.memory;
    exports io.boltwork.quorum;
    exports io.boltwork.spi;
    exports io.boltwork.spi.rules;
}
