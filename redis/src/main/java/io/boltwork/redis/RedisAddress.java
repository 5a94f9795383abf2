package io.boltwork.redis;

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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which server, as whom: {@code redis[s]://[[user:]password@]host[:port][/database][?timeout=2s]}. What is wrong with a URI
 * is said without the URI, because of the password in it.
 *
 * @param lettuce the same for Lettuce
 * @param commandTimeout how long an answer may take
 * @param text the address without its password
 */
record RedisAddress(RedisURI lettuce, Duration commandTimeout, String text) {
    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);
    private static final int DEFAULT_PORT = 6379;
    private static final String EXAMPLE = ", for example redis://localhost:6379";
    private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*)://.*", Pattern.DOTALL);
    private static final Pattern AUTHORITY = Pattern.compile("(?:(.*)@)?(\\[[^\\]@]+]|[^:@\\[\\],]+)(?::(\\d{1,5}))?");
    private static final Pattern TIMEOUT = Pattern.compile("(\\d{1,12})(us|ms|s|m|h|)");
    private static final Pattern DATABASE = Pattern.compile("\\d{1,9}");
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "us", ChronoUnit.MICROS,
            "ms", ChronoUnit.MILLIS,
            "", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS);

    static RedisAddress parse(String uri) {
        Objects.requireNonNull(uri, "uri");
        boolean tls = isTls(uri);
        URI parsed = parsed(uri);
        Matcher authority = AUTHORITY.matcher(parsed.getRawAuthority() == null ? "" : parsed.getRawAuthority());
        if (!authority.matches()) {
            throw wrong("must name one host, with a port between 1 and 65535 if any" + EXAMPLE
                    + "; characters such as @ and : in user or password are written as %40 and %3A");
        }
        if (parsed.getRawFragment() != null) {
            throw wrong("must have no # in it; in a user or password it is written as %23");
        }
        String host = authority.group(2);
        int port = authority.group(3) == null ? DEFAULT_PORT : port(authority.group(3));
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

    /** Host and port, as in messages. */
    String hostAndPort() {
        String host = lettuce.getHost();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + lettuce.getPort();
    }

    @Override
    public String toString() {
        return text;
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
                throw wrong("must begin with redis:// or, for TLS, rediss://, not with " + scheme.group(1) + "://"
                        + EXAMPLE);
        };
    }

    private static URI parsed(String uri) {
        try {
            return new URI(uri);
        } catch (URISyntaxException e) { // it quotes the URI, password and all
            throw wrong("is not a valid URI (" + e.getReason() + " at index " + e.getIndex()
                    + "); special characters in user or password are written as % and two hexadecimal digits");
        }
    }

    private static int port(String digits) {
        int port = Integer.parseInt(digits);
        if (port < 1 || port > 65_535) {
            throw wrong("must have a port between 1 and 65535, not " + port);
        }
        return port;
    }

    private static String decoded(String raw) {
        return URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private static IllegalArgumentException wrong(String what) {
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
            // at hand: a provider that is asked for them moves the handshake to another thread, where Lettuce may
            // mistake a
            // wrong password for a broken connection
            lettuce.withAuthentication(new StaticCredentialsProvider(user, password));
        }

        void database(String number) {
            if (!DATABASE.matcher(number).matches()) {
                throw wrong("must have the number of a database after the /, if anything");
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
                    throw wrong("has an unknown parameter '" + name
                            + "'; known are timeout, database, clientName and, for rediss://, verifyPeer");
            }
        }

        private static Duration timeout(String value) {
            Matcher matcher = TIMEOUT.matcher(value.toLowerCase(Locale.ROOT));
            if (matcher.matches()) {
                Duration timeout = Duration.of(Long.parseLong(matcher.group(1)), UNITS.get(matcher.group(2)));
                if (timeout.toMillis() > 0) {
                    return timeout;
                }
            }
            throw wrong("has a timeout of '" + value
                    + "'; right is a time of at least 1 ms with one of the units us, ms, s, m, h, such as timeout=2s");
        }

        private SslVerifyMode verifyMode(String value) {
            if (!tls) {
                throw wrong("has verifyPeer, which only rediss:// knows");
            }
            for (SslVerifyMode mode : SslVerifyMode.values()) {
                if (mode.name().equalsIgnoreCase(value)) {
                    return mode;
                }
            }
            throw wrong("has a verifyPeer of '" + value + "'; right is full, ca or none");
        }

        RedisAddress build() {
            String text = (tls ? "rediss://" : "redis://") + (user == null ? "" : user + "@") + host + "/" + database;
            return new RedisAddress(lettuce.build(), commandTimeout, text);
        }
    }
}
