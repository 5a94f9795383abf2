// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.spring.ClientOptionsCustomizer;
import io.boltwork.spring.RedisOptionsCustomizer;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.springframework.context.annotation.Bean;

/** The customizers in docs/start/spring.md and the Javadoc. */
class Customizers {

    // @start region="redis"
    @Bean
    RedisOptionsCustomizer longerIdleLife() {
        return options -> options.withIdleLife(Duration.ofDays(1));
    }
    // @end

    // @start region="client"
    @Bean
    ClientOptionsCustomizer callbackExecutor(Executor callbacks) {
        return options -> options.withCallbackExecutor(callbacks);
    }
    // @end
}
