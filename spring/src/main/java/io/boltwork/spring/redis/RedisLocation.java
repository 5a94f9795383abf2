// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import io.boltwork.BackendException;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.redis.Bridge;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import io.boltwork.spi.LockBackend;
import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.properties.WrongPropertyException;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.resource.ClientResources;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.util.StringUtils;

/**
 * The location of Redis and the way to connect to it, from any source. Immutable.
 *
 * @param said the property that specifies it
 * @param bean the application's connection factory that specifies it instead, if any
 * @param kind the kind of deployment
 * @param uris its addresses in Boltwork's form; several for a master with replicas, a cluster or a quorum
 * @param sentinelUser the sentinels' user, if they have users
 * @param sentinelPassword the sentinels' password, if they require one
 * @param provider gives user and password instead of the addresses, if any
 * @param sentinelProvider gives the sentinels' user and password instead, if any
 * @param ssl the TLS configuration; {@code null} for the JVM's default
 * @param resources Lettuce's resources to share, which are needed to reach the servers; {@code null} for Boltwork's own
 * @param quorum the options of a quorum; others do not use them
 */
public record RedisLocation(
        String said,
        @Nullable String bean,
        Kind kind,
        List<String> uris,
        @Nullable String sentinelUser,
        @Nullable String sentinelPassword,
        @Nullable RedisCredentialsProvider provider,
        @Nullable RedisCredentialsProvider sentinelProvider,
        @Nullable SslOptions ssl,
        @Nullable ClientResources resources,
        QuorumOptions quorum) {

    private static final Pattern TLS = Pattern.compile("redis(s|\\+ssl|\\+tls)");

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

    /** Returns this location with a provider of user and password, unless it has a password or a provider. */
    public RedisLocation orProvider(@Nullable RedisCredentialsProvider other) {
        boolean hasPassword = uris.stream().anyMatch(uri -> uri.contains("@"));
        return other == null || provider != null || hasPassword
                ? this
                : new RedisLocation(
                        said,
                        bean,
                        kind,
                        uris,
                        sentinelUser,
                        sentinelPassword,
                        other,
                        sentinelProvider,
                        ssl,
                        resources,
                        quorum);
    }

    /**
     * Connects; blocks for about the connect timeout at most. This is the only place that selects the kind of
     * connection.
     */
    public LockBackend connect(BoltworkProperties.Redis redis, UnaryOperator<RedisOptions> customizers) {
        checkTls(redis);
        RedisOptions options = customizers.apply(withTarget(options(redis)));
        try {
            return connect(options);
        } catch (BackendException e) {
            throw new RedisStartException(said, e);
        } catch (IllegalArgumentException e) {
            String reason = String.valueOf(e.getMessage());
            throw bean == null
                    ? WrongPropertyException.hidden(said, reason)
                    : RedisFactoryException.of(bean, "has an address that Boltwork cannot use (" + reason + ")");
        }
    }

    /** Rejects properties of TLS if no connection uses it: passwords would be sent in the clear. */
    private void checkTls(BoltworkProperties.Redis redis) {
        if (uris.stream().anyMatch(uri -> TLS.matcher(uri).lookingAt())) {
            return;
        }
        checkTls("ssl-bundle", redis.sslBundle());
        checkTls("trusted-certificates", redis.trustedCertificates());
        checkTls("client-certificate", redis.clientCertificate());
    }

    private void checkTls(String property, @Nullable Object value) {
        if (value != null && StringUtils.hasText(value.toString())) {
            throw new WrongPropertyException(
                    "boltwork.redis." + property,
                    "It has an effect only with TLS, but " + said + " does not use TLS.",
                    "Begin the address with rediss://, set spring.data.redis.ssl.enabled=true if the address is in"
                            + " spring.data.redis, or remove the property.");
        }
    }

    /** Returns the options that the properties set for any target. */
    private static RedisOptions options(BoltworkProperties.Redis redis) {
        RedisOptions options =
                RedisOptions.defaults().withIdleLife(redis.idleLife()).withLazyConnect(redis.lazyConnect());
        options = BoltworkProperties.apply("boltwork.redis.key-prefix", redis.keyPrefix(), options::keyPrefix);
        options = BoltworkProperties.apply(
                "boltwork.redis.direct-connections", redis.directConnections(), options::withDirectConnections);
        if (!redis.bridge().isEmpty()) {
            RedisOptions withoutBridge = options;
            options = BoltworkProperties.apply(
                    "boltwork.redis.bridge",
                    redis.bridge(),
                    names -> withoutBridge.withBridge(Bridge.redisson().withNames(names.toArray(String[]::new))));
        }
        Path trusted = redis.trustedCertificates();
        if (trusted != null) {
            options = BoltworkProperties.apply(
                    "boltwork.redis.trusted-certificates", trusted, options::withTrustedCertificates);
        }
        Path certificate = redis.clientCertificate();
        Path key = redis.clientKey();
        if (certificate != null && key != null) {
            RedisOptions before = options;
            BoltworkProperties.check(
                    "boltwork.redis.client-certificate", certificate, file -> before.withClientCertificate(file, file));
            options = BoltworkProperties.apply(
                    "boltwork.redis.client-key", key, file -> before.withClientCertificate(certificate, file));
        }
        return options;
    }

    private RedisOptions withTarget(RedisOptions defaults) {
        RedisOptions options = defaults;
        if (ssl != null) {
            options = options.withSslOptions(ssl);
        }
        if (resources != null) {
            options = options.withClientResources(resources);
        }
        if (sentinelPassword != null && !sentinelPassword.isEmpty()) {
            options = options.withSentinelCredentials(sentinelUser, sentinelPassword);
        }
        if (provider != null) {
            options = options.withCredentials(provider);
        }
        if (sentinelProvider != null) {
            options = options.withSentinelCredentials(sentinelProvider);
        }
        return options;
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
    static @Nullable SslOptions lettuce(@Nullable SslBundle bundle) {
        if (bundle == null) {
            return null;
        }
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
    public static final class Builder {
        private final String said;
        private final List<String> nodes = new ArrayList<>();
        private final List<String> parameters = new ArrayList<>();
        private @Nullable String bean;
        private Kind kind = Kind.ONE;
        private @Nullable String user;
        private @Nullable String password;
        private int database;
        private @Nullable String master;
        private boolean tls;
        private @Nullable SslOptions ssl;
        private @Nullable ClientResources resources;
        private @Nullable String sentinelUser;
        private @Nullable String sentinelPassword;
        private @Nullable RedisCredentialsProvider provider;
        private @Nullable RedisCredentialsProvider sentinelProvider;
        private QuorumOptions quorum = QuorumOptions.defaults();

        public Builder(String said) {
            this.said = said;
        }

        Builder bean(@Nullable String bean) {
            this.bean = bean;
            return this;
        }

        Builder kind(Kind kind) {
            this.kind = kind;
            return this;
        }

        /** Adds a node. A port is required only if it differs from 6379 (26379 for sentinels). */
        public Builder node(String hostAndPort) {
            nodes.add(hostAndPort);
            return this;
        }

        public Builder node(String host, int port) {
            boolean bareV6 = host.indexOf(':') >= 0 && !host.startsWith("[");
            return node((bareV6 ? "[" + host + "]" : host) + ":" + port);
        }

        public Builder credentials(@Nullable String user, @Nullable String password) {
            this.user = user;
            this.password = password;
            return this;
        }

        /** Sets a provider, if there is one, which takes the place of the credentials. */
        Builder provider(@Nullable RedisCredentialsProvider provider) {
            this.provider = provider;
            return provider == null ? this : credentials(null, null);
        }

        Builder sentinelProvider(@Nullable RedisCredentialsProvider provider) {
            this.sentinelProvider = provider;
            return this;
        }

        Builder database(int database) {
            this.database = database;
            return this;
        }

        public Builder sentinel(String master, @Nullable String user, @Nullable String password) {
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
            return parameter(
                    "timeout", timeout == null ? null : Math.max(1, TimeUnit.MILLISECONDS.convert(timeout)) + "ms");
        }

        Builder clientName(@Nullable String clientName) {
            return parameter("clientName", clientName);
        }

        Builder resources(@Nullable ClientResources resources) {
            this.resources = resources;
            return this;
        }

        Builder tls(boolean tls, @Nullable SslBundle bundle) {
            return tls(tls || bundle != null, lettuce(bundle), SslVerifyMode.FULL);
        }

        Builder tls(boolean tls, @Nullable SslOptions ssl, SslVerifyMode verify) {
            this.tls = tls;
            this.ssl = tls ? ssl : null;
            return tls && verify != SslVerifyMode.FULL ? parameter("verifyPeer", verify.name()) : this;
        }

        private Builder parameter(String name, @Nullable String value) {
            if (StringUtils.hasText(value)) {
                parameters.add(name + "=" + encoded(value));
            }
            return this;
        }

        public RedisLocation build() {
            String scheme = tls ? "rediss" : "redis";
            List<String> uris = kind == Kind.ONE
                    ? List.of(uri(master == null ? scheme : scheme + "-sentinel", String.join(",", nodes)))
                    : nodes.stream().map(node -> uri(scheme, node)).collect(Collectors.toList());
            return new RedisLocation(
                    said,
                    bean,
                    kind,
                    uris,
                    sentinelUser,
                    sentinelPassword,
                    provider,
                    sentinelProvider,
                    ssl,
                    resources,
                    quorum);
        }

        private String uri(String scheme, String hosts) {
            StringBuilder uri = new StringBuilder(scheme).append("://");
            if (password != null && !password.isEmpty()) {
                uri.append(user == null || user.isEmpty() ? "" : encoded(user) + ":")
                        .append(encoded(password))
                        .append('@');
            }
            uri.append(hosts).append('/').append(database);
            if (!parameters.isEmpty()) {
                uri.append('?').append(String.join("&", parameters));
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
