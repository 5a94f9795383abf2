package io.boltwork.redis;

import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Utf8;
import io.lettuce.core.SslOptions;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.resource.ClientResources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link RedisBackend} uses the server, beyond what its URI says. Immutable.
 */
public final class RedisOptions {
    private static final RedisOptions DEFAULTS =
            new RedisOptions("boltwork", IdleLife.DEFAULT.toMillis(), null, null, null, null, null, null, false);

    private final String keyPrefix;
    private final long idleMillis;
    private final @Nullable ClientResources clientResources;
    private final @Nullable StaticCredentialsProvider sentinelCredentials;
    private final @Nullable Path authorities;
    private final @Nullable Path certificate;
    private final @Nullable Path key;
    private final @Nullable SslOptions tls;
    private final boolean lazyConnect;

    private RedisOptions(
            String keyPrefix,
            long idleMillis,
            @Nullable ClientResources clientResources,
            @Nullable StaticCredentialsProvider sentinelCredentials,
            @Nullable Path authorities,
            @Nullable Path certificate,
            @Nullable Path key,
            @Nullable SslOptions tls,
            boolean lazyConnect) {
        this.keyPrefix = keyPrefix;
        this.idleMillis = idleMillis;
        this.clientResources = clientResources;
        this.sentinelCredentials = sentinelCredentials;
        this.authorities = authorities;
        this.certificate = certificate;
        this.key = key;
        this.tls = tls;
        this.lazyConnect = lazyConnect;
    }

    /**
     * The options that fit nearly everybody.
     *
     * @return key prefix {@code boltwork}, an idle life of 10 minutes, resources of the backend's own, no credentials for sentinels, the certificates that
     *     the JVM trusts, none of the client's own
     */
    public static RedisOptions defaults() {
        return DEFAULTS;
    }

    /**
     * What the names of all keys and channels begin with, {@code boltwork} by default: a lock {@code N} is the key
     * {@code <prefix>:{N}}. Clients with different prefixes have different locks.
     *
     * @param prefix not empty, without braces, blanks, control characters and unpaired surrogates
     * @return these options with that prefix
     * @throws IllegalArgumentException if the prefix is none of that kind
     */
    public RedisOptions keyPrefix(String prefix) {
        Objects.requireNonNull(prefix, "prefix");
        boolean allowed = prefix.chars()
                .noneMatch(c -> c == '{' || c == '}' || Character.isWhitespace(c) || Character.isISOControl(c));
        if (prefix.isEmpty() || !allowed) {
            throw new IllegalArgumentException("prefix must not be empty and must have no braces, blanks or control"
                    + " characters in it, but is '" + Printable.text(prefix) + "'");
        }
        Utf8.length("prefix", prefix);
        return new RedisOptions(
                prefix,
                idleMillis,
                clientResources,
                sentinelCredentials,
                authorities,
                certificate,
                key,
                tls,
                lazyConnect);
    }

    /**
     * Sets how long Redis keeps the key of a lock that nobody uses, at least 7/8 of it from the last use on. A lock in use keeps
     * its key, whatever the setting is; clients of one lock may have different settings, and the longest counts. Longer lives
     * cost memory, about 230 bytes for each name. Shorter ones drop a lock's fence earlier: without it fencing tokens still
     * grow, as they come from the server's clock, unless that clock is set back. It is never shorter than two command timeouts.
     * Default: 10 minutes.
     *
     * @param idleLife 1 minute to 7 days
     * @return these options with that life
     * @throws IllegalArgumentException if it is out of that range
     */
    public RedisOptions withIdleLife(Duration idleLife) {
        return new RedisOptions(
                keyPrefix,
                IdleLife.millis(idleLife),
                clientResources,
                sentinelCredentials,
                authorities,
                certificate,
                key,
                tls,
                lazyConnect);
    }

    /**
     * The threads, the DNS resolver, the metrics and whatever else Lettuce shares between clients, instead of the backend's
     * own (2 I/O threads and 2 computation threads, no metrics). They are used and never shut down; do that after the
     * backend was closed.
     *
     * <p>Replies and grants are delivered on their I/O threads, and connections are looked after on one of their computation
     * threads: whoever blocks these delays locks.
     *
     * @param resources which ones
     * @return these options with these resources
     */
    public RedisOptions clientResources(ClientResources resources) {
        Objects.requireNonNull(resources, "resources");
        return new RedisOptions(
                keyPrefix, idleMillis, resources, sentinelCredentials, authorities, certificate, key, tls, lazyConnect);
    }

    /**
     * Who the sentinels are told that the client is; none by default. The user and the password in a {@code redis-sentinel}
     * URI are for the servers that they watch.
     *
     * @param user the name of an ACL user of the sentinels, or {@code null} for the default one
     * @param password its password, not empty; it appears in no message
     * @return these options with these credentials
     * @throws IllegalArgumentException if the password is empty
     */
    public RedisOptions sentinelCredentials(@Nullable String user, String password) {
        if (Objects.requireNonNull(password, "password").isEmpty()) {
            throw new IllegalArgumentException(
                    "password must not be empty; leave sentinelCredentials out if the sentinels" + " ask for none");
        }
        StaticCredentialsProvider credentials = new StaticCredentialsProvider(user, password.toCharArray());
        return new RedisOptions(
                keyPrefix, idleMillis, clientResources, credentials, authorities, certificate, key, tls, lazyConnect);
    }

    /**
     * Whose certificates are trusted with {@code rediss://} and {@code rediss-sentinel://}, instead of those that the JVM
     * trusts.
     *
     * @param authorities a file with one or more certificates, in PEM; read for each connection
     * @return these options with these authorities
     * @throws IllegalArgumentException if there is no such file that can be read
     */
    public RedisOptions trustedCertificates(Path authorities) {
        checkReadable(authorities, "authorities");
        return new RedisOptions(
                keyPrefix,
                idleMillis,
                clientResources,
                sentinelCredentials,
                authorities,
                certificate,
                key,
                tls,
                lazyConnect);
    }

    /**
     * The certificate that the client shows to a server that asks for one ({@code tls-auth-clients}); none by default.
     *
     * @param certificate a file with the client's certificate and those between it and its authority, in PEM; read for each
     *     connection
     * @param key a file with its private key, PKCS&nbsp;#8 in PEM, not encrypted
     * @return these options with that certificate
     * @throws IllegalArgumentException if one of these files cannot be read
     */
    public RedisOptions clientCertificate(Path certificate, Path key) {
        checkReadable(certificate, "certificate");
        checkReadable(key, "key");
        return new RedisOptions(
                keyPrefix,
                idleMillis,
                clientResources,
                sentinelCredentials,
                authorities,
                certificate,
                key,
                tls,
                lazyConnect);
    }

    /**
     * What TLS uses in Lettuce's terms, for what {@link #trustedCertificates} and {@link #clientCertificate} cannot say: key
     * stores, protocols, cipher suites. Those two, where they are given, go before it. Default: what the JVM trusts.
     *
     * @param options which ones
     * @return these options with these
     */
    public RedisOptions sslOptions(SslOptions options) {
        return new RedisOptions(
                keyPrefix,
                idleMillis,
                clientResources,
                sentinelCredentials,
                authorities,
                certificate,
                key,
                Objects.requireNonNull(options, "options"),
                lazyConnect);
    }

    /**
     * Sets whether a backend can be made while Redis is down. It tries once to connect, for about 5 s at most, and goes on in the
     * background until it succeeds. Meanwhile the client is in an outage: calls wait or fail as they do in one, and {@link
     * io.boltwork.LockClient#health} says why. A server that is reached and refuses (its version, credentials, rights) makes the
     * first attempt fail; whether it delivers messages is found out when a client is made; a refusal that is found later is a {@link io.boltwork.BackendException} of every call that is not {@linkplain
     * io.boltwork.BackendException#isRetryable retryable}, until the server refuses no more. Default: {@code false}.
     *
     * @param lazy whether to connect in the background
     * @return these options with that
     */
    public RedisOptions withLazyConnect(boolean lazy) {
        return new RedisOptions(
                keyPrefix, idleMillis, clientResources, sentinelCredentials, authorities, certificate, key, tls, lazy);
    }

    private static void checkReadable(Path file, String name) {
        if (!Files.isReadable(Objects.requireNonNull(file, name)) || Files.isDirectory(file)) {
            throw new IllegalArgumentException(
                    name + " must be a file in PEM that can be read, but is " + Printable.text(file.toString()));
        }
    }

    String keyPrefix() {
        return keyPrefix;
    }

    /** The life of an unused lock's key, in milliseconds. */
    long idleMillis() {
        return idleMillis;
    }

    boolean lazyConnect() {
        return lazyConnect;
    }

    /** The user's resources, {@code null} if a backend is to have its own. */
    @Nullable
    ClientResources clientResources() {
        return clientResources;
    }

    @Nullable
    StaticCredentialsProvider sentinelCredentials() {
        return sentinelCredentials;
    }

    /** What they say about TLS, on top of that. */
    SslOptions ssl(SslOptions lettuce) {
        SslOptions base = tls == null ? lettuce : tls;
        if (authorities == null && certificate == null) {
            return base;
        }
        SslOptions.Builder ssl = base.mutate();
        if (authorities != null) {
            ssl.trustManager(authorities.toFile());
        }
        if (certificate != null && key != null) {
            ssl.keyManager(certificate.toFile(), key.toFile(), null);
        }
        return ssl.build();
    }

    @Override
    public String toString() {
        return Printable.text("RedisOptions[keyPrefix=" + keyPrefix
                + (idleMillis == IdleLife.DEFAULT.toMillis() ? "" : ", idleLife=" + Duration.ofMillis(idleMillis))
                + (clientResources == null ? "" : ", clientResources given")
                + (sentinelCredentials == null ? "" : ", sentinelCredentials given")
                + (authorities == null ? "" : ", trustedCertificates=" + authorities)
                + (certificate == null ? "" : ", clientCertificate=" + certificate)
                + (tls == null ? "" : ", sslOptions given")
                + (lazyConnect ? ", lazyConnect" : "") + "]");
    }
}
