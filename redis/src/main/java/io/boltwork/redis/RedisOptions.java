// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.redis.address.RedisAddress;
import io.boltwork.spi.Durations;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Settings;
import io.boltwork.spi.Utf8;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SslOptions;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.resource.ClientResources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Options of a {@link RedisBackend} beyond what its URI says. Immutable.
 *
 * @since 0.1.0
 */
public final class RedisOptions {
    private static final Duration SHORTEST_CONNECT = Duration.ofMillis(1);
    private static final Duration LONGEST_CONNECT = Duration.ofMinutes(10);
    private static final RedisOptions DEFAULTS = new RedisOptions(new Values());

    /** The parts that follow a prefix in keys and channels. A prefix that ends in one would mix different things up. */
    private static final List<String> ADDED =
            List.of("readwrite", "semaphore", "latch", "client", "grants", "told", "bridge");

    private final Values values;

    private static final class Values extends Settings {
        String keyPrefix = "boltwork";
        long idleMillis = IdleLife.DEFAULT.toMillis();

        @Nullable
        ClientResources clientResources;

        @Nullable
        RedisCredentialsProvider credentials;

        @Nullable
        RedisCredentialsProvider sentinelCredentials;

        @Nullable
        Path authorities;

        @Nullable
        Path certificate;

        @Nullable
        Path key;

        @Nullable
        SslOptions tls;

        Duration connectTimeout = RedisAddress.CONNECT_TIMEOUT;
        int directConnections = 2;
        boolean lazyConnect;

        @Nullable
        Bridge bridge;
    }

    private RedisOptions(Values values) {
        this.values = values;
    }

    private RedisOptions with(Consumer<Values> change) {
        return new RedisOptions(Settings.changed(values, change));
    }

    /**
     * Returns the default options.
     *
     * @return key prefix {@code boltwork}, an idle life of 10 minutes, client resources created by the backend, the
     *     credentials of the address, none for sentinels, the certificates that the JVM trusts, no client certificate,
     *     a connect timeout of 10 s, up to 2 direct connections, no lazy connecting, no bridge
     */
    public static RedisOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets the prefix of all keys and channels. The key of a lock {@code N} is {@code <prefix>:{N}}. Clients with
     * different prefixes have different locks. Default: {@code boltwork}.
     *
     * @param prefix not empty, without braces, whitespace, control characters or unpaired surrogates; its last part
     *     must not be one of those that Boltwork adds itself, such as {@code :semaphore}
     * @return these options with that prefix
     * @throws IllegalArgumentException if the prefix is empty, contains one of these characters or ends in such a part
     */
    public RedisOptions keyPrefix(String prefix) {
        Objects.requireNonNull(prefix, "prefix");
        boolean allowed = prefix.chars()
                .noneMatch(c -> c == '{' || c == '}' || Character.isWhitespace(c) || Character.isISOControl(c));
        if (prefix.isEmpty() || !allowed) {
            throw new IllegalArgumentException("prefix must not be empty or contain braces, whitespace or control"
                    + " characters, but is '" + Printable.text(prefix) + "'");
        }
        for (String part : ADDED) {
            if (prefix.endsWith(":" + part)) {
                throw new IllegalArgumentException(Printable.text("prefix must not end in '" + part
                        + "', which Boltwork itself adds to prefixes, but is '" + prefix + "'"));
            }
        }
        Utf8.length("prefix", prefix);
        return with(s -> s.keyPrefix = prefix);
    }

    /**
     * Sets how long Redis keeps the key of an unused lock. The key stays for at least 7/8 of this time after the last
     * use. The key of a lock in use is kept regardless of this setting. Clients that share a lock may have different
     * settings; the longest one applies. A longer idle life costs memory: about 230 bytes per lock name. A shorter one
     * drops the fence of a lock earlier. Fencing tokens still grow without it, because they come from the server's
     * clock, unless that clock is set back. The effective idle life is never shorter than two command timeouts.
     * Default: 10 minutes.
     *
     * @param idleLife 1 minute to 7 days
     * @return these options with that idle life
     * @throws IllegalArgumentException if the idle life is out of range
     */
    public RedisOptions withIdleLife(Duration idleLife) {
        return with(s -> s.idleMillis = IdleLife.millis(idleLife));
    }

    /**
     * Sets the resources that Lettuce shares between clients, such as threads, DNS resolver and metrics. The backend
     * never shuts them down; do so after the backend is closed. Default: the backend creates its own (2 I/O threads and
     * 2 computation threads, no metrics).
     *
     * <p>Replies and grants are delivered on the I/O threads of these resources, and connections are maintained on one
     * of their computation threads. Code that blocks these threads delays locks.
     *
     * @param resources the resources to use
     * @return these options with these resources
     */
    public RedisOptions withClientResources(ClientResources resources) {
        Objects.requireNonNull(resources, "resources");
        return with(s -> s.clientResources = resources);
    }

    /**
     * Sets how many connections to a server a client may have beside its two, over which a caller executes its command
     * by itself. That saves a lone caller two changes of threads for each round trip. They are made when calls are
     * often alone, and closed after ten seconds without use. In a cluster, each master that is used so has its own.
     * Without effect in a quorum and with a bridge to Redisson. Default: 2.
     *
     * @param count 0 to 8; with 0, all commands are sent by the I/O threads
     * @return these options with that number
     * @throws IllegalArgumentException if the number is out of range
     */
    public RedisOptions withDirectConnections(int count) {
        if (count < 0 || count > 8) {
            throw new IllegalArgumentException("directConnections must be between 0 and 8, but is " + count);
        }
        return with(s -> s.directConnections = count);
    }

    /**
     * Sets a provider of user and password, for credentials that change: tokens, or users of Vault. The address must
     * have none then. Default: those of the address.
     *
     * <p>The provider is asked before each connection, on a thread of its own, which it may block. It has half the
     * {@linkplain #withConnectTimeout connect timeout} to answer. If its answers are {@link ExpiringCredentials}, each
     * of them serves all connections until three quarters of its time are over; then the provider is asked for the
     * next one. Connections log in anew within about a second after there are other credentials than they have used.
     *
     * <p>A provider that fails and a refused password are an outage: calls wait as in any other outage, then they get
     * the error, which is {@linkplain io.boltwork.BackendException#isRetryable retryable}.
     *
     * @param provider gives the credentials; the password appears in no message
     * @return these options with this provider
     */
    public RedisOptions withCredentials(Supplier<? extends CompletionStage<? extends RedisCredentials>> provider) {
        return withCredentials(lettuce(provider));
    }

    /**
     * Sets a provider of user and password, as {@link #withCredentials(Supplier)} does. If the provider streams,
     * connections also log in anew after each change that it tells of.
     *
     * @param provider gives the credentials, which may be {@link ExpiringCredentials}
     * @return these options with this provider
     */
    public RedisOptions withCredentials(RedisCredentialsProvider provider) {
        Objects.requireNonNull(provider, "provider");
        return with(s -> s.credentials = provider);
    }

    private static RedisCredentialsProvider lettuce(
            Supplier<? extends CompletionStage<? extends RedisCredentials>> provider) {
        Objects.requireNonNull(provider, "provider");
        return () -> Mono.fromCompletionStage(
                Objects.requireNonNull(provider.get(), "it must return a stage, and not null"));
    }

    /**
     * Sets a provider of user and password for the sentinels themselves, like {@link #withCredentials(Supplier)}.
     * Default: none.
     *
     * @param provider gives the credentials
     * @return these options with this provider
     */
    public RedisOptions withSentinelCredentials(
            Supplier<? extends CompletionStage<? extends RedisCredentials>> provider) {
        return withSentinelCredentials(lettuce(provider));
    }

    /**
     * Sets a provider of user and password for the sentinels themselves, like {@link
     * #withCredentials(RedisCredentialsProvider)}. Default: none.
     *
     * @param provider gives the credentials
     * @return these options with this provider
     */
    public RedisOptions withSentinelCredentials(RedisCredentialsProvider provider) {
        Objects.requireNonNull(provider, "provider");
        return with(s -> s.sentinelCredentials = provider);
    }

    /**
     * Sets the credentials for the sentinels themselves. The user and the password in a {@code redis-sentinel} URI are
     * for the servers that the sentinels watch. Default: none.
     *
     * @param user the name of an ACL user of the sentinels, or {@code null} for the default user
     * @param password the user's password, not empty; appears in no message
     * @return these options with these credentials
     * @throws IllegalArgumentException if the password is empty
     */
    public RedisOptions withSentinelCredentials(@Nullable String user, String password) {
        if (Objects.requireNonNull(password, "password").isEmpty()) {
            throw new IllegalArgumentException(
                    "password must not be empty; omit withSentinelCredentials if the sentinels require none");
        }
        return withSentinelCredentials(new StaticCredentialsProvider(user, password.toCharArray()));
    }

    /**
     * Sets the certificate authorities to trust with {@code rediss://} and {@code rediss-sentinel://}. Default: those
     * that the JVM trusts.
     *
     * @param authorities a file with one or more PEM certificates; read for each connection
     * @return these options with these authorities
     * @throws IllegalArgumentException if the file does not exist or cannot be read
     */
    public RedisOptions withTrustedCertificates(Path authorities) {
        checkReadable(authorities, "authorities");
        return with(s -> s.authorities = authorities);
    }

    /**
     * Sets the certificate that the client presents to a server that requires one ({@code tls-auth-clients}). Default:
     * none.
     *
     * @param certificate a file with the client's certificate and any intermediate certificates, in PEM; read for each
     *     connection
     * @param key a file with the private key, unencrypted PKCS&nbsp;#8 in PEM
     * @return these options with that certificate
     * @throws IllegalArgumentException if one of these files does not exist or cannot be read
     */
    public RedisOptions withClientCertificate(Path certificate, Path key) {
        checkReadable(certificate, "certificate");
        checkReadable(key, "key");
        return with(s -> {
            s.certificate = certificate;
            s.key = key;
        });
    }

    /**
     * Sets Lettuce's TLS options, for settings that {@link #withTrustedCertificates} and {@link
     * #withClientCertificate} do not cover: key stores, protocols, cipher suites. If set, those two take precedence.
     * Default: Lettuce's defaults, or those of the given client.
     *
     * @param options the TLS options to use
     * @return these options with these TLS options
     */
    public RedisOptions withSslOptions(SslOptions options) {
        return with(s -> s.tls = Objects.requireNonNull(options, "options"));
    }

    /**
     * Sets how long connecting may take when the backend is created, and again when its client is created: to find the
     * master, to connect to it, to log in, and to check that messages arrive. The same limit applies to each later
     * attempt, after which another one follows. Time in which this process gets no processor does not count. Default:
     * 10 s.
     *
     * @param timeout 1 ms to 10 min
     * @return these options with that timeout
     * @throws IllegalArgumentException if the timeout is out of range
     */
    public RedisOptions withConnectTimeout(Duration timeout) {
        return with(s -> s.connectTimeout = Durations.between("timeout", timeout, SHORTEST_CONNECT, LONGEST_CONNECT));
    }

    /**
     * Sets whether a backend can be created while Redis is down. If so, the backend tries once to connect, for at
     * most the {@linkplain #withConnectTimeout connect timeout}, and then keeps trying in the background until it
     * succeeds. Meanwhile the client is in an outage: calls wait or fail as in any other outage, and
     * {@link io.boltwork.LockClient#health} reports the reason. Default: {@code false}.
     *
     * <p>If a server is reached but refuses the client (because of its version, credentials or rights), the first
     * attempt to connect fails. Message delivery is checked when the client is created. If a server refuses later, each
     * call fails with a {@link io.boltwork.BackendException} that is not {@linkplain
     * io.boltwork.BackendException#isRetryable retryable}, until the server accepts the client.
     *
     * @param lazy whether to connect in the background
     * @return these options with that setting
     */
    public RedisOptions withLazyConnect(boolean lazy) {
        return with(s -> s.lazyConnect = lazy);
    }

    /**
     * Sets which locks are shared with clients of another library, while a system changes over. All clients of a lock
     * must share it or none: a client that does not is refused while others do. A pair of lock and unlock costs Redis
     * more than three times as much. Read-write locks, semaphores and latches whose names the bridge covers are
     * refused, and so are names that are empty or contain <code>{</code>, <code>}</code> or <code>%</code>. Default: no
     * bridge.
     *
     * @param bridge which locks are shared
     * @return these options with that bridge
     */
    public RedisOptions withBridge(Bridge bridge) {
        return with(s -> s.bridge = Objects.requireNonNull(bridge, "bridge"));
    }

    private static void checkReadable(Path file, String name) {
        if (!Files.isReadable(Objects.requireNonNull(file, name)) || Files.isDirectory(file)) {
            throw new IllegalArgumentException(
                    name + " must be a readable PEM file, but is " + Printable.text(file.toString()));
        }
    }

    /**
     * Returns the prefix of all keys and channels.
     *
     * @return the prefix
     */
    public String keyPrefix() {
        return values.keyPrefix;
    }

    /**
     * Returns how long Redis keeps the key of an unused lock.
     *
     * @return the idle life
     */
    public Duration idleLife() {
        return Duration.ofMillis(values.idleMillis);
    }

    /**
     * Returns the resources that Lettuce shares between clients, see {@link #withClientResources}.
     *
     * @return the resources; empty if the backend creates its own
     */
    public Optional<ClientResources> clientResources() {
        return Optional.ofNullable(values.clientResources);
    }

    /**
     * Returns how many connections to a server callers may use by themselves, see {@link #withDirectConnections}.
     *
     * @return the number
     */
    public int directConnections() {
        return values.directConnections;
    }

    /** Returns the provider of credentials, or {@code null} for those of the address. Not public: secret. */
    @Nullable
    RedisCredentialsProvider credentials() {
        return values.credentials;
    }

    /** Returns the credentials for the sentinels, or {@code null} for none. Not public, since they are secret. */
    @Nullable
    RedisCredentialsProvider sentinelCredentials() {
        return values.sentinelCredentials;
    }

    /**
     * Returns the file with the certificate authorities to trust.
     *
     * @return the file; empty for those that the JVM trusts
     */
    public Optional<Path> trustedCertificates() {
        return Optional.ofNullable(values.authorities);
    }

    /**
     * Returns the file with the certificate that the client presents.
     *
     * @return the file; empty if there is none
     */
    public Optional<Path> clientCertificate() {
        return Optional.ofNullable(values.certificate);
    }

    /**
     * Returns the file with the private key of the {@linkplain #clientCertificate client certificate}.
     *
     * @return the file; empty if there is none
     */
    public Optional<Path> clientKey() {
        return Optional.ofNullable(values.key);
    }

    /**
     * Returns Lettuce's TLS options, see {@link #withSslOptions}.
     *
     * @return the TLS options; empty for Lettuce's defaults, or those of the given client
     */
    public Optional<SslOptions> sslOptions() {
        return Optional.ofNullable(values.tls);
    }

    /**
     * Returns how long connecting may take.
     *
     * @return the timeout
     */
    public Duration connectTimeout() {
        return values.connectTimeout;
    }

    /**
     * Returns whether a backend can be created while Redis is down.
     *
     * @return whether it connects in the background
     */
    public boolean lazyConnect() {
        return values.lazyConnect;
    }

    /**
     * Returns which locks are shared with clients of another library.
     *
     * @return the bridge; empty if there is none
     */
    public Optional<Bridge> bridge() {
        return Optional.ofNullable(values.bridge);
    }

    /** Returns Lettuce's TLS options with these options applied on top. */
    SslOptions ssl(SslOptions lettuce) {
        Values s = values;
        SslOptions base = s.tls == null ? lettuce : s.tls;
        if (s.authorities == null && s.certificate == null) {
            return base;
        }
        SslOptions.Builder ssl = base.mutate();
        if (s.authorities != null) {
            ssl.trustManager(s.authorities.toFile());
        }
        if (s.certificate != null && s.key != null) {
            ssl.keyManager(s.certificate.toFile(), s.key.toFile(), null);
        }
        return ssl.build();
    }

    @Override
    public String toString() {
        Values s = values;
        return Printable.text("RedisOptions[keyPrefix=" + s.keyPrefix
                + (s.idleMillis == IdleLife.DEFAULT.toMillis() ? "" : ", idleLife=" + Duration.ofMillis(s.idleMillis))
                + (s.directConnections == 2 ? "" : ", directConnections=" + s.directConnections)
                + (s.clientResources == null ? "" : ", clientResources given")
                + (s.credentials == null ? "" : ", credentials given")
                + (s.sentinelCredentials == null ? "" : ", sentinelCredentials given")
                + (s.authorities == null ? "" : ", trustedCertificates=" + s.authorities)
                + (s.certificate == null ? "" : ", clientCertificate=" + s.certificate)
                + (s.tls == null ? "" : ", sslOptions given")
                + (s.connectTimeout.equals(RedisAddress.CONNECT_TIMEOUT)
                        ? ""
                        : ", connectTimeout=" + Durations.text(s.connectTimeout))
                + (s.lazyConnect ? ", lazyConnect" : "")
                + (s.bridge == null ? "" : ", bridge=" + s.bridge) + "]");
    }
}
