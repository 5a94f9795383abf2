// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import io.boltwork.spring.properties.SecretValues;
import io.boltwork.spring.properties.SpringRedisProperties;
import io.boltwork.spring.properties.WrongPropertyException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Reads {@code spring.data.redis.*} in an application without Spring Data Redis. */
public final class PropertiesRedis implements ApplicationRedis {
    private static final String PREFIX = "spring.data.redis";

    /** Accepts host names with underscores, which containers may have and {@link java.net.URI} rejects. */
    private static final Pattern URL = Pattern.compile("(?<scheme>rediss?)://(?:(?<user>[^@/?#]*)@)?"
            + "(?<host>\\[[^\\]@]+]|[^:/?#@\\[\\]]+)(?::(?<port>\\d{1,5}))?(?:/(?<database>\\d{1,9})?)?(?:[?#].*)?");

    private static final String WRONG_URL =
            "It must have the form 'redis://user:password@host:6379/0', or begin with 'rediss://'"
                    + " for TLS. Special characters in user or password are written as % and two hexadecimal digits.";

    private final SpringRedisProperties redis;
    private final @Nullable SslBundles bundles;

    public PropertiesRedis(Environment environment, @Nullable SslBundles bundles) {
        this.redis = Binder.get(environment)
                .bindOrCreate(PREFIX, Bindable.of(SpringRedisProperties.class), SecretValues.HANDLER);
        this.bundles = bundles;
    }

    @Override
    public RedisLocation target(@Nullable Duration timeout) {
        RedisLocation.Builder target = new RedisLocation.Builder(PREFIX)
                .credentials(redis.username(), redis.password())
                .database(redis.database())
                .timeout(timeout)
                .clientName(redis.clientName())
                .tls(redis.ssl().enabled(), bundle());
        if (redis.sentinel() != null) {
            SpringRedisProperties.Sentinel sentinel = redis.sentinel();
            target.sentinel(sentinel.master(), sentinel.username(), sentinel.password());
            sentinel.nodes().forEach(target::node);
        } else if (redis.cluster() != null) {
            target.kind(RedisLocation.Kind.CLUSTER);
            redis.cluster().nodes().forEach(target::node);
        } else if (redis.masterreplica() != null) {
            target.kind(RedisLocation.Kind.REPLICATED);
            redis.masterreplica().nodes().forEach(target::node);
        } else if (StringUtils.hasText(redis.url())) {
            return ofUrl(redis.url(), timeout);
        } else {
            target.node(redis.host(), redis.port());
        }
        return target.build();
    }

    /**
     * Parses a URL. If the URL contains a password but no user, the user is taken from
     * {@code spring.data.redis.username}.
     */
    private RedisLocation ofUrl(String url, @Nullable Duration timeout) {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw WrongPropertyException.hidden(PREFIX + ".url", WRONG_URL);
        }
        String user = parts.group("user");
        int colon = user == null ? -1 : user.indexOf(':');
        String port = parts.group("port");
        String database = parts.group("database");
        return new RedisLocation.Builder(PREFIX + ".url")
                .credentials(
                        colon < 1 ? redis.username() : decoded(user.substring(0, colon)),
                        user == null ? redis.password() : decoded(user.substring(colon + 1)))
                .node(parts.group("host") + (port == null ? "" : ":" + port))
                .database(database == null ? redis.database() : Integer.parseInt(database))
                .timeout(timeout)
                .clientName(redis.clientName())
                .tls("rediss".equals(parts.group("scheme")), bundle())
                .build();
    }

    private static String decoded(String raw) {
        try {
            return URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException quotesTheText) {
            throw WrongPropertyException.hidden(PREFIX + ".url", WRONG_URL);
        }
    }

    private @Nullable SslBundle bundle() {
        String name = redis.ssl().bundle();
        return bundles == null || !StringUtils.hasText(name) ? null : bundles.getBundle(name);
    }
}
