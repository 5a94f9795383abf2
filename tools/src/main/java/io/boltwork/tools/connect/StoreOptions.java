// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import io.boltwork.ClientOptions;
import io.boltwork.LockClient;
import io.boltwork.spi.Durations;
import io.boltwork.spi.LockBackend;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of all commands that use a store: where it is, and with what credentials. */
public final class StoreOptions {
    /** The variable with the URI of the store. */
    public static final String URI = "BOLTWORK_URI";

    /** The variable with the password. */
    public static final String PASSWORD = "BOLTWORK_PASSWORD";

    /** The variable with the password for sentinels. */
    static final String SENTINEL_PASSWORD = "BOLTWORK_SENTINEL_PASSWORD";

    /** The variable with the longest time for connecting. */
    public static final String CONNECT_TIMEOUT = "BOLTWORK_CONNECT_TIMEOUT";

    private static final Duration SHORTEST_CONNECT = Duration.ofMillis(100);
    private static final Duration LONGEST_CONNECT = Duration.ofMinutes(10);
    private static final Duration DEFAULT_CONNECT = Duration.ofSeconds(10);
    private static final String DEFAULT_URI = "redis://localhost:6379";

    private final Map<String, String> environment;

    @Option(
            names = {"-u", "--uri"},
            paramLabel = "URI",
            description = {
                "The store: redis://host:6379, rediss:// (TLS), redis-sentinel://h1,h2/0#mymaster,"
                        + " redis-cluster://h1,h2, redis-replicated://h1,h2, redis-quorum://h1,h2,h3,"
                        + " jdbc:postgresql://host/db, zookeeper://h1,h2/chroot, etcd://h1,h2, or etcds:// (TLS).",
                "Default: the variable BOLTWORK_URI, else redis://localhost:6379."
            })
    @Nullable
    String uri;

    @Option(
            names = "--user",
            paramLabel = "NAME",
            description = "The user name for the store. Default: the one in the URI, or none.")
    @Nullable
    String user;

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description =
                    "A file whose first line is the password. Default: the variable BOLTWORK_PASSWORD, or the URI.")
    @Nullable
    Path passwordFile;

    @Option(
            names = "--sentinel-user",
            paramLabel = "NAME",
            description = "The user name for the sentinels themselves (Redis). Default: none.")
    @Nullable
    String sentinelUser;

    @Option(
            names = "--sentinel-password-file",
            paramLabel = "FILE",
            description = "A file whose first line is the password for the sentinels themselves (Redis)."
                    + " Default: the variable BOLTWORK_SENTINEL_PASSWORD, or none.")
    @Nullable
    Path sentinelPasswordFile;

    @Option(
            names = "--prefix",
            paramLabel = "TEXT",
            description = "The prefix of keys (Redis, etcd), of tables (databases), or the root node (ZooKeeper)."
                    + " Default: that of the store, such as 'boltwork'.")
    @Nullable
    String prefix;

    @Option(
            names = "--bridge",
            paramLabel = "NAMES",
            split = ",",
            description =
                    "The names of the locks that are shared with Redisson, such as 'orders:*' (Redis). '*' shares all."
                            + " Default: none.")
    String @Nullable [] bridge;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "How long to wait for an answer from a database, ZooKeeper or etcd, such as 500ms or 2s."
                    + " For Redis, write ?timeout=2s after the URI. Default: 2s.")
    @Nullable
    Duration timeout;

    @Option(
            names = "--connect-timeout",
            paramLabel = "TIME",
            description = "How long connecting may take, 100ms to 10m."
                    + " Default: the variable BOLTWORK_CONNECT_TIMEOUT, else 10s.")
    @Nullable
    Duration connectTimeout;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description = "PEM certificates of the authorities to trust (Redis, etcd).")
    @Nullable
    Path authorities;

    @Option(names = "--tls-cert", paramLabel = "FILE", description = "The client's PEM certificate (Redis, etcd).")
    @Nullable
    Path certificate;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            description = "The client's PEM key, unencrypted PKCS #8 (Redis, etcd).")
    @Nullable
    Path key;

    @Option(
            names = "--driver-path",
            paramLabel = "JAR",
            description = "A jar with the driver of the database. PostgreSQL's and H2's are included. May be repeated.")
    List<Path> drivers = new ArrayList<>();

    /** Creates options that also take the environment of this process into account. */
    public StoreOptions() {
        this(System.getenv());
    }

    StoreOptions(Map<String, String> environment) {
        this.environment = environment;
    }

    /**
     * Connects to the store. Blocks until it is connected, for the connect timeout at most.
     *
     * @param application the name of this client for others
     * @throws IllegalArgumentException if an option is wrong
     * @throws io.boltwork.BackendException if the store cannot be used
     */
    public LockClient connect(String application) {
        return LockClient.create(backend(), ClientOptions.defaults().withApplication(application));
    }

    /**
     * Connects to the store in order to look at it, or to take a lock away. It must exist: nothing is made in it, and
     * this client leaves no record there. Blocks until it is connected, for the timeout at most.
     *
     * @param application the name of this client for the log
     * @throws IllegalArgumentException if an option is wrong
     * @throws io.boltwork.BackendException if the store cannot be used, or nothing of Boltwork is there
     */
    public LockClient connectToLook(String application) {
        LockBackend backend = StoreUri.parse(uri()).backendToLook(this);
        return LockClient.create(backend, ClientOptions.defaults().withApplication(application));
    }

    /** Creates a backend of the store, for one client. */
    public LockBackend backend() {
        return StoreUri.parse(uri()).backend(this);
    }

    /** Returns the URI of the store, with the credentials that it contains. */
    public String uri() {
        if (uri != null) {
            return uri;
        }
        String fromEnvironment = environment.getOrDefault(URI, "");
        return fromEnvironment.isBlank() ? DEFAULT_URI : fromEnvironment;
    }

    /** Returns whether the store is a Redis. */
    public boolean isRedis() {
        return StoreUri.parse(uri()).kind() == StoreUri.Kind.REDIS;
    }

    /** Returns whether the store is a database. */
    public boolean isDatabase() {
        return StoreUri.parse(uri()).kind() == StoreUri.Kind.JDBC;
    }

    /** Returns whether the store is an etcd. */
    public boolean isEtcd() {
        return StoreUri.parse(uri()).kind() == StoreUri.Kind.ETCD;
    }

    /** Returns a source of connections to the store, which is a database that exists. */
    public DataSource dataSource() {
        return new DriverDataSource(uri().strip(), user, password(), drivers).existing();
    }

    /** Returns the servers of the store, which is a ZooKeeper, with the chroot if there is one. */
    public String zooKeeperServers() {
        return StoreUri.parse(uri()).zooKeeperServers();
    }

    /** Refuses a certificate without its key, and a key without its certificate. */
    void checkCertificate() {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("--tls-cert and --tls-key must be given together");
        }
    }

    /** Returns how long connecting may take. */
    Duration connectTimeout() {
        if (connectTimeout != null) {
            return checked("--connect-timeout", connectTimeout);
        }
        String variable = environment.getOrDefault(CONNECT_TIMEOUT, "");
        if (variable.isBlank()) {
            return DEFAULT_CONNECT;
        }
        try {
            return checked("the variable " + CONNECT_TIMEOUT, new DurationConverter().convert(variable));
        } catch (TypeConversionException malformed) {
            throw new IllegalArgumentException(
                    "the variable " + CONNECT_TIMEOUT + " is wrong: " + malformed.getMessage(), malformed);
        }
    }

    private static Duration checked(String name, Duration timeout) {
        return Durations.between(name, timeout, SHORTEST_CONNECT, LONGEST_CONNECT);
    }

    /** Returns the prefix that the user has given, or else the default of the kind of store. */
    public String prefix(String standard) {
        return prefix == null ? standard : prefix;
    }

    /** Changes the prefix, for a command that keeps its locks apart. */
    public void usePrefix(String own) {
        prefix = own;
    }

    /** Returns the name of the variable for an option, such as {@code BOLTWORK_CONNECT_TIMEOUT}. */
    public static String variable(String option) {
        return "BOLTWORK_" + option.replaceFirst("^--", "").replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** Returns the names of all variables that say where the store is, and with what credentials. */
    public static Set<String> variables() {
        Set<String> names = new TreeSet<>(Set.of(PASSWORD, SENTINEL_PASSWORD));
        for (Field field : StoreOptions.class.getDeclaredFields()) {
            Option option = field.getAnnotation(Option.class);
            if (option != null) {
                names.add(variable(option.names()[option.names().length - 1]));
            }
        }
        return names;
    }

    /** Returns the password that was given outside the URI. */
    @Nullable
    String password() {
        return password("--password-file", passwordFile, PASSWORD);
    }

    /** Returns the password for the sentinels. */
    @Nullable
    String sentinelPassword() {
        return password("--sentinel-password-file", sentinelPasswordFile, SENTINEL_PASSWORD);
    }

    private @Nullable String password(String option, @Nullable Path file, String variable) {
        if (file == null) {
            String value = environment.getOrDefault(variable, "");
            return value.isEmpty() ? null : value;
        }
        try (var lines = Files.lines(file, StandardCharsets.UTF_8)) {
            return lines.findFirst()
                    .filter(line -> !line.isEmpty())
                    .orElseThrow(() -> new IllegalArgumentException(
                            option + " must have the password in its first line, but '" + file + "' has none"));
        } catch (IOException | java.io.UncheckedIOException unreadable) {
            throw new IllegalArgumentException(
                    option + " must be a file of UTF-8 text that can be read, but is '" + file + "'", unreadable);
        }
    }
}
