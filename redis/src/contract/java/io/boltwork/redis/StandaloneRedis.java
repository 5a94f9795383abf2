// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.testkit.server.RedisServer;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A JUnit extension: a standalone Redis for the tests of a class. */
final class StandaloneRedis implements BeforeAllCallback, AfterAllCallback {
    private RedisServer server;

    @Override
    public void beforeAll(ExtensionContext context) {
        server = RedisServer.start();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        server.close();
    }

    LockSite site() {
        return site(RedisOptions.defaults());
    }

    LockSite site(RedisOptions options) {
        return new RedisSite(
                server,
                timeout -> RedisBackend.connect(server.uri() + RedisSite.timeout(timeout), options),
                options.bridge().isPresent());
    }
}
