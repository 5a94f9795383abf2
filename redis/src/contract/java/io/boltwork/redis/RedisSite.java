// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * A master, with or without replicas and sentinels, and how clients connect to it.
 *
 * @param server the master, which stays the master
 * @param connecting makes a backend with a command timeout
 * @param isBridged whether the locks are shared with Redisson
 */
record RedisSite(RedisServer server, Function<Duration, LockBackend> connecting, boolean isBridged)
        implements LockSite {
    private static final Duration COMMAND_TIMEOUT = Slack.seconds(1);

    RedisSite(RedisServer server, Function<Duration, LockBackend> connecting) {
        this(server, connecting, false);
    }

    /** Returns the timeout parameter for the end of a URI. */
    static String timeout(Duration commandTimeout) {
        return "?timeout=" + commandTimeout.toMillis() + "ms";
    }

    @Override
    public LockBackend newBackend() {
        return connecting.apply(COMMAND_TIMEOUT);
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
    public int replicas() {
        return Integer.parseInt(Objects.requireNonNull(ReplicaGroup.field(server, "connected_slaves")));
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
