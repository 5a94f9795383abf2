// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.etcd.EtcdBackend;
import io.boltwork.jdbc.JdbcBackend;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.server.PostgresServer;
import io.boltwork.zookeeper.ZooKeeperBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import org.apache.curator.test.TestingServer;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.tools.Server;
import org.postgresql.ds.PGSimpleDataSource;

/** A database, a ZooKeeper or an etcd for the locks, in place of Redis. */
interface SaleStore extends AutoCloseable {

    /** The stores. */
    enum Kind {
        /** The PostgreSQL that is installed. */
        POSTGRESQL,
        /** H2 in memory, in the JVM of the demo. */
        H2,
        /** A ZooKeeper in the JVM of the demo. */
        ZOOKEEPER,
        /** The etcd that is installed. */
        ETCD
    }

    /** The word before the address of a database. */
    String DATABASE = "jdbc";

    /** The word before the address of a ZooKeeper. */
    String ENSEMBLE = "zookeeper";

    /** The word before the address of an etcd. */
    String ETCD = "etcd";

    /** Returns what a shop connects to, as {@link #connect} reads it. */
    String address();

    /** Returns a description for the report. */
    String describe();

    @Override
    void close();

    /** Starts a store. */
    static SaleStore start(Kind kind) {
        return switch (kind) {
            case POSTGRESQL -> Postgres.start();
            case H2 -> Database.start();
            case ZOOKEEPER -> Ensemble.start();
            case ETCD -> Cluster.start();
        };
    }

    /** Returns a backend on the store at an address. */
    static LockBackend connect(String kind, String address) {
        if (kind.equals(ENSEMBLE)) {
            return ZooKeeperBackend.connect(address);
        } else if (kind.equals(ETCD)) {
            return EtcdBackend.connect(address);
        } else if (address.startsWith("jdbc:postgresql:")) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setUrl(address);
            return JdbcBackend.on(source);
        }
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(address);
        return JdbcBackend.on(source);
    }

    /** A PostgreSQL with a directory of its own. */
    record Postgres(PostgresServer server) implements SaleStore {
        static Postgres start() {
            if (!PostgresServer.isInstalled()) {
                throw new SaleFailedException(
                        "There is no PostgreSQL on the PATH or in /usr/lib/postgresql. Install it,"
                                + " for example with: apt-get install postgresql");
            }
            return new Postgres(PostgresServer.start());
        }

        @Override
        public String address() {
            return DATABASE + " " + server.uri();
        }

        @Override
        public String describe() {
            return "a PostgreSQL, started for the demo";
        }

        @Override
        public void close() {
            server.close();
        }
    }

    /** An H2 that the shops reach through TCP. */
    record Database(Server server) implements SaleStore {
        static Database start() {
            try {
                return new Database(
                        Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start());
            } catch (SQLException e) {
                throw new SaleFailedException("H2 does not start: " + e.getMessage());
            }
        }

        @Override
        public String address() {
            return DATABASE + " jdbc:h2:tcp://localhost:" + server.getPort() + "/mem:locks;DB_CLOSE_DELAY=-1";
        }

        @Override
        public String describe() {
            return "H2, in the demo's JVM";
        }

        @Override
        public void close() {
            server.stop();
        }
    }

    /** A ZooKeeper of one server. */
    record Ensemble(TestingServer server) implements SaleStore {
        static Ensemble start() {
            try {
                return new Ensemble(new TestingServer());
            } catch (Exception e) { // as declared
                throw new SaleFailedException("ZooKeeper does not start: " + e.getMessage());
            }
        }

        @Override
        public String address() {
            return ENSEMBLE + " " + server.getConnectString();
        }

        @Override
        public String describe() {
            return "a ZooKeeper, in the demo's JVM";
        }

        @Override
        public void close() {
            try {
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** An etcd of one member, with a directory of its own. */
    record Cluster(EtcdCluster members) implements SaleStore {
        static Cluster start() {
            if (!EtcdCluster.isInstalled()) {
                throw new SaleFailedException(
                        "There is no etcd on the PATH. Install it, for example with: apt-get install etcd-server");
            }
            return new Cluster(EtcdCluster.start(1));
        }

        @Override
        public String address() {
            return ETCD + " " + members.endpoints();
        }

        @Override
        public String describe() {
            return "an etcd, started for the demo";
        }

        @Override
        public void close() {
            members.close();
        }
    }
}
