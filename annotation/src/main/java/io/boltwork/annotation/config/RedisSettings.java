// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.config;

import io.boltwork.redis.Bridge;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import io.boltwork.spi.LockBackend;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The settings {@code boltwork.redis.*}. */
final class RedisSettings {
    private RedisSettings() {}

    static LockBackend connect(Section redis) {
        String uri = redis.text("uri");
        if (uri == null) {
            throw WrongSettingException.wrong(
                    redis.prefix() + "uri",
                    "It is missing.",
                    "Set it to the address of Redis, such as redis://localhost:6379, or define a bean of the type"
                            + " LockClient.");
        }
        RedisOptions options = options(redis);
        Duration timeout = redis.duration("timeout");
        String timed = timeout == null || uri.contains("timeout=") ? uri : withTimeout(uri, timeout);
        return redis.apply("uri", timed, address -> RedisBackend.connect(address, options));
    }

    private static RedisOptions options(Section redis) {
        // the application starts while Redis is down
        RedisOptions options = RedisOptions.defaults().withLazyConnect(redis.flag("lazy-connect", true));
        options = redis.with(options, "key-prefix", redis.text("key-prefix"), options::keyPrefix);
        options = redis.with(options, "idle-life", redis.duration("idle-life"), options::withIdleLife);
        options =
                redis.with(options, "connect-timeout", redis.duration("connect-timeout"), options::withConnectTimeout);
        options = redis.with(
                options, "trusted-certificates", redis.path("trusted-certificates"), options::withTrustedCertificates);
        options = redis.with(
                options, "direct-connections", redis.integer("direct-connections"), options::withDirectConnections);
        options = identified(redis, options);
        List<String> bridge = redis.list("bridge");
        if (!bridge.isEmpty()) {
            options = options.withBridge(
                    redis.apply("bridge", bridge, names -> Bridge.redisson().withNames(names.toArray(String[]::new))));
        }
        String password = redis.text("sentinel-password");
        if (password == null && redis.text("sentinel-username") != null) {
            throw WrongSettingException.wrong(
                    redis.prefix() + "sentinel-username", "It needs a password.", "Set sentinel-password, too.");
        }
        return password == null ? options : options.withSentinelCredentials(redis.text("sentinel-username"), password);
    }

    private static RedisOptions identified(Section redis, RedisOptions options) {
        Path certificate = redis.path("client-certificate");
        Path key = redis.path("client-key");
        if ((certificate == null) != (key == null)) {
            String missing = certificate == null ? "client-certificate" : "client-key";
            throw WrongSettingException.wrong(
                    redis.prefix() + missing, "It is missing.", "Set client-certificate and client-key together.");
        }
        return certificate == null || key == null
                ? options
                : redis.apply("client-certificate", certificate, pem -> options.withClientCertificate(pem, key));
    }

    private static String withTimeout(String uri, Duration timeout) {
        int fragment = uri.indexOf('#');
        String address = fragment < 0 ? uri : uri.substring(0, fragment);
        return address + (address.contains("?") ? "&" : "?") + "timeout="
                + Math.max(1, TimeUnit.MILLISECONDS.convert(timeout)) + "ms"
                + (fragment < 0 ? "" : uri.substring(fragment));
    }
}
