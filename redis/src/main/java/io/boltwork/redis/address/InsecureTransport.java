package io.boltwork.redis.address;

import io.boltwork.spi.Printable;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.StaticCredentialsProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Warns of addresses whose traffic others in the network can read or change. */
public final class InsecureTransport {
    private static final System.Logger LOG = System.getLogger("io.boltwork");
    private static final Pattern LOOPBACK =
            Pattern.compile("(.+\\.)?localhost\\.?|127(\\.\\d{1,3}){3}|::1|(0{1,4}:){7}0{0,3}1");

    private InsecureTransport() {}

    /** Logs what is insecure about a deployment before the backend connects to it. Each kind of problem is one line. */
    public static void warn(RedisDeployment deployment, boolean hasSentinelCredentials) {
        List<RedisURI> addresses = new ArrayList<>(List.of(deployment.node().lettuce()));
        deployment.members().forEach(member -> addresses.add(member.lettuce()));
        if (addresses.stream().anyMatch(uri -> uri.isSsl() && uri.getVerifyMode() == SslVerifyMode.NONE)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "TLS to {0} does not check the server''s certificate (verifyPeer=none): any server in between can read and"
                            + " change everything, including the password",
                    Printable.all(deployment));
        }
        boolean elsewhere = addresses.stream().anyMatch(uri -> !uri.isSsl() && !isLoopback(uri.getHost()));
        if (elsewhere && (hasSentinelCredentials || addresses.stream().anyMatch(uri -> hasPassword(uri)))) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The password for {0} goes through the network in the clear, and so do all commands; use rediss:// or"
                            + " rediss-sentinel://",
                    Printable.all(deployment));
        }
    }

    /**
     * Returns whether an address has a password. Credentials providers of the application count as having one,
     * because they are asked only when a connection is made.
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
