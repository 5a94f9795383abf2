// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import org.junit.jupiter.api.extension.ExtendWith;

/** Calls of locks in a map with versions keep the contract. */
@ExtendWith(QuickParts.class)
class MapStoreCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
