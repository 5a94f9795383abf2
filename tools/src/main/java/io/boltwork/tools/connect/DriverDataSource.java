// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import io.boltwork.spi.Printable;
import java.io.PrintWriter;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens connections with a driver of the class path or of a jar that the user names. It keeps no pool. Thread-safe. */
final class DriverDataSource implements DataSource {
    private final String uri;
    private final Properties properties = new Properties();
    private final Driver driver;

    DriverDataSource(String uri, @Nullable String user, @Nullable String password, List<Path> jars) {
        this.uri = uri;
        if (user != null) {
            properties.setProperty("user", user);
        }
        if (password != null) {
            properties.setProperty("password", password);
        }
        this.driver = find(uri, jars);
    }

    /** Lets connections fail if the database does not exist. H2 would create it. */
    DriverDataSource existing() {
        if (uri.startsWith("jdbc:h2:")) {
            properties.setProperty("IFEXISTS", "TRUE");
        }
        return this;
    }

    /** Returns the URL, by which the backend names the database in its errors, without what is secret. */
    public String getUrl() {
        return uri;
    }

    private static Driver find(String uri, List<Path> jars) {
        URL[] urls = jars.stream().map(DriverDataSource::url).toArray(URL[]::new);
        // never closed: the driver loads classes as long as it is used
        ClassLoader loader = new URLClassLoader(urls, DriverDataSource.class.getClassLoader());
        for (Driver driver : ServiceLoader.load(Driver.class, loader)) {
            try {
                if (driver.acceptsURL(uri)) {
                    return driver;
                }
            } catch (SQLException notItsUri) {
                // the next driver may know it
            }
        }
        String kind = uri.replaceFirst("^(jdbc:[A-Za-z0-9]*).*", "$1");
        throw new IllegalArgumentException("no driver for '" + Printable.text(kind)
                + "': --driver-path must name the jar of the database's JDBC driver");
    }

    private static URL url(Path jar) {
        if (!Files.isReadable(jar)) {
            throw new IllegalArgumentException("--driver-path must be a jar that can be read, but is '" + jar + "'");
        }
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException impossible) {
            throw new IllegalArgumentException("--driver-path must be a file, but is '" + jar + "'", impossible);
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        return connect(properties);
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        Properties given = new Properties();
        given.setProperty("user", user);
        given.setProperty("password", password);
        return connect(given);
    }

    private Connection connect(Properties with) throws SQLException {
        Connection connection = driver.connect(uri, with);
        if (connection == null) {
            throw new SQLException("The driver " + driver.getClass().getName() + " does not accept the URI");
        }
        return connection;
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        // nothing is logged
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException("the URI sets the timeout");
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return driver.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("Not a " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
