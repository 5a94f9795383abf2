// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.micronaut;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;

/** The remaining stock of items in Redis, without any protection of its own. */
@Singleton
public class Stock {
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> redis;

    Stock(@Value("${boltwork.redis.uri}") String uri) {
        client = RedisClient.create(uri);
        redis = client.connect();
    }

    int left(String item) {
        String left = redis.sync().get("sale:" + item);
        return left == null ? 0 : Integer.parseInt(left);
    }

    void set(String item, int left) {
        redis.sync().set("sale:" + item, Integer.toString(left));
    }

    @PreDestroy
    void close() {
        client.shutdown();
    }
}
