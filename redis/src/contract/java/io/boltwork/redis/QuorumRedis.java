// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.testkit.server.RedisServer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A JUnit extension: several independent servers for the tests of a class. */
final class QuorumRedis implements BeforeAllCallback, AfterAllCallback {
    private final int size;
    private List<RedisServer> servers = List.of();

    QuorumRedis(int size) {
        this.size = size;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        servers = Stream.generate(RedisServer::start).limit(size).toList();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        servers.forEach(RedisServer::close);
    }

    LockSite site() {
        return new RedisQuorumSite(servers);
    }
}
