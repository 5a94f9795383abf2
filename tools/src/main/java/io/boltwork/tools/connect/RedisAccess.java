// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.connect;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Connections to the servers of a Redis store, one by one, with the credentials and the TLS settings of the user. For
 * commands that look at a server instead of at locks. Thread-safe.
 */
public final class RedisAccess implements AutoCloseable {
    private static final int PORT = 6379;
    private static final Pattern DATABASE =
            Pattern.compile("^/(\\d{1,9})(?=$|\\?)|[?&](?i:database|db)=(\\d{1,9})(?=$|&)");

    private final RedisClient client = RedisClient.create();
    private final Duration connectTimeout;
    private final boolean tls;
    private final SslVerifyMode verification;
    private final @Nullable String user;
    private final @Nullable String password;
    private final int database;
    private final List<String> servers;
    private final boolean areSentinels;

    private RedisAccess(String uri, StoreOptions options) {
        String scheme = uri.substring(0, uri.indexOf(':')).toLowerCase(Locale.ROOT);
        connectTimeout = options.connectTimeout();
        tls = scheme.startsWith("rediss");
        areSentinels = scheme.endsWith("-sentinel");
        String afterScheme = uri.substring(Math.min(uri.length(), uri.indexOf("://") + 3));
        String authority = afterScheme.split("[/?#]", 2)[0];
        int at = authority.lastIndexOf('@');
        String credentials = at < 0 ? "" : authority.substring(0, at);
        int colon = credentials.indexOf(':');
        user = colon > 0 ? decoded(credentials.substring(0, colon)) : null;
        password = credentials.isEmpty() ? null : decoded(credentials.substring(colon + 1));
        servers = Arrays.stream(authority.substring(at + 1).split(","))
                .map(each -> each.matches(".*:\\d+") ? each : each + ":" + PORT)
                .toList();
        database = database(afterScheme.substring(authority.length()));
        String lower = afterScheme.toLowerCase(Locale.ROOT);
        verification = lower.contains("verifypeer=none")
                ? SslVerifyMode.NONE
                : lower.contains("verifypeer=ca") ? SslVerifyMode.CA : SslVerifyMode.FULL;
        client.setOptions(ClientOptions.builder()
                .autoReconnect(false)
                .socketOptions(
                        SocketOptions.builder().connectTimeout(connectTimeout).build())
                .sslOptions(ssl(options))
                .build());
    }

    /** Returns the database that a URI names behind its servers: {@code /N} or {@code ?database=N}. */
    private static int database(String rest) {
        Matcher named = DATABASE.matcher(rest.split("#", 2)[0]);
        int found = 0;
        while (named.find()) {
            found = Integer.parseInt(named.group(1) == null ? named.group(2) : named.group(1));
        }
        return found;
    }

    /** Returns access to the servers of the options' store. Does not connect. */
    public static RedisAccess of(StoreOptions options) {
        return new RedisAccess(
                StoreUri.withCredentials(options.uri().strip(), options.user, options.password()), options);
    }

    private static SslOptions ssl(StoreOptions options) {
        SslOptions.Builder ssl = SslOptions.builder().jdkSslProvider();
        if (options.authorities != null) {
            ssl.trustManager(options.authorities.toFile());
        }
        if (options.certificate != null && options.key != null) {
            ssl.keyManager(options.certificate.toFile(), options.key.toFile(), null);
        }
        return ssl.build();
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /** Returns the servers that the URI names, as {@code host:port}. Empty if these are sentinels. */
    public List<String> servers() {
        return areSentinels ? List.of() : servers;
    }

    /** Returns the number of the database. */
    public int database() {
        return database;
    }

    /** Connects to a server, in the database of the URI. */
    public StatefulRedisConnection<String, String> connect(String server) {
        return client.connect(address(server));
    }

    /** Connects to a server for its messages. */
    public StatefulRedisPubSubConnection<String, String> connectPubSub(String server) {
        return client.connectPubSub(address(server));
    }

    private RedisURI address(String server) {
        int colon = server.lastIndexOf(':');
        String host = server.substring(0, colon).replaceAll("^\\[|]$", "");
        RedisURI.Builder address = RedisURI.builder()
                .withHost(host)
                .withPort(Integer.parseInt(server.substring(colon + 1)))
                .withSsl(tls)
                .withVerifyPeer(verification)
                .withDatabase(database)
                .withTimeout(connectTimeout);
        if (password != null && user != null) {
            address.withAuthentication(user, password.toCharArray());
        } else if (password != null) {
            address.withPassword(password.toCharArray());
        }
        return address.build();
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
