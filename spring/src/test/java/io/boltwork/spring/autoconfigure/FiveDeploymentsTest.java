// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static io.boltwork.spring.TestApplication.redis;

import io.boltwork.spring.SellingShop;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * One application on five deployments, each set by the short form, by the application's own properties and by its own
 * connection factory. The last two have no quorum.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class FiveDeploymentsTest {

    private static void sells(String... properties) {
        SellingShop.sells(redis(), context -> {}, properties);
    }

    private static void sells(RedisConnectionFactory factory) {
        SellingShop.sells(
                redis().withBean(RedisConnectionFactory.class, () -> factory),
                context -> {},
                "spring.data.redis.port=1");
    }

    private static Set<String> set(List<RedisServer> servers) {
        return Set.of(addresses(servers).split(","));
    }

    private static String addresses(List<RedisServer> servers) {
        return servers.stream().map(each -> each.host() + ":" + each.port()).collect(Collectors.joining(","));
    }

    @Test
    void standalone() {
        try (RedisServer server = RedisServer.start()) {
            sells("boltwork.lock.server.address=" + addresses(List.of(server)));
            sells("spring.data.redis.port=" + server.port());
            RedisStandaloneConfiguration where = new RedisStandaloneConfiguration(server.host(), server.port());
            sells(new LettuceConnectionFactory(where));
            sells(new JedisConnectionFactory(where));
        }
    }

    @Test
    void sentinel() {
        try (SentinelGroup group = SentinelGroup.start()) {
            String sentinels = addresses(group.sentinels());
            sells(
                    "boltwork.lock.server.type=sentinel",
                    "boltwork.lock.server.address=" + SentinelGroup.NAME + "," + sentinels);
            sells(
                    "spring.data.redis.sentinel.master=" + SentinelGroup.NAME,
                    "spring.data.redis.sentinel.nodes=" + sentinels);
            for (RedisServer each : group.sentinels()) {
                each.command("ACL", "SETUSER", "watcher", "on", ">w4tch", "~*", "&*", "+@all");
                each.command("ACL", "SETUSER", "default", "resetpass", "-@all");
            }
            RedisSentinelConfiguration where =
                    new RedisSentinelConfiguration(SentinelGroup.NAME, set(group.sentinels()));
            where.setSentinelUsername("watcher");
            where.setSentinelPassword("w4tch");
            sells(new LettuceConnectionFactory(where));
            sells(new JedisConnectionFactory(where));
        }
    }

    @Test
    void masterAndReplicas() {
        try (ReplicaGroup group = ReplicaGroup.start(1)) {
            String servers = addresses(group.servers());
            sells("boltwork.lock.server.type=masterslave", "boltwork.lock.server.address=" + servers);
            sells("spring.data.redis.masterreplica.nodes=" + servers);
            RedisStaticMasterReplicaConfiguration where = new RedisStaticMasterReplicaConfiguration(
                    group.servers().get(0).host(), group.servers().get(0).port());
            where.addNode(group.servers().get(1).host(), group.servers().get(1).port());
            sells(new LettuceConnectionFactory(where));
        }
    }

    @Test
    void cluster() {
        try (ClusterGroup group = ClusterGroup.start()) {
            String nodes = addresses(group.nodes().subList(0, 2));
            sells("boltwork.lock.server.type=cluster", "boltwork.lock.server.address=" + nodes);
            sells("spring.data.redis.cluster.nodes=" + nodes);
            RedisClusterConfiguration where =
                    new RedisClusterConfiguration(set(group.nodes().subList(0, 2)));
            sells(new LettuceConnectionFactory(where));
            sells(new JedisConnectionFactory(where));
        }
    }

    @Test
    void quorum() {
        List<RedisServer> servers = Stream.generate(
                        () -> RedisServer.start("--appendonly", "yes", "--appendfsync", "always"))
                .limit(3)
                .toList();
        try {
            sells(
                    "boltwork.lock.server.type=quorum",
                    "boltwork.lock.server.address=" + addresses(servers),
                    "boltwork.lock.server.longest-lease=40s",
                    "boltwork.lock.server.trust-uptime=true");
            servers.get(1).kill();
            sells("boltwork.lock.server.type=quorum", "boltwork.lock.server.address=" + addresses(servers));
        } finally {
            servers.forEach(RedisServer::close);
        }
    }
}
