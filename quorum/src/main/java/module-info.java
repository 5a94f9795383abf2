// SPDX-License-Identifier: Apache-2.0
/** Locks on a majority of several independent servers. */
module io.boltwork.quorum {
    requires transitive io.boltwork.core;
    requires static transitive org.jspecify;

    exports io.boltwork.quorum;
}
