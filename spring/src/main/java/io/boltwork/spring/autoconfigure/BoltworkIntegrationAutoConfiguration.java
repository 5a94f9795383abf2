// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.LockClient;
import io.boltwork.spring.BoltworkLockRegistry;
import io.boltwork.spring.properties.BoltworkProperties;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Auto-configuration of Spring Integration's {@link LockRegistry}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = BoltworkAutoConfiguration.class)
@ConditionalOnClass({LockRegistry.class, DistributedLock.class})
@ConditionalOnBean(LockClient.class)
public final class BoltworkIntegrationAutoConfiguration {

    BoltworkIntegrationAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(LockRegistry.class)
    BoltworkLockRegistry boltworkLockRegistry(LockClient client, BoltworkProperties properties) {
        return new BoltworkLockRegistry(
                client, properties.lock().prefix(), properties.lock().defaults().options());
    }
}
