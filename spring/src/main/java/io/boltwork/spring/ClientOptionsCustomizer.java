// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.ClientOptions;

/**
 * A bean that changes the options of the auto-configured {@link io.boltwork.LockClient}. All such beans are called in
 * order, after the properties have been applied, so that their changes win.
 *
 * <!-- snippet: spring/Customizers.java#client -->
 * <pre>{@code
 * @Bean
 * ClientOptionsCustomizer callbackExecutor(Executor callbacks) {
 *     return options -> options.withCallbackExecutor(callbacks);
 * }
 * }</pre>
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface ClientOptionsCustomizer {

    /**
     * Returns the options to use.
     *
     * @param options the options so far
     * @return those options, or changed ones
     */
    ClientOptions customize(ClientOptions options);
}
