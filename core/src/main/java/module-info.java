// SPDX-License-Identifier: Apache-2.0
/** Locks, the interface of their backends, the rules of the protocol, a backend in memory, and guards of resources. */
module io.boltwork.core {
    requires static transitive java.sql;
    requires static transitive org.jspecify;

    exports io.boltwork;
    exports io.boltwork.fence;
    exports io.boltwork.memory;
    exports io.boltwork.spi;
    exports io.boltwork.spi.rules;
}
