// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import io.boltwork.jdbc.JdbcBackend;
import io.boltwork.jdbc.JdbcOptions;
import io.boltwork.redis.Bridge;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import io.boltwork.spi.LockBackend;
import io.boltwork.zookeeper.ZooKeeperBackend;
import io.boltwork.zookeeper.ZooKeeperOptions;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;

/**
 * The address of a store.
 *
 * @param kind the kind of the store
 * @param text the URI, which may contain a password
 */
record StoreUri(Kind kind, String text) {

    enum Kind {
        REDIS,
        JDBC,
        ZOOKEEPER,
        ETCD
    }

    static StoreUri parse(String text) {
        String uri = text.strip();
        String scheme = uri.contains(":") ? uri.substring(0, uri.indexOf(':')).toLowerCase(Locale.ROOT) : "";
        if (scheme.startsWith("redis")) {
            return new StoreUri(Kind.REDIS, uri);
        }
        return switch (scheme) {
            case "jdbc" -> new StoreUri(Kind.JDBC, uri);
            case "zookeeper" -> new StoreUri(Kind.ZOOKEEPER, uri);
            case "etcd", "etcds" -> new StoreUri(Kind.ETCD, uri);
            default ->
                throw new IllegalArgumentException(
                        "the URI of the store must begin with redis:, rediss:, redis-sentinel:, redis-cluster:,"
                                + " redis-replicated:, redis-quorum:, jdbc:, zookeeper:, etcd: or etcds:, but "
                                + (scheme.isEmpty() ? "has no scheme" : "its scheme is '" + scheme + "'"));
        };
    }

    LockBackend backend(StoreOptions options) {
        return switch (kind) {
            case REDIS -> redis(options);
            case JDBC -> jdbc(options, dataSource(options), JdbcOptions.defaults());
            case ZOOKEEPER -> ZooKeeperBackend.connect(zooKeeperServers(), zooKeeper(options));
            case ETCD -> EtcdAccess.of(options).backend();
        };
    }

    /** Creates a backend that makes nothing in the store. */
    LockBackend backendToLook(StoreOptions options) {
        return switch (kind) {
            case REDIS -> new LookingBackend(redis(options), () -> {});
            case JDBC ->
                new LookingBackend(
                        jdbc(
                                options,
                                dataSource(options).existing(),
                                JdbcOptions.defaults().withCreateTables(false)),
                        () -> {});
            case ZOOKEEPER -> {
                ZooKeeperOptions zooKeeper = zooKeeper(options);
                CuratorFramework session = ZooKeeperAccess.startAt(options, zooKeeper.root());
                yield new LookingBackend(ZooKeeperBackend.on(session, zooKeeper), session::close);
            }
            case ETCD -> {
                EtcdAccess etcd = EtcdAccess.of(options);
                etcd.requireStore();
                yield new LookingBackend(etcd.backend(), () -> {});
            }
        };
    }

    private LockBackend redis(StoreOptions options) {
        RedisOptions redis = RedisOptions.defaults().withConnectTimeout(options.connectTimeout());
        if (options.prefix != null) {
            redis = redis.keyPrefix(options.prefix);
        }
        if (options.bridge != null) {
            redis = redis.withBridge(Bridge.redisson().withNames(options.bridge));
        }
        if (options.authorities != null) {
            redis = redis.withTrustedCertificates(options.authorities);
        }
        options.checkCertificate();
        if (options.certificate != null && options.key != null) {
            redis = redis.withClientCertificate(options.certificate, options.key);
        }
        redis = withSentinel(redis, options);
        if (options.timeout != null) {
            throw new IllegalArgumentException("--timeout is for other stores; for Redis, write ?timeout="
                    + options.timeout.toMillis() + "ms at the end of the URI");
        }
        return RedisBackend.connect(withCredentials(text, options.user, options.password()), redis);
    }

    private RedisOptions withSentinel(RedisOptions redis, StoreOptions options) {
        String password = options.sentinelPassword();
        boolean isAsked = options.sentinelUser != null || options.sentinelPasswordFile != null;
        if (isAsked && !text.split(":", 2)[0].toLowerCase(Locale.ROOT).endsWith("-sentinel")) {
            throw new IllegalArgumentException(
                    "--sentinel-user and --sentinel-password-file are for redis-sentinel:// and rediss-sentinel://");
        }
        if (password == null && isAsked) {
            throw new IllegalArgumentException("--sentinel-user requires --sentinel-password-file or the variable "
                    + StoreOptions.SENTINEL_PASSWORD);
        }
        return password == null ? redis : redis.withSentinelCredentials(options.sentinelUser, password);
    }

    /** Puts a user and a password into a URI, in place of those that it has. */
    static String withCredentials(String uri, @Nullable String user, @Nullable String password) {
        if (user == null && password == null) {
            return uri;
        }
        int start = uri.indexOf("://") + 3;
        if (start < 3) {
            return uri; // refused by the backend
        }
        int end = uri.length();
        for (char delimiter : new char[] {'/', '?', '#'}) {
            int at = uri.indexOf(delimiter, start);
            end = at >= 0 && at < end ? at : end;
        }
        int at = uri.lastIndexOf('@', end - 1);
        String old = at >= start ? uri.substring(start, at) : "";
        int colon = old.indexOf(':');
        String newUser = user != null ? encoded(user) : colon > 0 ? old.substring(0, colon) : "";
        String newPassword = password != null ? encoded(password) : colon >= 0 ? old.substring(colon + 1) : old;
        return uri.substring(0, start) + newUser + ":" + newPassword + "@" + uri.substring(Math.max(start, at + 1));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private DriverDataSource dataSource(StoreOptions options) {
        return new DriverDataSource(text, options.user, options.password(), options.drivers);
    }

    private static LockBackend jdbc(StoreOptions options, DriverDataSource source, JdbcOptions defaults) {
        JdbcOptions jdbc = defaults.withConnectTimeout(options.connectTimeout());
        if (options.prefix != null) {
            jdbc = jdbc.withTablePrefix(options.prefix);
        }
        if (options.timeout != null) {
            jdbc = jdbc.withCommandTimeout(options.timeout);
        }
        return JdbcBackend.on(source, jdbc);
    }

    private static ZooKeeperOptions zooKeeper(StoreOptions options) {
        ZooKeeperOptions zooKeeper = ZooKeeperOptions.defaults().withConnectTimeout(options.connectTimeout());
        if (options.prefix != null) {
            zooKeeper = zooKeeper.withRoot(options.prefix);
        }
        if (options.timeout != null) {
            zooKeeper = zooKeeper.withCommandTimeout(options.timeout);
        }
        String password = options.password();
        if (options.user != null || password != null) {
            zooKeeper = zooKeeper.withDigest(
                    Objects.requireNonNullElse(options.user, ""), Objects.requireNonNullElse(password, ""));
        }
        return zooKeeper;
    }

    String zooKeeperServers() {
        String servers = text.substring(text.indexOf(':') + 1);
        return servers.startsWith("//") ? servers.substring(2) : servers;
    }

    @Override
    public String toString() {
        return kind.toString(); // the text may contain a password
    }
}
