// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.quorum.QuorumOptions;
import io.boltwork.redis.Bridge;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import io.boltwork.spi.LockBackend;
import io.lettuce.core.SslOptions;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;

/**
 * The location of Redis and the way to connect to it, from any source. Immutable.
 *
 * @param said the property that specifies it
 * @param kind the kind of deployment
 * @param uris its addresses in Boltwork's form; several for a master with replicas, a cluster or a quorum
 * @param sentinelUser the sentinels' user, if they have users
 * @param sentinelPassword the sentinels' password, if they require one
 * @param sslBundle the TLS configuration; {@code null} for the JVM's default
 * @param quorum the options of a quorum; others do not use them
 */
record RedisTarget(
        String said,
        Kind kind,
        List<String> uris,
        @Nullable String sentinelUser,
        @Nullable String sentinelPassword,
        @Nullable SslBundle sslBundle,
        QuorumOptions quorum) {

    /** The kind of Redis deployment. */
    enum Kind {
        /** One address: a server, or sentinels. */
        ONE,
        /** A master and its replicas. */
        REPLICATED,
        /** Redis Cluster. */
        CLUSTER,
        /** Independent masters. */
        QUORUM
    }

    /** Connects; blocks for at most about 5 s. This is the only place that selects the kind of connection. */
    LockBackend connect(BoltworkProperties.Redis redis, UnaryOperator<RedisOptions> customizers) {
        RedisOptions options = customizers.apply(withTarget(options(redis)));
        try {
            return connect(options);
        } catch (IllegalArgumentException e) {
            throw malformed(said, String.valueOf(e.getMessage()));
        }
    }

    /** Returns the options that the properties set for any target. */
    private static RedisOptions options(BoltworkProperties.Redis redis) {
        RedisOptions options =
                RedisOptions.defaults().withIdleLife(redis.idleLife()).withLazyConnect(redis.lazyConnect());
        options = BoltworkProperties.apply("boltwork.redis.key-prefix", redis.keyPrefix(), options::keyPrefix);
        if (!redis.bridge().isEmpty()) {
            RedisOptions withoutBridge = options;
            options = BoltworkProperties.apply(
                    "boltwork.redis.bridge",
                    redis.bridge().toArray(String[]::new),
                    names -> withoutBridge.withBridge(Bridge.redisson().withNames(names)));
        }
        Path trusted = redis.trustedCertificates();
        if (trusted != null) {
            options = BoltworkProperties.apply(
                    "boltwork.redis.trusted-certificates", trusted, options::trustedCertificates);
        }
        Path certificate = redis.clientCertificate();
        Path key = redis.clientKey();
        if (certificate != null && key != null) {
            RedisOptions before = options;
            BoltworkProperties.check(
                    "boltwork.redis.client-certificate", certificate, file -> before.clientCertificate(file, file));
            options = BoltworkProperties.apply(
                    "boltwork.redis.client-key", key, file -> before.clientCertificate(certificate, file));
        }
        return options;
    }

    private RedisOptions withTarget(RedisOptions defaults) {
        RedisOptions options = defaults;
        if (sslBundle != null) {
            options = options.sslOptions(lettuce(sslBundle));
        }
        if (sentinelPassword != null && !sentinelPassword.isEmpty()) {
            options = options.sentinelCredentials(sentinelUser, sentinelPassword);
        }
        return options;
    }

    /**
     * Returns an exception for a malformed address. It does not quote the address, because a password with a special
     * character may appear anywhere in it.
     */
    static InvalidConfigurationPropertyValueException malformed(String property, String reason) {
        return BoltworkProperties.invalid(property, "(not shown: it may contain a password)", reason);
    }

    private LockBackend connect(RedisOptions options) {
        return switch (kind) {
            case ONE -> RedisBackend.connect(uris.get(0), options);
            case REPLICATED -> RedisBackend.connectReplicated(uris, options);
            case CLUSTER -> RedisBackend.connectCluster(uris, options);
            case QUORUM -> RedisBackend.connectQuorum(uris, options, quorum);
        };
    }

    /** Converts an SSL bundle as Spring Boot does for the application's own connections. */
    private static SslOptions lettuce(SslBundle bundle) {
        SslOptions.Builder ssl = SslOptions.builder()
                .keyManager(bundle.getManagers().getKeyManagerFactory())
                .trustManager(bundle.getManagers().getTrustManagerFactory());
        if (bundle.getOptions().getCiphers() != null) {
            ssl.cipherSuites(bundle.getOptions().getCiphers());
        }
        if (bundle.getOptions().getEnabledProtocols() != null) {
            ssl.protocols(bundle.getOptions().getEnabledProtocols());
        }
        return ssl.build();
    }

    /** Collects the parts of a target. */
    static final class Builder {
        private final String said;
        private final List<String> nodes = new ArrayList<>();
        private Kind kind = Kind.ONE;
        private @Nullable String user;
        private @Nullable String password;
        private int database;
        private @Nullable String master;
        private @Nullable Duration timeout;
        private boolean tls;
        private @Nullable SslBundle sslBundle;
        private @Nullable String sentinelUser;
        private @Nullable String sentinelPassword;
        private QuorumOptions quorum = QuorumOptions.defaults();

        Builder(String said) {
            this.said = said;
        }

        Builder kind(Kind kind) {
            this.kind = kind;
            return this;
        }

        /** Adds a node. A port is required only if it differs from 6379 (26379 for sentinels). */
        Builder node(String hostAndPort) {
            nodes.add(hostAndPort);
            return this;
        }

        Builder node(String host, int port) {
            boolean bareV6 = host.indexOf(':') >= 0 && !host.startsWith("[");
            return node((bareV6 ? "[" + host + "]" : host) + ":" + port);
        }

        Builder credentials(@Nullable String user, @Nullable String password) {
            this.user = user;
            this.password = password;
            return this;
        }

        Builder database(int database) {
            this.database = database;
            return this;
        }

        Builder sentinel(String master, @Nullable String user, @Nullable String password) {
            this.master = master;
            this.sentinelUser = user;
            this.sentinelPassword = password;
            return this;
        }

        Builder quorum(QuorumOptions quorum) {
            this.quorum = quorum;
            return this;
        }

        Builder timeout(@Nullable Duration timeout) {
            this.timeout = timeout;
            return this;
        }

        Builder tls(boolean tls, @Nullable SslBundle bundle) {
            this.tls = tls || bundle != null;
            this.sslBundle = bundle;
            return this;
        }

        RedisTarget build() {
            String scheme = tls ? "rediss" : "redis";
            List<String> uris = kind == Kind.ONE
                    ? List.of(uri(master == null ? scheme : scheme + "-sentinel", String.join(",", nodes)))
                    : nodes.stream().map(node -> uri(scheme, node)).collect(Collectors.toList());
            return new RedisTarget(said, kind, uris, sentinelUser, sentinelPassword, sslBundle, quorum);
        }

        private String uri(String scheme, String hosts) {
            StringBuilder uri = new StringBuilder(scheme).append("://");
            if (password != null && !password.isEmpty()) {
                uri.append(user == null || user.isEmpty() ? "" : encoded(user) + ":")
                        .append(encoded(password))
                        .append('@');
            }
            uri.append(hosts).append('/').append(database);
            if (timeout != null) {
                uri.append("?timeout=").append(Math.max(1, timeout.toMillis())).append("ms");
            }
            return uri + (master == null ? "" : "#" + encoded(master));
        }

        private static String encoded(String text) {
            return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
        }
    }

    /** Omits credentials. */
    @Override
    public String toString() {
        return kind + " " + withoutCredentials();
    }

    private List<String> withoutCredentials() {
        return uris.stream().map(uri -> uri.replaceFirst("//.*@", "//***@")).toList();
    }
}
