// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.contract.LockSite;
import io.boltwork.contract.lock.CallContract;
import io.boltwork.contract.lock.QuickParts;
import io.boltwork.spi.LockBackend;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls of locks keep the contract if PostgreSQL's driver sends values as literals, without types. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
@ExtendWith(QuickParts.class)
class PostgresSimpleCallContractTest extends CallContract {
    @Override
    protected LockSite site() {
        return new PostgresSite(PostgresSite.get().server) {
            @Override
            public LockBackend newBackend() {
                return JdbcBackend.on(source("&preferQueryMode=simple"), OPTIONS);
            }
        };
    }
}
