// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contracts;

import io.boltwork.testkit.CallContract;
import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.QuickParts;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls of locks in a map with versions keep the contract. */
@ExtendWith(QuickParts.class)
class MapStoreCallContractTest extends CallContract {

    @Override
    protected LockSite site() {
        return new MapStoreSite();
    }
}
