// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.spring.actuate.LockErrorAdvice;
import io.boltwork.spring.actuate.LockErrorHandler;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.web.ErrorResponse;
import org.springframework.web.reactive.DispatcherHandler;

/**
 * Auto-configuration of a web application's responses when a lock is refused, its name is invalid, or its backend does
 * not answer. It is part of {@code @WebMvcTest} and {@code @WebFluxTest}, too, and needs no client there.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnWebApplication
@ConditionalOnClass(ErrorResponse.class)
@ConditionalOnProperty(name = "boltwork.enabled", matchIfMissing = true)
public final class BoltworkWebAutoConfiguration {

    BoltworkWebAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    LockErrorAdvice boltworkLockErrorAdvice() {
        return new LockErrorAdvice();
    }

    /** Configures the functional endpoints of WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(DispatcherHandler.class)
    static class WebFluxConfiguration {

        @Bean
        @ConditionalOnMissingBean
        LockErrorHandler boltworkLockErrorHandler(
                LockErrorAdvice advice, ObjectProvider<ServerCodecConfigurer> codecs) {
            return new LockErrorHandler(advice, codecs.getIfAvailable(ServerCodecConfigurer::create));
        }
    }
}
