// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.quarkus;

import io.boltwork.testkit.server.RedisServer;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import java.util.Map;

/** Starts a Redis for the application. */
public class RedisResource implements QuarkusTestResourceLifecycleManager {
    private RedisServer redis;

    @Override
    public Map<String, String> start() {
        redis = RedisServer.start();
        return Map.of("boltwork.redis.uri", redis.uri(), "quarkus.http.test-port", "0");
    }

    @Override
    public void stop() {
        redis.close();
    }
}
