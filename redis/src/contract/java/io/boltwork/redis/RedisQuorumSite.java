// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.contract.LockSite;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Independent masters, to all of which everything happens. Clients have watched them for longer than any lease, so they
 * vote.
 *
 * @param servers the masters
 */
record RedisQuorumSite(List<RedisServer> servers) implements LockSite {
    /** Not longer than a server may take to answer: then the votes decide how long a call takes. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

    private static final Duration LONGEST_LEASE = Duration.ofDays(1);

    /** Creates a site, and lets its servers vote. */
    RedisQuorumSite {
        servers.forEach(WatchedRun::note);
    }

    @Override
    public LockBackend newBackend() {
        return RedisBackend.connectQuorum(
                servers.stream()
                        .map(server -> server.uri() + RedisSite.timeout(COMMAND_TIMEOUT))
                        .toList(),
                RedisOptions.defaults(),
                QuorumOptions.defaults().longestLease(LONGEST_LEASE));
    }

    @Override
    public void flush() {
        servers.forEach(server -> {
            server.command("FLUSHALL");
            WatchedRun.note(server);
        });
    }

    @Override
    public void deleteLock(String name) {
        servers.forEach(server -> server.command("DEL", "boltwork:{" + name + "}"));
    }

    @Override
    public void freeze() {
        servers.forEach(RedisServer::freeze);
    }

    @Override
    public void thaw() {
        servers.forEach(RedisServer::thaw);
    }

    @Override
    public void disconnectAll() {
        servers.forEach(server -> server.command("CLIENT", "KILL", "TYPE", "normal"));
        servers.forEach(server -> server.command("CLIENT", "KILL", "TYPE", "pubsub"));
    }

    @Override
    public void restartEmpty() {
        servers.forEach(RedisServer::kill);
        servers.forEach(server -> {
            server.restart();
            WatchedRun.note(server);
        });
        disconnectAll(); // so that clients ask again for how long the servers have been up
    }

    @Override
    public Duration longestLease() {
        return LONGEST_LEASE;
    }

    @Override
    public boolean hasQueue() {
        return false;
    }

    @Override
    public Duration clockTolerance() {
        return Slack.of(Duration.ofMillis(200));
    }

    @Override
    public int listeners() {
        Set<Object> channels = new HashSet<>();
        servers.forEach(server -> channels.addAll(
                (List<?>) Objects.requireNonNull(server.command("PUBSUB", "CHANNELS", "boltwork:grants:*"))));
        return channels.size();
    }
}
