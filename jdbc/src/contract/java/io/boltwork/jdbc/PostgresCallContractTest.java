// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.testkit.CallContract;
import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.QuickParts;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls of locks in PostgreSQL keep the contract. */
@ExtendWith(QuickParts.class)
class PostgresCallContractTest extends CallContract {
    @Override
    protected LockSite site() {
        return PostgresSite.get();
    }
}
