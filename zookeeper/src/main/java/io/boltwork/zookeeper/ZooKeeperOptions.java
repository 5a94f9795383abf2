// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.spi.Durations;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.data.ACL;

/**
 * Options of a {@link ZooKeeperBackend}. Immutable.
 *
 * @see ZooKeeperBackend#connect(String, ZooKeeperOptions)
 * @since 0.1.0
 */
public final class ZooKeeperOptions {
    private static final ZooKeeperOptions DEFAULTS = new ZooKeeperOptions(new Values());

    private final Values values;

    private static final class Values extends Settings {
        String root = "/boltwork";
        Duration sessionTimeout = Duration.ofSeconds(10);
        Duration connectTimeout = Duration.ofSeconds(10);
        Duration commandTimeout = Duration.ofSeconds(2);
        Duration idleLife = IdleLife.DEFAULT;
        Duration clockTolerance = Duration.ofMillis(100);
        Optional<String> digest = Optional.empty();
        List<ACL> acl = ZooDefs.Ids.OPEN_ACL_UNSAFE;
        ZooKeeperTls tls = ZooKeeperTls.NONE;
    }

    private ZooKeeperOptions(Values values) {
        this.values = values;
    }

    private ZooKeeperOptions with(Consumer<Values> change) {
        return new ZooKeeperOptions(Settings.changed(values, change));
    }

    /**
     * Returns the default options.
     *
     * @return the root {@code /boltwork}, a session timeout of 10 s, a connect timeout of 10 s, a command timeout of 2
     *     s, an idle life of 10 minutes, a clock tolerance of 100 ms, no digest, nodes that every client may read and
     *     write, no TLS
     */
    public static ZooKeeperOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Sets the node under which the backend keeps everything. It is made if it is missing. Clients with different roots
     * have different locks. A chroot in the connect string precedes it. Default: {@code /boltwork}.
     *
     * @param root an absolute path that ZooKeeper allows, other than {@code /} and {@code /zookeeper}
     * @return these options with that root
     * @throws IllegalArgumentException if the path is not one
     */
    public ZooKeeperOptions withRoot(String root) {
        Objects.requireNonNull(root, "root");
        try {
            PathUtils.validatePath(root);
        } catch (IllegalArgumentException invalid) {
            throw new IllegalArgumentException(
                    "root must be the path of a node, but is '" + Printable.text(root) + "': " + invalid.getMessage(),
                    invalid);
        }
        if (root.equals("/") || root.equals("/zookeeper") || root.startsWith("/zookeeper/")) {
            throw new IllegalArgumentException(
                    "root must be a node of its own, such as /boltwork, but is '" + Printable.text(root) + "'");
        }
        return with(s -> s.root = root);
    }

    /**
     * Sets the session timeout that is asked for; the servers may grant another one. A client that was killed counts as
     * alive for as long. Leases do not depend on it: a lock outlives the session of its holder. Not used with a
     * framework of the user's. Default: 10 s.
     *
     * @param timeout 1 s to 5 min
     * @return these options with that timeout
     * @throws IllegalArgumentException if the timeout is shorter or longer
     */
    public ZooKeeperOptions withSessionTimeout(Duration timeout) {
        return with(s -> s.sessionTimeout =
                Durations.between("sessionTimeout", timeout, Duration.ofSeconds(1), Duration.ofMinutes(5)));
    }

    /**
     * Sets how long the creation of a client waits for the connection, and for the client's nodes. Default: 10 s.
     *
     * @param timeout 100 ms to 10 min
     * @return these options with that timeout
     * @throws IllegalArgumentException if the timeout is shorter or longer
     */
    public ZooKeeperOptions withConnectTimeout(Duration timeout) {
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
    public ZooKeeperOptions withCommandTimeout(Duration timeout) {
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
    public ZooKeeperOptions withIdleLife(Duration idleLife) {
        IdleLife.millis(idleLife);
        return with(s -> s.idleLife = idleLife);
    }

    /**
     * Sets how exactly the client must know the time of the ensemble's leader. A lock whose lease ends without a
     * release stays closed for as much longer. If every write takes longer than this to be answered, commands fail.
     * Default: 100 ms.
     *
     * @param tolerance 20 ms to 900 ms
     * @return these options with that tolerance
     * @throws IllegalArgumentException if the tolerance is shorter or longer
     */
    public ZooKeeperOptions withClockTolerance(Duration tolerance) {
        return with(s -> s.clockTolerance =
                Durations.between("clockTolerance", tolerance, Duration.ofMillis(20), Duration.ofMillis(900)));
    }

    /**
     * Sets a name and a password for ZooKeeper's scheme {@code digest}, and lets only clients that have the same ones
     * read and write the nodes that are made. The password is sent in clear unless the connection has TLS. Not used
     * with a framework of the user's. Default: none.
     *
     * @param user the name, without a colon
     * @param password the password
     * @return these options with that digest
     * @throws IllegalArgumentException if the name is empty or contains a colon
     */
    public ZooKeeperOptions withDigest(String user, String password) {
        Objects.requireNonNull(password, "password");
        if (user.isEmpty() || user.indexOf(':') >= 0) {
            throw new IllegalArgumentException("user must not be empty and not contain a colon");
        }
        return with(s -> {
            s.digest = Optional.of(user + ":" + password);
            s.acl = ZooDefs.Ids.CREATOR_ALL_ACL;
        });
    }

    /**
     * Sets the access rights of the nodes that are made. All clients need the rights to read, create, delete and write.
     * Default: every client has all rights.
     *
     * @param acl the rights, not empty
     * @return these options with those rights
     * @throws IllegalArgumentException if there are none
     */
    public ZooKeeperOptions withAcl(List<ACL> acl) {
        if (acl.isEmpty()) {
            throw new IllegalArgumentException("acl must not be empty");
        }
        List<ACL> copy = new ArrayList<>(acl); // ZooKeeper asks whether it contains null
        return with(s -> s.acl = Collections.unmodifiableList(copy));
    }

    /**
     * Turns on TLS, and sets the certificate authorities to trust. The servers' certificates must also be for the names
     * or addresses by which the client connects. The connect string lists the servers' {@code secureClientPort}. Not
     * used with a framework of the user's. Default: no TLS.
     *
     * @param authorities a file with one or more PEM certificates; read for each connection
     * @return these options with TLS and these authorities
     * @throws IllegalArgumentException if the file does not exist or cannot be read
     */
    public ZooKeeperOptions withTrustedCertificates(Path authorities) {
        return withTls(new ZooKeeperTls(ZooKeeperTls.readable("authorities", authorities), values.tls.certificate()));
    }

    /**
     * Turns on TLS, and sets the certificate that the client presents. Servers require one unless they have
     * {@code ssl.clientAuth=none}. If no {@linkplain #withTrustedCertificates authorities} are set, those are trusted
     * that the JVM trusts. Not used with a framework of the user's. Default: none.
     *
     * @param certificate a file with the client's certificate, any intermediate certificates, and the private key as
     *     unencrypted PKCS&nbsp;#8, all in PEM; read for each connection
     * @return these options with TLS and that certificate
     * @throws IllegalArgumentException if the file does not exist or cannot be read
     */
    public ZooKeeperOptions withClientCertificate(Path certificate) {
        return withTls(new ZooKeeperTls(values.tls.authorities(), ZooKeeperTls.readable("certificate", certificate)));
    }

    private ZooKeeperOptions withTls(ZooKeeperTls changed) {
        return with(s -> s.tls = changed);
    }

    /**
     * Returns the node under which the backend keeps everything.
     *
     * @return the path
     */
    public String root() {
        return values.root;
    }

    /**
     * Returns the session timeout that is asked for.
     *
     * @return the timeout
     */
    public Duration sessionTimeout() {
        return values.sessionTimeout;
    }

    /**
     * Returns how long the creation of a client waits for the connection, and for the client's nodes.
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
     * Returns how exactly the client must know the time of the ensemble's leader.
     *
     * @return the tolerance
     */
    public Duration clockTolerance() {
        return values.clockTolerance;
    }

    /**
     * Returns the access rights of the nodes that are made.
     *
     * @return the rights
     */
    public List<ACL> acl() {
        return values.acl;
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

    /** Returns the name and the password with a colon between them; empty if there are none. Secret. */
    Optional<String> digest() {
        return values.digest;
    }

    ZooKeeperTls tls() {
        return values.tls;
    }

    @Override
    public String toString() {
        Values s = values;
        return "ZooKeeperOptions[root=" + s.root + ", sessionTimeout=" + s.sessionTimeout + ", connectTimeout="
                + s.connectTimeout
                + ", commandTimeout="
                + s.commandTimeout + ", idleLife=" + s.idleLife + ", clockTolerance=" + s.clockTolerance
                + (s.digest.isPresent() ? ", digest=(hidden)" : "")
                + (s.tls.isUsed() ? ", tls=" + s.tls : "") + "]";
    }
}
