// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.spi.ServerTime;
import io.boltwork.store.StoreListener;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;

/** A store that has been opened for a test, and what it reports. */
final class OpenStore implements AutoCloseable {
    final String client = UUID.randomUUID().toString();
    final List<String> messages = new CopyOnWriteArrayList<>();
    final List<String> events = new CopyOnWriteArrayList<>();
    final JdbcStore store;

    OpenStore(DataSource source) {
        this(source, JdbcSite.OPTIONS);
    }

    OpenStore(DataSource source, JdbcOptions options) {
        store = new JdbcStore(source, options);
        store.open(client, new StoreListener() {
            @Override
            public void message(String text) {
                messages.add(text);
            }

            @Override
            public void connected(ServerTime server) {
                events.add("connected " + server.run());
            }

            @Override
            public void disconnected(Throwable cause) {
                events.add("disconnected");
            }

            @Override
            public void warned(String what) {
                events.add("warned");
            }
        });
    }

    @Override
    public void close() {
        store.close();
    }
}
