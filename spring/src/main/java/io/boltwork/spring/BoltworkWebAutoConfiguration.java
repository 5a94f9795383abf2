// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.LockClient;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.ErrorResponse;

/**
 * Auto-configuration of a web application's responses when a lock is refused, its name is invalid, or its backend does
 * not answer.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = BoltworkAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(ErrorResponse.class)
@ConditionalOnBean(LockClient.class)
public final class BoltworkWebAutoConfiguration {

    BoltworkWebAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    LockErrorAdvice boltworkLockErrorAdvice() {
        return new LockErrorAdvice();
    }
}
