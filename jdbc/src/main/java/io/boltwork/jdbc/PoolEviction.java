// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Gives up a connection that must not be used again. JDBC has no call for that: to close the connection of a pool means
 * to return it, and a pool that does not check what it gets would lend it to the application. So the pool is told in
 * its own way, as far as there is one. No pool is needed to compile or to run this class.
 */
final class PoolEviction {
    private static final String TOMCAT = "org.apache.tomcat.jdbc.pool.PooledConnection";

    private PoolEviction() {}

    /**
     * Closes a connection and lets its pool forget it. The connection has been aborted, as far as its driver can do
     * that.
     *
     * @param source where the connection comes from
     * @param connection the connection as the source has given it
     */
    static void evict(DataSource source, Connection connection) {
        boolean isTold = isCalled(source, "evictConnection", connection) // HikariCP
                || isCalled(source, "invalidateConnection", connection) // DBCP
                || isDiscardedByTomcat(source, connection)
                || isFlushedByAgroal(connection);
        quietly(() -> connection.createStatement().close()); // a pool sees from the error that the connection is broken
        if (!isTold) {
            quietly(() -> {
                if (!connection.isClosed()) {
                    connection.unwrap(Connection.class).close();
                }
            });
        }
        quietly(connection::close);
    }

    /**
     * Breaks a connection, so that statements which wait fail. That of the driver is broken, because Agroal's own would
     * never be returned to its pool after an abort.
     */
    static void abort(Connection connection) {
        quietly(() -> {
            if (connection.isClosed()) {
                return; // by the driver, which does not unwrap it then
            }
            Connection own = connection;
            try {
                own = connection.unwrap(Connection.class);
            } catch (SQLException hidden) { // the pool's own must do
            }
            own.abort(Runnable::run);
        });
    }

    private static boolean isCalled(DataSource source, String method, Connection connection) {
        try {
            source.getClass().getMethod(method, Connection.class).invoke(source, connection);
            return true;
        } catch (ReflectiveOperationException | RuntimeException another) {
            return false;
        }
    }

    /** Agroal has the call for that, and hides it in its connection. */
    private static boolean isFlushedByAgroal(Connection connection) {
        try {
            Field field = connection.getClass().getDeclaredField("handler");
            field.setAccessible(true);
            Object handler = field.get(connection);
            handler.getClass().getMethod("setFlushOnly").invoke(handler);
            return true;
        } catch (ReflectiveOperationException | RuntimeException another) {
            return false;
        }
    }

    /** Tomcat's connections are proxies, whose handlers unwrap them. */
    private static boolean isDiscardedByTomcat(DataSource source, Connection connection) {
        for (ClassLoader loader : loaders(source, connection)) {
            try {
                Class<?> pooled = Class.forName(TOMCAT, false, loader);
                Object own = connection.unwrap(pooled);
                pooled.getMethod("setDiscarded", boolean.class).invoke(own, true);
                return true;
            } catch (ReflectiveOperationException | SQLException | RuntimeException | LinkageError another) {
                // not this class loader, or another pool
            }
        }
        return false;
    }

    private static Set<ClassLoader> loaders(DataSource source, Connection connection) {
        Set<ClassLoader> found = new LinkedHashSet<>();
        found.add(source.getClass().getClassLoader());
        found.add(connection.getClass().getClassLoader());
        if (Proxy.isProxyClass(connection.getClass())) {
            InvocationHandler handler = Proxy.getInvocationHandler(connection);
            found.add(handler.getClass().getClassLoader());
        }
        return found;
    }

    private interface Attempt {
        void run() throws SQLException;
    }

    private static void quietly(Attempt attempt) {
        try {
            attempt.run();
        } catch (SQLException | RuntimeException broken) { // a broken connection is gone in any case
        }
    }
}
