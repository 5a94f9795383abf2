// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.ServerCounters;
import io.boltwork.bench.measure.Machine;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The servers of one measurement: real processes, either a single server, independent ones, the masters of a cluster,
 * or another store. Not thread-safe.
 */
public final class BenchServers implements AutoCloseable {
    private static final int MASTERS = 3;
    private static final Duration NODE_TIMEOUT = Duration.ofSeconds(15); // Redis' default: a busy node is not down
    private static final Pattern PID = Pattern.compile("process_id:(\\d+)");

    private final List<RedisServer> all;
    private final @Nullable StoreServer store;
    private final Runnable ending;

    private BenchServers(List<RedisServer> all, Runnable ending) {
        this.all = all;
        this.store = null;
        this.ending = ending;
    }

    private BenchServers(StoreServer store) {
        this.all = List.of();
        this.store = store;
        this.ending = store::close;
    }

    /** Starts the servers. All but one Redis server take seconds. */
    public static BenchServers start(BenchDeployment deployment) {
        if (!deployment.isRedis()) {
            return new BenchServers(StoreServer.start(deployment));
        }
        if (deployment == BenchDeployment.STANDALONE) {
            RedisServer redis = RedisServer.start();
            return new BenchServers(List.of(redis), redis::close);
        }
        ClusterGroup cluster = ClusterGroup.start(MASTERS, 0, NODE_TIMEOUT);
        return new BenchServers(cluster.nodes(), cluster::close);
    }

    /** Starts independent servers that are known to have been up for long. */
    public static BenchServers start(int number) {
        List<RedisServer> started = new ArrayList<>();
        BenchServers servers = new BenchServers(started, () -> started.forEach(RedisServer::close));
        try {
            for (int i = 0; i < number; i++) {
                started.add(RedisServer.start());
            }
            servers.uris().forEach(Uptime::tell);
            return servers;
        } catch (Throwable e) {
            servers.close();
            throw e;
        }
    }

    /** Returns the Redis servers; none for another store. */
    public List<RedisServer> all() {
        return all;
    }

    public List<String> uris() {
        return store != null
                ? List.of(store.uri())
                : all.stream().map(RedisServer::uri).toList();
    }

    List<Long> pids() {
        return store != null
                ? List.of(store.pid())
                : all.stream().map(BenchServers::pid).toList();
    }

    private static long pid(RedisServer redis) {
        Matcher pid = PID.matcher(
                Objects.requireNonNull(redis.command("INFO", "server")).toString());
        if (!pid.find()) {
            throw new IllegalStateException("Redis does not report its process id");
        }
        return Long.parseLong(pid.group(1));
    }

    /** Returns the counters of each server so far. */
    public List<ServerCounters> counters() {
        return store != null
                ? List.of(ServerCounters.ofProcessorTime(Machine.ofTrees(pids())))
                : all.stream().map(ServerCounters::of).toList();
    }

    @Override
    public void close() {
        ending.run();
    }
}
