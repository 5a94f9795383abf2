// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.redis.RedisLocation.Kind;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

@ExtendWith(OutputCaptureExtension.class)
class RedisLocationsTest {

    @Test
    void defaultTargetIsTheLocalServer() {
        assertThat(find(Map.of()).uris()).containsExactly("redis://localhost:6379/0");
    }

    @Test
    void ownUriTakesPrecedence() {
        RedisLocation target = find(Map.of(
                "boltwork.redis.uri", "redis://own:1",
                "boltwork.redis.timeout", "3s",
                "boltwork.lock.server.address", "short:2",
                "spring.data.redis.host", "application"));
        assertThat(target.uris()).containsExactly("redis://own:1?timeout=3000ms");
        assertThat(target.kind()).isEqualTo(Kind.ONE);
    }

    @Test
    void severalUrisAreAMasterAndItsReplicas() {
        RedisLocation target = find(Map.of("boltwork.redis.uri", "redis://a,redis://b"));
        assertThat(target.kind()).isEqualTo(Kind.REPLICATED);
        assertThat(target.uris()).containsExactly("redis://a", "redis://b");
    }

    @Test
    void oneUriWithSeveralSentinelsIsOneUri() {
        assertThat(find(Map.of(
                                "boltwork.redis.uri",
                                "redis-sentinel://a:1,b:2,c:3/0#mymaster",
                                "boltwork.redis.timeout",
                                "3s"))
                        .uris())
                .containsExactly("redis-sentinel://a:1,b:2,c:3/0?timeout=3000ms#mymaster");
    }

    @Test
    void oneUriOfAClusterIsOneUri() {
        RedisLocation target =
                find(Map.of("boltwork.redis.uri", "redis-cluster://u:p@a:1,b:2,c:3", "boltwork.redis.timeout", "3s"));
        assertThat(target.uris()).containsExactly("redis-cluster://u:p@a:1,b:2,c:3?timeout=3000ms");
        assertThat(target.kind()).isEqualTo(Kind.ONE);
    }

    @Test
    void emptyTimeoutIsTheDefault() {
        assertThat(find(Map.of("spring.data.redis.timeout", "0")).uris()).containsExactly("redis://localhost:6379/0");
    }

    @Test
    void shortFormStandalone() {
        RedisLocation target = find(Map.of(
                "boltwork.lock.server.address", "short:2",
                "boltwork.lock.server.username", "app",
                "boltwork.lock.server.password", "p@ss:w/rd",
                "boltwork.lock.server.database", "3",
                "spring.data.redis.host", "application",
                "spring.data.redis.timeout", "500ms"));
        assertThat(target.uris()).containsExactly("redis://app:p%40ss%3Aw%2Frd@short:2/3?timeout=500ms");
        assertThat(target).asString().doesNotContain("ss%3A");
    }

    @Test
    void shortFormSentinelWithEitherPlaceOfTheMaster() {
        Map<String, Object> inFront = Map.of(
                "boltwork.lock.server.type", "sentinel", "boltwork.lock.server.address", "mymaster,s1:26379,s2:26379");
        Map<String, Object> apart = Map.of(
                "boltwork.lock.server.type", "sentinel",
                "boltwork.lock.server.master", "mymaster",
                "boltwork.lock.server.address", "s1:26379,s2:26379");
        assertThat(find(inFront).uris()).containsExactly("redis-sentinel://s1:26379,s2:26379/0#mymaster");
        assertThat(find(apart)).isEqualTo(find(inFront));
        assertThatThrownBy(() -> find(
                        Map.of("boltwork.lock.server.type", "sentinel", "boltwork.lock.server.address", "s1:26379")))
                .hasMessageContaining("boltwork.lock.server.master=mymaster");
    }

    @Test
    void shortFormMasterSlaveAndCluster() {
        RedisLocation replicated =
                find(Map.of("boltwork.lock.server.type", "masterslave", "boltwork.lock.server.address", "a:1, b:2"));
        assertThat(replicated.kind()).isEqualTo(Kind.REPLICATED);
        assertThat(replicated.uris()).containsExactly("redis://a:1/0", "redis://b:2/0");
        RedisLocation cluster =
                find(Map.of("boltwork.lock.server.type", "cluster", "boltwork.lock.server.address", "a:1,b:2"));
        assertThat(cluster.kind()).isEqualTo(Kind.CLUSTER);
        assertThat(cluster.uris()).containsExactly("redis://a:1/0", "redis://b:2/0");
        assertThatThrownBy(() -> find(Map.of("boltwork.lock.server.address", "a:1,b:2")))
                .hasMessageContaining("boltwork.lock.server.type");
    }

    @Test
    void olderPropertyNamesWorkAndAreLogged(CapturedOutput output) {
        RedisLocation target = find(Map.of(
                "redisson.lock.server.type", "standalone",
                "redisson.lock.server.address", "old:1",
                "redisson.lock.server.password", "secret",
                "redisson.lock.server.database", "2"));
        assertThat(target.uris()).containsExactly("redis://secret@old:1/2");
        assertThat(output).contains("boltwork.lock.server.{type,address,password,database}");
        assertThat(output).doesNotContain("secret");
    }

    @Test
    void springPropertiesApplyWithoutSpringDataRedis() {
        assertThat(find(Map.of(
                                "spring.data.redis.host", "h",
                                "spring.data.redis.port", "7",
                                "spring.data.redis.username", "u",
                                "spring.data.redis.password", "p",
                                "spring.data.redis.database", "4",
                                "spring.data.redis.client-name", "shop",
                                "spring.data.redis.ssl.enabled", "true"))
                        .uris())
                .containsExactly("rediss://u:p@h:7/4?clientName=shop");
        assertThat(find(Map.of("spring.data.redis.url", "rediss://u:p@h:7/5")).uris())
                .containsExactly("rediss://u:p@h:7/5");
        assertThat(find(Map.of("spring.data.redis.url", "redis://my_redis:6379"))
                        .uris())
                .containsExactly("redis://my_redis:6379/0");
        assertThat(find(Map.of("spring.data.redis.url", "redis://:p%40@[::1]")).uris())
                .containsExactly("redis://p%40@[::1]/0");
        assertThat(find(Map.of("spring.data.redis.masterreplica.nodes", "a:1,b:2"))
                        .kind())
                .isEqualTo(Kind.REPLICATED);
        assertThat(find(Map.of("spring.data.redis.cluster.nodes", "a:1,b:2")).kind())
                .isEqualTo(Kind.CLUSTER);
        RedisLocation sentinel = find(Map.of(
                "spring.data.redis.sentinel.master", "m",
                "spring.data.redis.sentinel.nodes", "a:1,b:2",
                "spring.data.redis.sentinel.password", "sp"));
        assertThat(sentinel.uris()).containsExactly("redis-sentinel://a:1,b:2/0#m");
        assertThat(sentinel.sentinelPassword()).isEqualTo("sp");
    }

    private static RedisLocation find(Map<String, Object> properties) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
        return new RedisLocations(properties(environment), environment, null)
                .find(new PropertiesRedis(environment, null));
    }

    static BoltworkProperties properties(Environment environment) {
        return Binder.get(environment).bindOrCreate("boltwork", BoltworkProperties.class);
    }
}
