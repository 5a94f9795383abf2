// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.testkit.CallContract;
import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.QuickParts;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls of locks in H2 keep the contract. */
@ExtendWith(QuickParts.class)
class H2CallContractTest extends CallContract {
    private static final LockSite SITE = new H2Site();

    @Override
    protected LockSite site() {
        return SITE;
    }
}
