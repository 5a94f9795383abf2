// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.spi.Durations;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Options of a {@link EtcdBackend}. Immutable.
 *
 * @see EtcdBackend#connect(String, EtcdOptions)
 * @since 0.1.0
 */
public final class EtcdOptions {
    private static final EtcdOptions DEFAULTS = new EtcdOptions(new Values());

    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9/_.:-]{0,99}[A-Za-z0-9_.:-]");

    private final Values values;

    /** A user and a password. */
    record Credentials(String user, String password) {
        @Override
        public String toString() {
            return "(hidden)";
        }
    }

    private static final class Values extends Settings {
        String prefix = "/boltwork";
        Duration sessionTimeout = Duration.ofSeconds(10);
        Duration connectTimeout = Duration.ofSeconds(10);
        Duration commandTimeout = Duration.ofSeconds(2);
        Duration idleLife = IdleLife.DEFAULT;
        Duration clockTolerance = Duration.ofMillis(250);
        Optional<Credentials> credentials = Optional.empty();
        EtcdTls tls = EtcdTls.NONE;
    }

    private EtcdOptions(Values values) {
        this.values = values;
    }

    private EtcdOptions with(Consumer<Values> change) {
        return new EtcdOptions(Settings.changed(values, change));
    }

    /**
     * Returns the default options.
     *
     * @return the prefix {@code /boltwork}, a session timeout of 10 s, a connect timeout of 10 s, a command timeout of
     *     2 s, an idle life of 10 minutes, a clock tolerance of 250 ms, no credentials, no TLS
     */
    public static EtcdOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets what all keys begin with. Clients with different prefixes have different locks. Default: {@code /boltwork}.
     *
     * @param prefix 1 to 100 letters, digits and characters of {@code / - _ . :}, without a slash at the end
     * @return these options with that prefix
     * @throws IllegalArgumentException if the prefix has another form
     */
    public EtcdOptions withPrefix(String prefix) {
        Objects.requireNonNull(prefix, "prefix");
        if (!PREFIX.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "prefix must be 1 to 100 letters, digits and characters of '/-_.:', without a slash at the end,"
                            + " but is '" + Printable.text(prefix) + "'");
        }
        return with(s -> s.prefix = prefix);
    }

    /**
     * Sets how long the client's own keys outlive it if it is killed. It counts as alive for as long. Leases of locks
     * do not depend on it: a lock outlives the session of its holder. Default: 10 s.
     *
     * @param timeout 3 s to 5 min, in whole seconds; etcd rounds very short ones up
     * @return these options with that timeout
     * @throws IllegalArgumentException if the timeout is shorter or longer, or has a part of a second
     */
    public EtcdOptions withSessionTimeout(Duration timeout) {
        Duration checked = Durations.between("sessionTimeout", timeout, Duration.ofSeconds(3), Duration.ofMinutes(5));
        if (checked.getNano() != 0) {
            throw new IllegalArgumentException(
                    "sessionTimeout must be whole seconds, because etcd counts those, but is "
                            + Durations.text(checked));
        }
        return with(s -> s.sessionTimeout = checked);
    }

    /**
     * Sets how long the creation of a client waits for the connection, for the client's keys, and for the
     * cluster's time, which takes up to a second. Default: 10 s.
     *
     * @param timeout 100 ms to 10 min
     * @return these options with that timeout
     * @throws IllegalArgumentException if the timeout is shorter or longer
     */
    public EtcdOptions withConnectTimeout(Duration timeout) {
        return with(s -> s.connectTimeout =
                Durations.between("connectTimeout", timeout, Duration.ofMillis(100), Duration.ofMinutes(10)));
    }

    /**
     * Sets how long an answer is awaited. Default: 2 s.
     *
     * @param timeout 100 ms to 1 min
     * @return these options with that timeout
     * @throws IllegalArgumentException if the timeout is shorter or longer
     */
    public EtcdOptions withCommandTimeout(Duration timeout) {
        return with(s -> s.commandTimeout =
                Durations.between("commandTimeout", timeout, Duration.ofMillis(100), Duration.ofMinutes(1)));
    }

    /**
     * Sets how long a lock that is not used is remembered, with its last token. Default: 10 min.
     *
     * @param idleLife 1 min to 7 days
     * @return these options with that idle life
     * @throws IllegalArgumentException if the idle life is shorter or longer
     */
    public EtcdOptions withIdleLife(Duration idleLife) {
        IdleLife.millis(idleLife);
        return with(s -> s.idleLife = idleLife);
    }

    /**
     * Sets how exactly the client must know the time that the cluster's leader counts. A lock whose lease ends without
     * a release stays closed for as much longer. One client of each JVM asks for the time every few
     * seconds. Default: 250 ms.
     *
     * @param tolerance 150 ms to 1 s
     * @return these options with that tolerance
     * @throws IllegalArgumentException if the tolerance is shorter or longer
     */
    public EtcdOptions withClockTolerance(Duration tolerance) {
        return with(s -> s.clockTolerance =
                Durations.between("clockTolerance", tolerance, Duration.ofMillis(150), Duration.ofSeconds(1)));
    }

    /**
     * Sets a user of etcd and its password. The user needs the right to read and write all keys with the prefix. The
     * password is sent in clear unless the connection has TLS. Default: none.
     *
     * @param user the name of the user
     * @param password the password
     * @return these options with those credentials
     * @throws IllegalArgumentException if the name is empty
     */
    public EtcdOptions withCredentials(String user, String password) {
        Objects.requireNonNull(password, "password");
        if (user.isEmpty()) {
            throw new IllegalArgumentException("user must not be empty");
        }
        return with(s -> s.credentials = Optional.of(new Credentials(user, password)));
    }

    /**
     * Sets the certificate authorities to trust. The members' certificates must also be for the names or addresses by
     * which the client connects. Not used with an HTTP client of the user's. Default: those that the JVM trusts.
     *
     * @param authorities a file with one or more PEM certificates; read when the backend is created
     * @return these options with these authorities
     * @throws IllegalArgumentException if the file does not exist or cannot be read
     */
    public EtcdOptions withTrustedCertificates(Path authorities) {
        return withTls(new EtcdTls(EtcdTls.readable("authorities", authorities), values.tls.certificate()));
    }

    /**
     * Sets the certificate that the client presents. Members with {@code --client-cert-auth} require one. Its common
     * name is not the user: the gateway of etcd has none from certificates. Not used with an HTTP client of the user's.
     * Default: none.
     *
     * @param certificate a file with the client's certificate, any intermediate certificates, and the private key as
     *     unencrypted PKCS&nbsp;#8, all in PEM; read when the backend is created
     * @return these options with that certificate
     * @throws IllegalArgumentException if the file does not exist or cannot be read
     */
    public EtcdOptions withClientCertificate(Path certificate) {
        return withTls(new EtcdTls(values.tls.authorities(), EtcdTls.readable("certificate", certificate)));
    }

    private EtcdOptions withTls(EtcdTls changed) {
        return with(s -> s.tls = changed);
    }

    /**
     * Returns what all keys begin with.
     *
     * @return the prefix
     */
    public String prefix() {
        return values.prefix;
    }

    /**
     * Returns how long the client's own keys outlive it if it is killed.
     *
     * @return the timeout
     */
    public Duration sessionTimeout() {
        return values.sessionTimeout;
    }

    /**
     * Returns how long the creation of a client waits for the connection, for the client's keys, and for the
     * cluster's time, which takes up to a second.
     *
     * @return the timeout
     */
    public Duration connectTimeout() {
        return values.connectTimeout;
    }

    /**
     * Returns how long an answer is awaited.
     *
     * @return the timeout
     */
    public Duration commandTimeout() {
        return values.commandTimeout;
    }

    /**
     * Returns how long a lock that is not used is remembered.
     *
     * @return the idle life
     */
    public Duration idleLife() {
        return values.idleLife;
    }

    /**
     * Returns how exactly the client must know the time that the cluster's leader counts.
     *
     * @return the tolerance
     */
    public Duration clockTolerance() {
        return values.clockTolerance;
    }

    /**
     * Returns the file with the certificate authorities to trust.
     *
     * @return the file; empty if none are set
     */
    public Optional<Path> trustedCertificates() {
        return Optional.ofNullable(values.tls.authorities());
    }

    /**
     * Returns the file with the certificate that the client presents, and its private key.
     *
     * @return the file; empty if there is none
     */
    public Optional<Path> clientCertificate() {
        return Optional.ofNullable(values.tls.certificate());
    }

    /** Returns the user and the password. Secret. */
    Optional<Credentials> credentials() {
        return values.credentials;
    }

    EtcdTls tls() {
        return values.tls;
    }

    @Override
    public String toString() {
        Values s = values;
        return "EtcdOptions[prefix=" + s.prefix + ", sessionTimeout=" + s.sessionTimeout + ", connectTimeout="
                + s.connectTimeout
                + ", commandTimeout="
                + s.commandTimeout + ", idleLife=" + s.idleLife + ", clockTolerance=" + s.clockTolerance
                + (s.credentials.isPresent() ? ", credentials=(hidden)" : "")
                + (s.tls.isUsed() ? ", tls=" + s.tls : "") + "]";
    }
}
