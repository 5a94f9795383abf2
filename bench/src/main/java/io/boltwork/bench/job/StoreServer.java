// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import com.zaxxer.hikari.HikariDataSource;
import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.contender.StorePool;
import io.boltwork.bench.measure.MeasurementFailedException;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.server.MariaDbServer;
import io.boltwork.testkit.server.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.zookeeper.server.ZooKeeperServerMain;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;

/**
 * A database, ZooKeeper or etcd for one measurement, with the settings that decide how durable a commit is as users
 * have them. The databases have the tables of all peers. Not thread-safe.
 */
public final class StoreServer implements AutoCloseable {
    /** The settings that decide how durable a commit is. The testkit turns them off, and the last one counts. */
    private static final String[] POSTGRES_DURABLE = {
        "fsync=on", "synchronous_commit=on", "full_page_writes=on", "max_connections=100"
    };

    private static final String[] MARIADB_DURABLE = {"innodb-flush-log-at-trx-commit=1"};

    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration GLANCE = Duration.ofMillis(10);
    private static final int CONNECT_MILLIS = 1_000;
    private static final List<String> JVM_OPTIONS = List.of("-Xms512m", "-Xmx512m", "-Dslf4j.internal.verbosity=ERROR");

    private final String uri;
    private final long pid;
    private final Runnable ending;

    private StoreServer(String uri, long pid, Runnable ending) {
        this.uri = uri;
        this.pid = pid;
        this.ending = ending;
    }

    /** Returns the reason why a store cannot be started here, or {@code null} if it can. */
    public static @Nullable String missing(BenchDeployment store) {
        return switch (store) {
            case POSTGRESQL ->
                PostgresServer.isInstalled()
                        ? null
                        : "PostgreSQL is not installed: there is no postgres or no initdb on the PATH or in"
                                + " /usr/lib/postgresql";
            case MARIADB ->
                MariaDbServer.isInstalled()
                        ? null
                        : "MariaDB is not installed: there is no mariadbd or no mariadb-install-db on the PATH or in"
                                + " /usr/sbin";
            case ETCD -> EtcdCluster.isInstalled() ? null : "etcd is not installed: there is no etcd on the PATH";
            default -> null; // a library
        };
    }

    /** Returns the versions of the servers that are installed on this machine. */
    static Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>();
        if (PostgresServer.isInstalled()) {
            versions.put("PostgreSQL", PostgresServer.version());
        }
        if (MariaDbServer.isInstalled()) {
            versions.put("MariaDB", MariaDbServer.version());
        }
        if (EtcdCluster.isInstalled()) {
            versions.put("etcd", EtcdCluster.version());
        }
        return versions;
    }

    /** Starts a server, which takes some seconds. */
    static StoreServer start(BenchDeployment store) {
        StoreServer server = launch(store);
        if (store.isDatabase()) {
            try (HikariDataSource pool = StorePool.open(server.uri)) {
                PeerTables.create(store, pool);
            } catch (Throwable e) {
                server.close();
                throw e;
            }
        }
        return server;
    }

    private static StoreServer launch(BenchDeployment store) {
        switch (store) {
            case POSTGRESQL -> {
                PostgresServer server = PostgresServer.start(POSTGRES_DURABLE);
                return new StoreServer(server.uri(), server.pid(), server::close);
            }
            case MARIADB -> {
                MariaDbServer server = MariaDbServer.start(MARIADB_DURABLE);
                return new StoreServer(server.uri(), server.pid(), server::close);
            }
            case H2 -> {
                int port = freePort();
                List<String> arguments =
                        List.of("-tcp", "-tcpPort", Integer.toString(port), "-ifNotExists", "-baseDir", "data");
                return jvm(Server.class, arguments, port, "jdbc:h2:tcp://127.0.0.1:" + port + "/./bench;USER=sa");
            }
            case ZOOKEEPER -> {
                int port = freePort();
                List<String> arguments = List.of(Integer.toString(port), "data");
                return jvm(ZooKeeperServerMain.class, arguments, port, "127.0.0.1:" + port);
            }
            case ETCD -> {
                EtcdCluster cluster = EtcdCluster.start(1);
                return new StoreServer(cluster.endpoints(), cluster.pid(0), cluster::close);
            }
            default -> throw new IllegalArgumentException(store + " is on Redis");
        }
    }

    /** Starts a server in a JVM, with its data in that JVM's directory. */
    private static StoreServer jvm(Class<?> main, List<String> arguments, int port, String uri) {
        ChildJvm jvm = ChildJvm.start(main, JVM_OPTIONS, arguments);
        try {
            awaitPort(jvm, port, main.getSimpleName());
        } catch (Throwable e) {
            jvm.close();
            throw e;
        }
        return new StoreServer(uri, jvm.pid(), jvm::close);
    }

    private static void awaitPort(ChildJvm jvm, int port, String what) {
        long end = System.nanoTime() + START.toNanos();
        while (!accepts(port)) {
            if (!jvm.isAlive() || System.nanoTime() - end >= 0) {
                throw new MeasurementFailedException(what + " has not started: " + jvm.lines());
            }
            LockSupport.parkNanos(GLANCE.toNanos());
        }
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false; // not yet
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the address: for JDBC, {@code host:port} of ZooKeeper, or {@code http://host:port} of etcd. */
    String uri() {
        return uri;
    }

    /** Returns the id of its process. A PostgreSQL has child processes. */
    long pid() {
        return pid;
    }

    @Override
    public void close() {
        ending.run();
    }
}
