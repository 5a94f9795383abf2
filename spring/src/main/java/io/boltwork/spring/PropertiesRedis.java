package io.boltwork.spring;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** {@code spring.data.redis.*} in an application without Spring Data Redis. */
final class PropertiesRedis implements ApplicationRedis {
    private static final String PREFIX = "spring.data.redis";

    /** The ones that say where Redis is. */
    record Redis(
            @Nullable String url,
            @DefaultValue("localhost") String host,
            @DefaultValue("6379") int port,
            @Nullable String username,
            @Nullable String password,
            @DefaultValue("0") int database,
            @Nullable Sentinel sentinel,
            @Nullable Nodes cluster,
            @Nullable Nodes masterreplica,
            @DefaultValue Ssl ssl) {}

    record Sentinel(
            String master,
            List<String> nodes,
            @Nullable String username,
            @Nullable String password) {}

    record Nodes(@DefaultValue List<String> nodes) {}

    record Ssl(
            @DefaultValue("false") boolean enabled,
            @Nullable String bundle) {}

    private final Redis redis;
    private final @Nullable SslBundles bundles;

    PropertiesRedis(Environment environment, @Nullable SslBundles bundles) {
        this.redis = Binder.get(environment).bindOrCreate(PREFIX, Redis.class);
        this.bundles = bundles;
    }

    @Override
    public RedisTarget target(@Nullable Duration timeout) {
        RedisTarget.Builder target = new RedisTarget.Builder(PREFIX)
                .credentials(redis.username(), redis.password())
                .database(redis.database())
                .timeout(timeout)
                .tls(redis.ssl().enabled(), bundle());
        if (redis.sentinel() != null) {
            Sentinel sentinel = redis.sentinel();
            target.sentinel(sentinel.master(), sentinel.username(), sentinel.password());
            sentinel.nodes().forEach(target::node);
        } else if (redis.cluster() != null) {
            target.kind(RedisTarget.Kind.CLUSTER);
            redis.cluster().nodes().forEach(target::node);
        } else if (redis.masterreplica() != null) {
            target.kind(RedisTarget.Kind.REPLICATED);
            redis.masterreplica().nodes().forEach(target::node);
        } else if (StringUtils.hasText(redis.url())) {
            return ofUrl(redis.url(), timeout);
        } else {
            target.node(redis.host(), redis.port());
        }
        return target.build();
    }

    /** Boltwork's own form is the same, but for the user's name of one who has none. */
    private RedisTarget ofUrl(String url, @Nullable Duration timeout) {
        URI uri = URI.create(url);
        String user = uri.getUserInfo();
        int colon = user == null ? -1 : user.indexOf(':');
        String path = uri.getPath() == null ? "" : uri.getPath().replace("/", "");
        return new RedisTarget.Builder(PREFIX)
                .credentials(
                        colon < 1 ? redis.username() : user.substring(0, colon),
                        user == null ? redis.password() : user.substring(colon + 1))
                .node(uri.getHost(), uri.getPort() < 0 ? 6379 : uri.getPort())
                .database(path.isEmpty() ? redis.database() : Integer.parseInt(path))
                .timeout(timeout)
                .tls("rediss".equals(uri.getScheme()), bundle())
                .build();
    }

    private @Nullable SslBundle bundle() {
        String name = redis.ssl().bundle();
        return bundles == null || !StringUtils.hasText(name) ? null : bundles.getBundle(name);
    }
}
