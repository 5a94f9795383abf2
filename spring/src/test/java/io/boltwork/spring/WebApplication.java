// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.DistributedLatch;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.MultiLock;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.etcd.EtcdBackend;
import io.boltwork.jdbc.JdbcBackend;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.spring.autoconfigure.DistributedLockAutoConfiguration;
import io.boltwork.spring.autoconfigure.RedeployTest;
import io.boltwork.zookeeper.ZooKeeperBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The application of {@link RedeployTest}, which keeps locks on everything. It runs once for each request. */
public final class WebApplication implements Runnable, AutoCloseable {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final @Nullable ConfigurableApplicationContext context;
    private final List<LockClient> clients;

    /** The part that uses the starter. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({BoltworkAutoConfiguration.class, DistributedLockAutoConfiguration.class})
    static class Starter {
        @Bean
        Service service() {
            return new Service();
        }
    }

    /** A bean with locks. */
    static class Service {
        @DistributedLock("now:#{#p0}")
        public int now(int value) {
            return value;
        }

        @DistributedLock("later")
        public CompletableFuture<Integer> later(int value) {
            return CompletableFuture.completedFuture(value);
        }
    }

    /**
     * Starts the application.
     *
     * @param settings whether to use the starter, the URI of Redis, the servers of ZooKeeper, and the endpoints of
     *     etcd, which are empty if it is not installed
     */
    public WebApplication(String... settings) {
        String redis = settings[1];
        context = Boolean.parseBoolean(settings[0]) ? starter(redis) : null;
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setURL("jdbc:h2:mem:" + UUID.randomUUID());
        clients = new ArrayList<>(List.of(
                LockClient.create(RedisBackend.connect(redis)),
                LockClient.create(JdbcBackend.on(h2)),
                LockClient.create(ZooKeeperBackend.connect(settings[2])),
                LockClient.create(MemoryBackend.create())));
        if (!settings[3].isEmpty()) {
            clients.add(LockClient.create(EtcdBackend.connect(settings[3])));
        }
        clients.forEach(client -> client.addListener(new LockListener() {}));
    }

    private static ConfigurableApplicationContext starter(String redis) {
        return new SpringApplicationBuilder(Starter.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "logging.level.root=error",
                        "spring.main.register-shutdown-hook=false", // as in a container
                        "logging.register-shutdown-hook=false",
                        "boltwork.redis.uri=" + redis)
                .run();
    }

    @Override
    public void run() {
        if (context != null) {
            Service service = context.getBean(Service.class);
            service.now(1);
            service.later(2).join();
            context.getBean(LockClient.class).health();
        }
        clients.forEach(WebApplication::use);
    }

    private static void use(LockClient client) {
        try {
            useAll(client);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void useAll(LockClient client) throws InterruptedException {
        FencedLock lock = client.lock("lock");
        lock.lock();
        lock.unlock();
        lock.callAsync(LONG, lease -> CompletableFuture.completedFuture("done"))
                .toCompletableFuture()
                .join();
        client.lock("forgotten").tryLock(); // and never unlocked
        client.semaphore("permits", 3).acquire().release();
        client.readWriteLock("shared").readLock().run(LONG, () -> {});
        MultiLock both = client.multiLock(client.lock("one"), client.lock("other"));
        both.lock();
        both.unlock();
        DistributedLatch latch = client.latch(UUID.randomUUID().toString());
        latch.trySetCount(1);
        latch.countDown();
        lock.lock();
        lock.condition("signal").await(5, TimeUnit.MILLISECONDS);
        lock.unlock();
        Objects.requireNonNull(client.health());
    }

    @Override
    public void close() {
        if (context != null) {
            context.close();
        }
        clients.forEach(LockClient::close);
    }
}
