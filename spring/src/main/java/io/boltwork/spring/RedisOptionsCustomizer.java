// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.redis.RedisOptions;

/**
 * A bean that changes the Redis options of the auto-configured backend. All such beans are called in order, after the
 * properties have been applied, so that their changes win.
 *
 * <!-- snippet: spring/Customizers.java#redis -->
 * <pre>{@code
 * @Bean
 * RedisOptionsCustomizer longerIdleLife() {
 *     return options -> options.withIdleLife(Duration.ofDays(1));
 * }
 * }</pre>
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RedisOptionsCustomizer {

    /**
     * Returns the options to use.
     *
     * @param options the options so far
     * @return those options, or changed ones
     */
    RedisOptions customize(RedisOptions options);
}
