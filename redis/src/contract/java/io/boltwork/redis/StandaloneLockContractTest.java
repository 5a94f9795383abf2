package io.boltwork.redis;

import io.boltwork.testkit.LockContract;
import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Tests that locks on a real, standalone Redis keep the contract. */
class StandaloneLockContractTest extends LockContract {
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
    protected LockSite site() {
        return new RedisSite(server, timeout -> RedisBackend.connect(server.uri() + RedisSite.timeout(timeout)));
    }
}
