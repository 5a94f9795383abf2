// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.load;

import io.boltwork.tools.connect.EtcdAccess;
import io.boltwork.tools.connect.RedisAccess;
import io.boltwork.tools.connect.StoreOptions;
import io.boltwork.tools.connect.ZooKeeperAccess;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;

/** The place of a bench in a store: a prefix that nothing else has, which is deleted at the end. */
final class BenchKeys {
    private static final int BATCH = 500;

    private final StoreOptions store;
    private final String prefix;

    private BenchKeys(StoreOptions store, String prefix) {
        this.store = store;
        this.prefix = prefix;
    }

    /** Chooses a prefix, and lets the options use it. */
    static BenchKeys in(StoreOptions store) {
        String id = UUID.randomUUID().toString().substring(0, 8);
        String prefix;
        if (store.isRedis()) {
            prefix = store.prefix("boltwork") + ":bench-" + id;
        } else if (store.isDatabase()) {
            prefix = store.prefix("boltwork_") + "bench_" + id + "_";
        } else {
            prefix = store.prefix("/boltwork") + "-bench-" + id;
        }
        store.usePrefix(prefix);
        return new BenchKeys(store, prefix);
    }

    /** Describes what the bench creates in the store. */
    String describe() {
        if (store.isRedis()) {
            return "keys '" + prefix + ":...'";
        }
        if (store.isEtcd()) {
            return "keys '" + prefix + "/...'";
        }
        return store.isDatabase() ? "four tables '" + prefix + "...'" : "nodes below '" + prefix + "'";
    }

    /**
     * Deletes all of it.
     *
     * @param servers the masters of a Redis
     * @return why something may have been left; empty if all of it is gone
     */
    String delete(List<String> servers) {
        try {
            if (store.isRedis()) {
                inRedis(servers);
            } else if (store.isDatabase()) {
                inDatabase();
            } else if (store.isEtcd()) {
                EtcdAccess.of(store).deleteStore();
            } else {
                inZooKeeper();
            }
            return "";
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return "interrupted";
        } catch (Exception failed) { // Curator's interface
            return String.valueOf(failed.getMessage());
        }
    }

    private void inRedis(List<String> servers) {
        RedisException problem = null;
        try (RedisAccess access = RedisAccess.of(store)) {
            for (String server : servers) {
                try (StatefulRedisConnection<String, String> connection = access.connect(server)) {
                    deleteFrom(connection);
                } catch (RedisException failed) {
                    problem = failed;
                }
            }
        }
        if (problem != null) {
            throw problem;
        }
    }

    private void deleteFrom(StatefulRedisConnection<String, String> connection) {
        ScanArgs mine = ScanArgs.Builder.matches(prefix + ":*").limit(BATCH);
        ScanCursor at = ScanCursor.INITIAL;
        while (!at.isFinished()) {
            KeyScanCursor<String> found = connection.sync().scan(at, mine);
            for (String key : found.getKeys()) { // one by one, because those of a cluster are in many slots
                connection.sync().del(key);
            }
            at = found;
        }
    }

    private void inDatabase() throws SQLException {
        try (Connection connection = store.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            for (String table : new String[] {"lock", "client", "inbox", "store"}) {
                statement.execute("DROP TABLE IF EXISTS " + prefix + table);
            }
        }
    }

    private void inZooKeeper() throws Exception {
        try (CuratorFramework zooKeeper = ZooKeeperAccess.start(store)) {
            zooKeeper.delete().deletingChildrenIfNeeded().forPath(prefix.startsWith("/") ? prefix : "/" + prefix);
        }
    }
}
