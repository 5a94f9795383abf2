// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** The application of the examples, with ten of each item. */
@SpringBootApplication(proxyBeanMethods = false)
class ShopApplication {

    @Bean
    Stock stock() {
        Map<String, Integer> left = new ConcurrentHashMap<>();
        Map<String, Long> tokens = new ConcurrentHashMap<>();
        return new Stock() {
            @Override
            public int decrease(String item) {
                int before = left.getOrDefault(item, 10); // not atomic: the lock is
                left.put(item, Math.max(0, before - 1));
                return before;
            }

            @Override
            public int decrease(String item, long fencingToken) {
                if (tokens.merge(item, fencingToken, Math::max) > fencingToken) {
                    throw new IllegalStateException("an older token");
                }
                return decrease(item);
            }

            @Override
            public void increase(String item, long fencingToken) {
                tokens.merge(item, fencingToken, Math::max);
                left.merge(item, 1, Integer::sum);
            }

            @Override
            public CompletableFuture<Integer> decreaseLater(String item) {
                return CompletableFuture.supplyAsync(() -> decrease(item));
            }
        };
    }
}
