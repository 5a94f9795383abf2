// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.address;

import static io.boltwork.spi.PrintableLog.LOG;

import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.StaticCredentialsProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/**
 * Warns of connections whose traffic others in the network can read or change. Each backend has its own instance, which
 * logs each kind of problem once. Thread-safe.
 */
public final class InsecureTransport {
    private static final Pattern LOOPBACK =
            Pattern.compile("(.+\\.)?localhost\\.?|127(\\.\\d{1,3}){3}|::1|(0{1,4}:){7}0{0,3}1");

    private final RedisDeployment deployment;
    private final AtomicBoolean hasWarnedOfPassword = new AtomicBoolean();

    public InsecureTransport(RedisDeployment deployment) {
        this.deployment = deployment;
    }

    /** Checks the addresses that the application has given, before the backend connects to one of them. */
    public void check(boolean hasSentinelCredentials) {
        List<RedisURI> addresses = new ArrayList<>(List.of(deployment.node().lettuce()));
        deployment.members().forEach(member -> addresses.add(member.lettuce()));
        if (addresses.stream().anyMatch(uri -> uri.isSsl() && uri.getVerifyMode() == SslVerifyMode.NONE)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TLS to {0} does not check the server''s certificate (verifyPeer=none): any server in between can"
                            + " read and change everything, including the password",
                    deployment);
        }
        if (hasSentinelCredentials || addresses.stream().anyMatch(uri -> hasPassword(uri))) {
            addresses.stream()
                    .filter(uri -> isReadable(uri))
                    .findFirst()
                    .ifPresent(uri -> warnOfPassword(uri.getHost()));
        }
    }

    /**
     * Checks the address of a server to which a connection is about to be made. Sentinels and nodes of a cluster may
     * have named it.
     */
    public void connecting(RedisURI server) {
        if (isReadable(server) && hasPassword(server)) {
            warnOfPassword(server.getHost());
        }
    }

    private void warnOfPassword(String host) {
        if (hasWarnedOfPassword.compareAndSet(false, true)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The password for {0} goes through the network to {1} in the clear, and so do all commands; use"
                            + " rediss:// or rediss-sentinel://",
                    deployment,
                    host);
        }
    }

    private static boolean isReadable(RedisURI uri) {
        return !uri.isSsl() && !isLoopback(uri.getHost());
    }

    /**
     * Returns whether an address has a password. An address with a credentials provider of the application counts as
     * having one, because the provider is asked only when a connection is made.
     */
    private static boolean hasPassword(RedisURI uri) {
        return !(uri.getCredentialsProvider() instanceof StaticCredentialsProvider fixed)
                || fixed.resolveCredentialsNow().hasPassword();
    }

    /** Returns whether a host is this machine, by its name or address alone. Does not ask a name server. */
    static boolean isLoopback(String host) {
        return LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).matches();
    }
}
