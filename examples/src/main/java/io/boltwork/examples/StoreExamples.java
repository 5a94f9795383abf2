// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.LockClient;
import io.boltwork.etcd.EtcdBackend;
import io.boltwork.jdbc.JdbcBackend;
import io.boltwork.jdbc.JdbcOptions;
import io.boltwork.zookeeper.ZooKeeperBackend;
import javax.sql.DataSource;

/** The examples of docs/start/stores.md. */
final class StoreExamples {
    private StoreExamples() {}

    static LockClient database(DataSource dataSource) {
        // @start region="postgresql"
        LockClient locks = LockClient.create(JdbcBackend.on(dataSource));
        // @end
        return locks;
    }

    static LockClient ownTables(DataSource dataSource) {
        // @start region="options"
        JdbcOptions options = JdbcOptions.defaults()
                .withTablePrefix("shop.lock_") // with or without a schema
                .withCreateTables(false); // an administrator has run the script from the jar
        LockClient locks = LockClient.create(JdbcBackend.on(dataSource, options));
        // @end
        return locks;
    }

    static LockClient zooKeeper() {
        // @start region="zookeeper"
        String servers = "host1:2181,host2:2181,host3:2181";
        LockClient locks = LockClient.create(ZooKeeperBackend.connect(servers));
        // @end
        return locks;
    }

    static LockClient etcd() {
        // @start region="etcd"
        String members = "http://host1:2379,http://host2:2379,http://host3:2379";
        LockClient locks = LockClient.create(EtcdBackend.connect(members));
        // @end
        return locks;
    }
}
