// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/** The settings of the application's Lettuce client that Boltwork's own connections need, too. */
final class LettuceSettings {
    private LettuceSettings() {}

    /** Applies the settings and returns the command timeout, or {@code null} if it is not set. */
    static @Nullable Duration apply(
            LettuceClientConfiguration client, @Nullable Object where, RedisLocation.Builder target, String bean) {
        RedisCredentialsProviderFactory factory =
                client.getRedisCredentialsProviderFactory().orElse(null);
        if (factory != null && where instanceof RedisConfiguration configuration) {
            target.provider(factory.createCredentialsProvider(configuration));
        }
        if (factory != null && where instanceof RedisSentinelConfiguration sentinels) {
            target.sentinelProvider(factory.createSentinelCredentialsProvider(sentinels));
        }
        if (client.isStartTls()) {
            throw RedisFactoryException.of(bean, "uses StartTLS");
        }
        target.clientName(client.getClientName().orElse(null))
                .tls(
                        client.isUseSsl(),
                        client.getClientOptions()
                                .map(ClientOptions::getSslOptions)
                                .orElse(null),
                        client.getVerifyMode())
                .resources(client.getClientResources()
                        .filter(LettuceSettings::leadElsewhere)
                        .orElse(null));
        Duration timeout = client.getCommandTimeout();
        return timeout.isZero() || timeout.equals(RedisURI.DEFAULT_TIMEOUT_DURATION) ? null : timeout;
    }

    /** Returns whether connections may reach other servers with these resources than without them. */
    private static boolean leadElsewhere(ClientResources resources) {
        return resources.socketAddressResolver().getClass() != SocketAddressResolver.class
                || resources.addressResolverGroup() != DefaultClientResources.DEFAULT_ADDRESS_RESOLVER_GROUP
                || resources.nettyCustomizer() != DefaultClientResources.DEFAULT_NETTY_CUSTOMIZER;
    }
}
