// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.peer;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.JavaLock;
import io.boltwork.bench.contender.Setting;
import java.util.List;
import java.util.function.Function;
import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's locks over several independent servers, each with a client of its own, as in its documentation. A client
 * keeps few idle connections, because many clients share one JVM and each of them is used by few threads. All other
 * settings are Redisson's defaults.
 */
public final class RedissonQuorum implements Contender {
    private static final int IDLE_CONNECTIONS = 2;

    private final List<RedissonClient> clients;
    private final Function<RLock[], RLock> kind;

    private RedissonQuorum(Setting setting, Function<RLock[], RLock> kind) {
        clients = setting.uris().stream().map(uri -> connect(setting, uri)).toList();
        this.kind = kind;
    }

    private static RedissonClient connect(Setting setting, String uri) {
        Config config = new Config().setLockWatchdogTimeout(setting.lease().toMillis());
        config.useSingleServer()
                .setAddress(uri)
                .setConnectionMinimumIdleSize(IDLE_CONNECTIONS)
                .setSubscriptionConnectionMinimumIdleSize(1);
        return Redisson.create(config);
    }

    /** {@link RedissonMultiLock}, which {@link RedissonClient#getMultiLock} returns: all servers must grant. */
    public static Contender all(Setting setting) {
        return new RedissonQuorum(setting, RedissonMultiLock::new);
    }

    /** {@link RedissonRedLock}: a majority of the servers must grant. Redisson has deprecated it. */
    @SuppressWarnings("deprecation")
    public static Contender majority(Setting setting) {
        return new RedissonQuorum(setting, RedissonRedLock::new);
    }

    @Override
    public BenchLock lock(String name) {
        return new JavaLock(
                kind.apply(clients.stream().map(client -> client.getLock(name)).toArray(RLock[]::new)));
    }

    @Override
    public void close() {
        clients.forEach(RedissonClient::shutdown);
    }
}
