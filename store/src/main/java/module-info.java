// SPDX-License-Identifier: Apache-2.0
/** Locks on any store that can write a record if its version is unchanged. */
module io.boltwork.store {
    requires transitive io.boltwork.core;
    requires static transitive org.jspecify;

    exports io.boltwork.store;
}
