// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.LockClient;
import io.boltwork.spring.actuate.LocksHealthIndicator;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.testkit.wait.Await;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;

/** An application starts while no Redis server runs, and works as soon as one does. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class LazyStartTest {

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void sentinels() {
        try (SentinelGroup group = SentinelGroup.start()) {
            List<RedisServer> all = group.data().servers();
            group.sentinels().forEach(RedisServer::kill);
            all.forEach(RedisServer::kill);
            startsAndWorksLater(
                    () -> {
                        restart(group.data());
                        group.sentinels().forEach(RedisServer::restart);
                    },
                    "spring.data.redis.sentinel.master=" + SentinelGroup.NAME,
                    "spring.data.redis.sentinel.nodes=" + addresses(group.sentinels()));
        }
    }

    /** The sentinels run and know a master that is down. They choose the master, and set up replication again. */
    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void sentinelsWithoutRunningServers() {
        try (SentinelGroup group = SentinelGroup.start()) {
            group.data().servers().forEach(RedisServer::kill);
            startsAndWorksLater(
                    () -> group.data().servers().forEach(RedisServer::restart),
                    "boltwork.lock.server.type=sentinel",
                    "boltwork.lock.server.address=" + SentinelGroup.NAME + "," + addresses(group.sentinels()));
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void masterAndReplicas() {
        try (ReplicaGroup group = ReplicaGroup.start(2)) {
            group.servers().forEach(RedisServer::kill);
            startsAndWorksLater(
                    () -> restart(group), "spring.data.redis.masterreplica.nodes=" + addresses(group.servers()));
        }
    }

    /** Replicas without their master accept no locks. */
    @Test
    void replicasWithoutTheirMaster() {
        try (ReplicaGroup group = ReplicaGroup.start(2)) {
            group.servers().get(0).kill();
            startsAndWorksLater(
                    () -> group.promote(group.servers().get(1)),
                    "boltwork.redis.uri=" + String.join(",", group.uris()));
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void cluster() {
        try (ClusterGroup group = ClusterGroup.start()) {
            group.nodes().forEach(group::kill);
            startsAndWorksLater(
                    () -> {
                        group.nodes().forEach(group::restart);
                        group.awaitOk();
                    },
                    "spring.data.redis.cluster.nodes=" + addresses(group.nodes()));
        }
    }

    /** Sets up replication again, as an operator would, because empty servers do not know it. */
    private static void restart(ReplicaGroup group) {
        List<RedisServer> servers = group.servers();
        servers.forEach(RedisServer::restart);
        servers.subList(1, servers.size()).forEach(replica -> group.follow(replica, servers.get(0)));
    }

    private static void startsAndWorksLater(Runnable up, String... properties) {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(StartTest.App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "boltwork.outage-patience=3m")
                .properties(properties)
                .run()) {
            LocksHealthIndicator health = application.getBean(LocksHealthIndicator.class);
            LockClient locks = application.getBean(LockClient.class);
            StartTest.Till till = application.getBean(StartTest.Till.class);
            assertThat(locks.isConnected()).isFalse();
            assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(till::tryBuy)
                    .matches(BackendException::isRetryable);
            up.run();
            assertThat(till.buy()).as("the call waits for Redis").isEqualTo("bought");
            Await.until("health is up", () -> health.health().getStatus().equals(Status.UP));
            assertThat(till.tryBuy()).isEqualTo("bought");
        }
    }

    private static String addresses(List<RedisServer> servers) {
        return servers.stream().map(each -> each.host() + ":" + each.port()).collect(Collectors.joining(","));
    }
}
