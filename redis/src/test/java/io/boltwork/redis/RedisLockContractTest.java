package io.boltwork.redis;

import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.LockContract;
import io.boltwork.testkit.LockSite;
import io.boltwork.testkit.RedisServer;
import io.boltwork.testkit.Slack;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Locks on a real, standalone Redis keep the contract. */
class RedisLockContractTest extends LockContract {
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
        return new RedisSite(server);
    }

    private record RedisSite(RedisServer server) implements LockSite {
        private static final Duration COMMAND_TIMEOUT = Slack.seconds(1);

        @Override
        public LockBackend newBackend() {
            return RedisBackend.connect(server.uri() + "?timeout=" + COMMAND_TIMEOUT.toMillis() + "ms");
        }

        @Override
        public void flush() {
            server.command("FLUSHALL");
        }

        @Override
        public void deleteLock(String name) {
            server.command("DEL", "boltwork:{" + name + "}");
        }

        @Override
        public void freeze() {
            server.freeze();
        }

        @Override
        public void thaw() {
            server.thaw();
        }

        @Override
        public void disconnectAll() {
            server.command("CLIENT", "KILL", "TYPE", "normal");
            server.command("CLIENT", "KILL", "TYPE", "pubsub");
        }

        @Override
        public void restartEmpty() {
            server.restart();
        }

        @Override
        public int listeners() {
            Object channels = server.command("PUBSUB", "CHANNELS", "boltwork:grants:*");
            return ((List<?>) Objects.requireNonNull(channels)).size();
        }
    }
}
