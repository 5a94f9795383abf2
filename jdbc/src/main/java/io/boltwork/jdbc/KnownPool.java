// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.BackendException;
import io.boltwork.spi.Printable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The pool of an application, as its public getters describe it, also if other data sources wrap it. No pool is needed
 * to compile or to run this class.
 */
final class KnownPool {
    /** With fewer left, work that needs a second connection waits for ever. */
    private static final int FEW_LEFT = 2;
    /** A wrapper in a wrapper, and so on. */
    private static final int DEEPEST = 5;

    /** Of HikariCP; of c3p0 and UCP; of DBCP; of Tomcat and Druid; of Vibur; of the pools of H2 and of PostgreSQL. */
    private static final List<String> MAXIMA = List.of(
            "getMaximumPoolSize",
            "getMaxPoolSize",
            "getMaxTotal",
            "getMaxActive",
            "getPoolMaxSize",
            "getMaxConnections");

    private static final List<String> URLS = List.of("getJdbcUrl", "getUrl", "getURL");

    /** The getters by which data sources of Spring, and some that log statements, return the one that they wrap. */
    private static final List<String> WRAPPED = List.of("getTargetDataSource", "getDataSource", "getWrapped");

    /** Types to {@code unwrap} where there is no getter. */
    private static final List<String> POOLS = List.of(
            "com.zaxxer.hikari.HikariDataSource",
            "org.apache.tomcat.jdbc.pool.DataSource",
            "org.apache.commons.dbcp2.BasicDataSource",
            "io.agroal.api.AgroalDataSource",
            "com.mchange.v2.c3p0.PooledDataSource");

    private static final String SETTING =
            "maximumPoolSize of HikariCP (spring.datasource.hikari.maximum-pool-size in Spring"
                    + " Boot), maxActive of Tomcat JDBC, maxTotal of DBCP, maxSize of Agroal";

    /** Agroal has no getter for it. */
    private static final Pattern AGROAL_CLOSED = Pattern.compile("pool is closed");

    private final List<Object> layers = new ArrayList<>();

    /** The pool, or the outermost data source if none that is known is found. */
    private final Object pool;

    /** The most connections that the pool lends; 0 if that is not known. */
    private final int maximum;

    private volatile boolean isUsed;

    KnownPool(DataSource source) {
        for (Object layer = source; layer != null && layers.size() < DEEPEST; layer = wrapped(layer)) {
            layers.add(layer);
        }
        pool = layers.stream().filter(layer -> maximum(layer) > 0).findFirst().orElse(source);
        maximum = maximum(pool);
    }

    // ================================================================ the size

    /**
     * Fails if the pool has fewer connections than the backend keeps.
     *
     * @param kept how many the backend keeps
     * @return a warning if the pool has hardly more; {@code null} otherwise, or if its size is not known
     */
    @Nullable
    String check(int kept) {
        if (maximum == 0 || maximum >= kept + FEW_LEFT) {
            return null;
        }
        String size =
                "the pool " + name() + " lends at most " + maximum + (maximum == 1 ? " connection" : " connections");
        if (maximum < kept) {
            throw new BackendException(
                    size + ", and a client of Boltwork keeps " + kept + " of them. " + remedy(kept), false, null);
        }
        int left = maximum - kept;
        return size + ", and this client keeps " + kept + " of them, so "
                + (left == 0
                        ? "none is left for the application"
                        : "one is left for the application, where work that needs" + " two waits for ever")
                + ". " + remedy(kept) + ". A pool for Boltwork alone is not needed: a DataSource of the driver does";
    }

    /** Returns what to say if the pool has not given all connections. */
    String late(int kept, int open, long millis, String why) {
        return "This client keeps " + kept + " connections, and the data source " + name() + " has given only " + open
                + " of them within " + millis + " ms" + (why.isEmpty() ? "" : " (" + why + ")")
                + ". Commands are slower until it gives the others, and the application may"
                + " wait for connections, too. " + remedy(kept);
    }

    private static String remedy(int kept) {
        return "Set the maximum of the pool to what the application needs, and " + kept + " more for each client: "
                + SETTING;
    }

    private static int maximum(Object layer) {
        return Stream.concat(
                        MAXIMA.stream().map(getter -> call(layer, getter)),
                        Stream.of(
                                call(call(call(layer, "getConfiguration"), "connectionPoolConfiguration"), "maxSize")))
                .filter(found -> found instanceof Integer number && number > 0)
                .map(Integer.class::cast)
                .findFirst()
                .orElse(0);
    }

    private static @Nullable Object agroal(Object layer) {
        return call(call(layer, "getConfiguration"), "connectionPoolConfiguration");
    }

    /** Returns the URL of the database, perhaps with credentials; {@code null} if it is not known. */
    @Nullable
    String url() {
        return layers.stream()
                .flatMap(layer -> Stream.concat(
                        URLS.stream().map(getter -> call(layer, getter)),
                        Stream.of(call(call(agroal(layer), "connectionFactoryConfiguration"), "jdbcUrl"))))
                .filter(found -> found instanceof String url && url.startsWith("jdbc:"))
                .map(String.class::cast)
                .findFirst()
                .orElse(null);
    }

    /** Returns the name of the pool, or its class: its text might contain a password. */
    private String name() {
        return Stream.of("getName", "getPoolName") // the latter makes the inside of Tomcat's
                .map(getter -> call(pool, getter))
                .filter(found -> found instanceof String text && !text.isBlank())
                .map(found -> Printable.text(String.valueOf(found)))
                .findFirst()
                .orElse(pool.getClass().getName());
    }

    // ================================================================ the end

    /** Marks the pool as used. Some pools create their internals with the first connection. */
    void used() {
        isUsed = true;
    }

    /**
     * Returns whether the application has closed the pool.
     *
     * @param failure why it has given no connection, or why one has broken; {@code null} if neither has happened
     */
    boolean isClosed(@Nullable Throwable failure) {
        String type = pool.getClass().getName();
        return Boolean.TRUE.equals(call(pool, "isClosed")) // HikariCP, DBCP
                || isUsed && isClosedOfTomcat()
                || type.startsWith("io.agroal.")
                        && AGROAL_CLOSED.matcher(String.valueOf(failure)).find();
    }

    /** Tomcat's pool has no inside after its end. Each of its getters would make another one. */
    private boolean isClosedOfTomcat() {
        for (Class<?> type = pool.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals("org.apache.tomcat.jdbc.pool.DataSourceProxy")) {
                try {
                    Field inside = type.getDeclaredField("pool");
                    inside.setAccessible(true);
                    return inside.get(pool) == null;
                } catch (ReflectiveOperationException | RuntimeException another) {
                    return false;
                }
            }
        }
        return false;
    }

    /** Returns the failure of a call that needs a pool, after the application has closed the pool. */
    BackendException closed(String address, @Nullable Throwable failure) {
        return new BackendException(
                address + ": the pool " + name()
                        + " was closed by the application before the LockClient that uses it. Close"
                        + " the LockClient first, and make a new pool for a new one",
                false,
                failure);
    }

    // ================================================================ reflection

    private static @Nullable Object wrapped(Object layer) {
        return WRAPPED.stream()
                .map(getter -> call(layer, getter))
                .filter(inner -> inner instanceof DataSource && inner != layer)
                .findFirst()
                .orElseGet(() -> unwrapped((DataSource) layer));
    }

    private static @Nullable Object unwrapped(DataSource layer) {
        for (String pool : POOLS) {
            for (ClassLoader loader : Arrays.asList(
                    layer.getClass().getClassLoader(), Thread.currentThread().getContextClassLoader())) {
                try {
                    Class<?> type = Class.forName(pool, false, loader);
                    if (!type.isInstance(layer) && layer.isWrapperFor(type)) {
                        return layer.unwrap(type);
                    }
                } catch (ClassNotFoundException | SQLException | RuntimeException | LinkageError another) {
                    // not this pool
                }
            }
        }
        return null;
    }

    /** Calls a public method without parameters. Returns {@code null} if there is none, or if it cannot be called. */
    private static @Nullable Object call(@Nullable Object target, String method) {
        if (target == null) {
            return null;
        }
        try {
            Method found = target.getClass().getMethod(method);
            found.trySetAccessible(); // the class of Agroal is not public
            return found.invoke(target);
        } catch (ReflectiveOperationException | RuntimeException another) {
            return null;
        }
    }
}
