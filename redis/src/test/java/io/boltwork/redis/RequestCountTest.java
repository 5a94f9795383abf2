package io.boltwork.redis;

import io.boltwork.testkit.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Tests the cost of locking at a standalone server. */
class RequestCountTest extends RequestCounts {
    private static RedisServer server;

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    List<RedisServer> servers() {
        return List.of(server);
    }

    @Override
    RedisBackend connect() {
        return RedisBackend.connect(server.uri());
    }
}
