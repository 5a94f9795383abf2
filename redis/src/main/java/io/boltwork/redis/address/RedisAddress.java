// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.address;

import io.boltwork.spi.Printable;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.StaticCredentialsProvider;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of a server, with user and password: {@code
 * redis[s]://[[user:]password@]host[:port][/database][?timeout=2s]}. Messages never quote a malformed URI, because a
 * password with a special character may be anywhere in it.
 *
 * @param lettuce the same address for Lettuce
 * @param commandTimeout how long an answer may take
 * @param text the address without its password
 */
public record RedisAddress(RedisURI lettuce, Duration commandTimeout, String text) {
    /** The longest time for making a connection, unless another one is set. */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    /** Lettuce's own limit counts time in which this process gets no processor; so it must not be the first to end. */
    private static final int LETTUCE_TIMES = 2;

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);
    private static final int DEFAULT_PORT = 6379;
    private static final String EXAMPLE = ", for example redis://localhost:6379";
    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://.*", Pattern.DOTALL);
    private static final Pattern AUTHORITY = Pattern.compile("(?:(.*)@)?(\\[[^\\]@]+]|[^:@\\[\\],]+)(?::(\\d{1,5}))?");
    private static final Pattern TIMEOUT = Pattern.compile("(\\d{1,12})(us|ms|s|m|h)");
    private static final Pattern DATABASE = Pattern.compile("\\d{1,9}");
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "us", ChronoUnit.MICROS,
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS);

    public static RedisAddress parse(String uri) {
        return parse(uri, DEFAULT_PORT);
    }

    /** Reads a URI, with the given default port. */
    static RedisAddress parse(String uri, int defaultPort) {
        Objects.requireNonNull(uri, "uri");
        boolean tls = isTls(uri);
        URI parsed = parsed(uri);
        Matcher authority = AUTHORITY.matcher(parsed.getRawAuthority() == null ? "" : parsed.getRawAuthority());
        if (!authority.matches()) {
            throw wrong("must name one host, and a port between 1 and 65535 or none" + EXAMPLE
                    + "; characters such as @ : / ? in user or password are written as %40 %3A %2F %3F");
        }
        if (parsed.getRawFragment() != null) {
            throw wrong("must have no #; in a user or password write it as %23");
        }
        String host = authority.group(2);
        int port = authority.group(3) == null ? defaultPort : port(authority.group(3));
        Builder builder = new Builder(tls, host, port);
        if (authority.group(1) != null) {
            builder.credentials(authority.group(1));
        }
        String path = parsed.getRawPath();
        if (path != null && path.length() > 1) {
            builder.database(path.substring(1));
        }
        if (parsed.getRawQuery() != null) {
            for (String parameter : parsed.getRawQuery().split("&")) {
                builder.parameter(parameter);
            }
        }
        return builder.build();
    }

    /** Copies a URI of Lettuce. Later changes of the original have no effect. */
    static RedisAddress of(RedisURI uri) {
        Objects.requireNonNull(uri, "uri");
        if (!uri.getSentinels().isEmpty() || uri.getSentinelMasterId() != null) {
            throw wrong("must not have sentinels here; give the address of one server");
        }
        if (uri.getSocket() != null) {
            throw wrong("must name a host, not a Unix domain socket");
        }
        String host = uri.getHost();
        if (host == null || host.isBlank() || host.indexOf(',') >= 0) {
            throw wrong("must name one host");
        }
        checkPort(uri.getPort());
        Duration timeout = uri.getTimeout();
        if (timeout.equals(RedisURI.DEFAULT_TIMEOUT_DURATION)) {
            timeout = COMMAND_TIMEOUT;
        } else if (!isTimeout(timeout)) {
            throw wrong("must have a timeout between 1 ms and 1 day");
        }
        RedisURI copy = copy(uri);
        copy.setHost(host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host);
        copy.setTimeout(CONNECT_TIMEOUT);
        if (isLettuces(uri.getCredentialsProvider())) {
            copy.setCredentialsProvider(new StaticCredentialsProvider(
                    uri.getCredentialsProvider().resolveCredentials().toFuture().join()));
        }
        return new RedisAddress(copy, timeout, text(copy));
    }

    /** Returns whether Lettuce itself has made a provider, for the fixed password in a URI. */
    private static boolean isLettuces(RedisCredentialsProvider provider) {
        return provider.getClass().getName().startsWith(RedisURI.class.getName());
    }

    private static boolean isTimeout(Duration timeout) {
        return timeout.compareTo(Duration.ofMillis(1)) >= 0 && timeout.compareTo(Duration.ofDays(1)) <= 0;
    }

    private static String text(RedisURI uri) {
        return (uri.isSsl() ? "rediss://" : "redis://") + user(uri) + hostAndPort(uri) + "/" + uri.getDatabase();
    }

    /** Returns the same address with another connect timeout. */
    RedisAddress withConnectTimeout(Duration timeout) {
        RedisURI copy = copy(lettuce);
        copy.setTimeout(timeout);
        return new RedisAddress(copy, commandTimeout, text);
    }

    /** Returns the longest time for making a connection. */
    public Duration connectTimeout() {
        return lettuce.getTimeout();
    }

    /** Returns the address of another server, with the same user and settings. */
    public RedisAddress at(String host, int port) {
        RedisURI copy = copy(lettuce);
        copy.setHost(host);
        copy.setPort(port);
        return new RedisAddress(copy, commandTimeout, text(copy));
    }

    /** Returns the address of a sentinel, with the same settings. A sentinel has its own users and no databases. */
    RedisAddress sentinel(String host, int port, RedisCredentialsProvider credentials) {
        RedisURI copy = copy(lettuce);
        copy.setHost(host);
        copy.setPort(port);
        copy.setDatabase(0);
        copy.setCredentialsProvider(credentials);
        return new RedisAddress(copy, commandTimeout, text(copy));
    }

    /** Returns the same address with another provider of credentials. */
    RedisAddress withCredentials(RedisCredentialsProvider provider) {
        RedisURI copy = copy(lettuce);
        copy.setCredentialsProvider(provider);
        return new RedisAddress(copy, commandTimeout, text(copy));
    }

    /** Returns whether the credentials may change, because a provider of the application gives them. */
    public boolean hasProvider() {
        return !(lettuce.getCredentialsProvider() instanceof StaticCredentialsProvider);
    }

    /** Returns the login of a new connection. Asks the provider of the credentials, if there is one. */
    public CompletionStage<Login> login() {
        RedisURI copy = copy(lettuce);
        copy.setTimeout(connectTimeout().multipliedBy(LETTUCE_TIMES));
        return lettuce.getCredentialsProvider() instanceof ChangingCredentials changing
                ? changing.forConnection().thenApply(given -> Login.changing(copy, given, changing))
                : CompletableFuture.completedFuture(Login.fixed(copy));
    }

    /** Returns the login of a new connection beside another one. Asks no provider. */
    public Login latestLogin() {
        RedisURI copy = copy(lettuce);
        return lettuce.getCredentialsProvider() instanceof ChangingCredentials changing
                ? Login.changing(copy, changing.latest(), changing)
                : Login.fixed(copy);
    }

    /** Copies all settings. Lettuce's own method omits some. */
    static RedisURI copy(RedisURI uri) {
        RedisURI copy = new RedisURI();
        copy.setHost(uri.getHost());
        copy.setPort(uri.getPort());
        copy.setDatabase(uri.getDatabase());
        copy.setClientName(uri.getClientName());
        copy.setDriverInfo(uri.getDriverInfo());
        copy.setLibraryVersion(uri.getLibraryVersion());
        copy.applyAuthentication(uri);
        copy.applySsl(uri);
        copy.setTimeout(uri.getTimeout());
        return copy;
    }

    /** Returns the user's name, if it is known already. */
    static String user(RedisURI uri) {
        String name = fixed(uri).getUsername();
        return name == null || name.isEmpty() ? "" : name + "@";
    }

    /** Returns the credentials that are known without a provider, perhaps none. */
    static RedisCredentials fixed(RedisURI uri) {
        return uri.getCredentialsProvider() instanceof StaticCredentialsProvider fixed
                ? fixed.resolveCredentialsNow()
                : Login.NONE;
    }

    /** Returns host and port, as in messages. */
    public String hostAndPort() {
        return hostAndPort(lettuce);
    }

    static String hostAndPort(RedisURI lettuce) {
        String host = lettuce.getHost();
        return Printable.text((host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + lettuce.getPort());
    }

    @Override
    public String toString() {
        return Printable.text(text);
    }

    private static boolean isTls(String uri) {
        Matcher scheme = SCHEME.matcher(uri);
        if (!scheme.matches()) {
            throw wrong("must begin with redis:// or rediss://" + EXAMPLE);
        }
        return switch (scheme.group(1).toLowerCase(Locale.ROOT)) {
            case "redis" -> false;
            case "rediss" -> true;
            default ->
                throw wrong("must begin with redis:// or, for TLS, rediss://, and not with another scheme" + EXAMPLE);
        };
    }

    private static URI parsed(String uri) {
        try {
            return new URI(uri);
        } catch (URISyntaxException e) { // the cause quotes the URI with the password
            throw wrong("is not a valid URI (" + e.getReason() + " at index " + e.getIndex()
                    + "); special characters in user or password are written as % and two hexadecimal digits");
        }
    }

    private static int port(String digits) {
        int port = Integer.parseInt(digits);
        checkPort(port);
        return port;
    }

    private static void checkPort(int port) {
        if (port < 1 || port > 65_535) {
            throw wrong("must have a port between 1 and 65535");
        }
    }

    static String decoded(String raw) {
        try {
            return URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) { // the cause may quote a password
            throw wrong("must have two hexadecimal digits after each %");
        }
    }

    static IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("uri " + what);
    }

    /** Collects the parts of an address. */
    private static final class Builder {
        private final boolean tls;
        private final String host;
        private final RedisURI.Builder lettuce;
        private @Nullable String user;
        private int database;
        private Duration commandTimeout = COMMAND_TIMEOUT;

        Builder(boolean tls, String host, int port) {
            this.tls = tls;
            this.host = host + ":" + port;
            String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
            this.lettuce = RedisURI.Builder.redis(bare, port).withSsl(tls).withTimeout(CONNECT_TIMEOUT);
        }

        void credentials(String raw) {
            int colon = raw.indexOf(':');
            String name = colon < 0 ? "" : decoded(raw.substring(0, colon));
            char[] password = decoded(raw.substring(colon + 1)).toCharArray();
            if (password.length == 0) {
                throw wrong("must have a password after the user, or neither");
            }
            user = name.isEmpty() ? null : name;
            lettuce.withAuthentication(new StaticCredentialsProvider(user, password));
        }

        void database(String number) {
            if (!DATABASE.matcher(number).matches()) {
                throw wrong("must have the number of a database or nothing after the /");
            }
            database = Integer.parseInt(number);
            lettuce.withDatabase(database);
        }

        void parameter(String parameter) {
            int equals = parameter.indexOf('=');
            String name = equals < 0 ? parameter : parameter.substring(0, equals);
            String value = equals < 0 ? "" : decoded(parameter.substring(equals + 1));
            switch (name.toLowerCase(Locale.ROOT)) {
                case "timeout" -> commandTimeout = timeout(value);
                case "database", "db" -> database(value);
                case "clientname" -> lettuce.withClientName(value);
                case "verifypeer" -> lettuce.withVerifyPeer(verifyMode(value));
                default ->
                    throw wrong("has an unknown parameter after the ?; known are timeout, database, clientName and, for"
                            + " rediss://, verifyPeer");
            }
        }

        private static Duration timeout(String value) {
            Matcher matcher = TIMEOUT.matcher(value.toLowerCase(Locale.ROOT));
            if (matcher.matches()) {
                Duration timeout = Duration.of(Long.parseLong(matcher.group(1)), UNITS.get(matcher.group(2)));
                if (isTimeout(timeout)) {
                    return timeout;
                }
            }
            throw wrong(
                    "has an invalid timeout; use a time between 1 ms and 1 day, and one of the units us, ms, s, m, h,"
                            + " such as timeout=2s");
        }

        private SslVerifyMode verifyMode(String value) {
            if (!tls) {
                throw wrong("has verifyPeer, which only rediss:// supports");
            }
            for (SslVerifyMode mode : SslVerifyMode.values()) {
                if (mode.name().equalsIgnoreCase(value)) {
                    return mode;
                }
            }
            throw wrong("has an unknown verifyPeer; use full, ca or none");
        }

        RedisAddress build() {
            String text = (tls ? "rediss://" : "redis://") + (user == null ? "" : user + "@") + host + "/" + database;
            return new RedisAddress(lettuce.build(), commandTimeout, text);
        }
    }
}
