// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.BackendException;
import io.boltwork.contract.FaultyStore;
import io.boltwork.spi.LockBackend;
import io.boltwork.store.RecordBackend;
import io.boltwork.testkit.wait.Await;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** H2 in the memory of this JVM. It cannot be frozen itself, so faults are put between it and its clients. */
final class H2Site extends JdbcSite {
    private final JdbcDataSource source = new JdbcDataSource();
    private final FaultyStore.StoreFaults faults = new FaultyStore.StoreFaults();

    private final List<JdbcStore> stores = new CopyOnWriteArrayList<>();

    H2Site() {
        source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        source.setUser("sa");
    }

    @Override
    public LockBackend newBackend() {
        JdbcStore store = new JdbcStore(source, OPTIONS);
        stores.add(store);
        return RecordBackend.on(new FaultyStore(store, faults));
    }

    @Override
    DataSource source() {
        return source;
    }

    @Override
    StoreDialect dialect() {
        return StoreDialect.H2;
    }

    @Override
    public void freeze() {
        faults.freeze();
    }

    @Override
    public void thaw() {
        faults.thaw();
    }

    @Override
    public void disconnectAll() {
        faults.disconnect();
    }

    @Override
    public void restartEmpty() {
        faults.freeze();
        execute("SHUTDOWN");
        faults.disconnect();
        stores.forEach(store -> Await.until("the store is connected again", () -> isUsable(store)));
        faults.thaw();
    }

    private boolean isUsable(JdbcStore store) {
        try {
            store.version();
            return true;
        } catch (BackendException e) {
            boolean isClosed = String.valueOf(e.getMessage()).contains("the backend is closed");
            if (isClosed) {
                stores.remove(store);
            }
            return isClosed;
        }
    }

    @Override
    public int listeners() {
        try {
            return super.listeners();
        } catch (IllegalStateException withoutTable) {
            return 0;
        }
    }
}
