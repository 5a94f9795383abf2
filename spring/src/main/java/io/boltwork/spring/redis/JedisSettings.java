// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import io.lettuce.core.SslVerifyMode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;

/** The settings of the application's Jedis client that Boltwork's own connections need, too. */
final class JedisSettings {
    private JedisSettings() {}

    /**
     * Applies the settings and returns the command timeout, or {@code null} if there is none.
     *
     * @param boots the location as Spring Boot configures it, if the client is Spring Boot's own
     */
    @SuppressWarnings("deprecation") // getCustomizer() has another name since 4.1, and 3.5 knows only this one
    static @Nullable Duration apply(
            JedisClientConfiguration client,
            RedisLocation.Builder target,
            String bean,
            @Nullable ApplicationRedis boots) {
        if (client.getCustomizer().isPresent()) {
            throw RedisFactoryException.of(bean, "has a customizer of Jedis, whose effects Boltwork cannot see");
        }
        target.clientName(client.getClientName().orElse(null));
        if (client.isUseSsl() && client.getSslSocketFactory().isPresent()) {
            RedisLocation configured = boots == null ? null : boots.target(null);
            if (configured == null || configured.ssl() == null) {
                throw RedisFactoryException.of(
                        bean, "has an SSLSocketFactory, and Boltwork needs an SSL bundle (boltwork.redis.ssl-bundle)");
            }
            target.tls(true, configured.ssl(), SslVerifyMode.FULL);
        } else {
            target.tls(client.isUseSsl(), null);
        }
        Duration timeout = client.getReadTimeout();
        return timeout.isZero() || timeout.isNegative() ? null : timeout;
    }
}
