// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.properties.NamedBeans;
import io.boltwork.spring.redis.RedisLocation.Kind;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.mock.env.MockEnvironment;
import reactor.core.publisher.Mono;

/** Tests what is read of an application's {@code RedisConnectionFactory}, without servers. */
class FactoryRedisTest {
    private static final String SECRET = "s3cr3t";

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final MockEnvironment environment = new MockEnvironment();

    private static RedisStandaloneConfiguration standalone() {
        RedisStandaloneConfiguration one = new RedisStandaloneConfiguration("h", 7);
        one.setUsername("u");
        one.setPassword(SECRET);
        one.setDatabase(3);
        return one;
    }

    private static RedisSentinelConfiguration sentinels() {
        RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration("m", Set.of("s:26379"));
        sentinels.setPassword(SECRET);
        sentinels.setDatabase(2);
        sentinels.setSentinelUsername("watcher");
        sentinels.setSentinelPassword(RedisPassword.of("w4tch"));
        return sentinels;
    }

    private static RedisClusterConfiguration nodes() {
        RedisClusterConfiguration cluster = new RedisClusterConfiguration(Set.of("c:7000"));
        cluster.setUsername("u");
        cluster.setPassword(RedisPassword.of(SECRET));
        return cluster;
    }

    private RedisLocation target(RedisConnectionFactory factory, String... properties) {
        beans.destroySingleton("cache");
        beans.registerSingleton("cache", factory);
        return target(properties);
    }

    private RedisLocation target(String... properties) {
        return redis(properties).target(null);
    }

    private FactoryRedis redis(String... properties) {
        MapConfigurationPropertySource source = new MapConfigurationPropertySource();
        for (String property : properties) {
            source.put(property.substring(0, property.indexOf('=')), property.substring(property.indexOf('=') + 1));
        }
        BoltworkProperties.Redis bound =
                new Binder(source).bindOrCreate("boltwork.redis", BoltworkProperties.Redis.class);
        return new FactoryRedis(
                new NamedBeans(beans, NamedBeans.BACKEND),
                environment,
                bound,
                timeout -> new RedisLocation.Builder("otherwise").node("other").build());
    }

    private RedisFactoryException refused(RedisConnectionFactory factory) {
        beans.destroySingleton("cache");
        beans.registerSingleton("cache", factory);
        return refused();
    }

    private RedisFactoryException refused() {
        try {
            RedisLocation target = target();
            throw new AssertionError("not refused: " + target);
        } catch (RedisFactoryException e) {
            assertThat(e).hasMessageContaining("Boltwork cannot use the application's Redis for locks: ");
            assertThat(e.action()).contains("boltwork.redis.uri");
            return e;
        }
    }

    @Test
    void applicationWithoutAFactoryUsesItsPropertiesOrConnectionDetails() {
        assertThat(target().uris()).containsExactly("redis://other/0");
    }

    @Test
    void lettuceStandalone() {
        RedisLocation target = target(new LettuceConnectionFactory(standalone()));
        assertThat(target.kind()).isEqualTo(Kind.ONE);
        assertThat(target.uris()).containsExactly("redis://u:s3cr3t@h:7/3");
        assertThat(target).asString().doesNotContain(SECRET);
        assertThat(target.resources()).isNull();
    }

    @Test
    void jedisStandalone() {
        assertThat(target(new JedisConnectionFactory(standalone())).uris())
                .containsExactly("redis://u:s3cr3t@h:7/3?timeout=2000ms");
    }

    @Test
    @SuppressWarnings("deprecation")
    void addressesSetOnTheFactoryItself() {
        LettuceConnectionFactory lettuce = new LettuceConnectionFactory();
        lettuce.setHostName("h");
        lettuce.setPort(7);
        lettuce.setDatabase(4);
        lettuce.setPassword(SECRET);
        assertThat(target(lettuce).uris()).containsExactly("redis://s3cr3t@h:7/4");
    }

    @Test
    void sentinelsWithCredentialsOfTheirOwn() {
        RedisLocation lettuce = target(new LettuceConnectionFactory(sentinels()));
        assertThat(lettuce.uris()).containsExactly("redis-sentinel://s3cr3t@s:26379/2#m");
        assertThat(lettuce.sentinelUser()).isEqualTo("watcher");
        assertThat(lettuce.sentinelPassword()).isEqualTo("w4tch");
        RedisLocation jedis = target(new JedisConnectionFactory(sentinels()));
        assertThat(jedis.uris()).containsExactly("redis-sentinel://s3cr3t@s:26379/2?timeout=2000ms#m");
        assertThat(jedis.sentinelPassword()).isEqualTo("w4tch");
    }

    @Test
    void cluster() {
        RedisLocation lettuce = target(new LettuceConnectionFactory(nodes()));
        assertThat(lettuce.kind()).isEqualTo(Kind.CLUSTER);
        assertThat(lettuce.uris()).containsExactly("redis://u:s3cr3t@c:7000/0");
        assertThat(target(new JedisConnectionFactory(nodes())).kind()).isEqualTo(Kind.CLUSTER);
    }

    /** No getter of the factory reveals this configuration. */
    @Test
    void masterWithReplicas() {
        RedisStaticMasterReplicaConfiguration replicas = new RedisStaticMasterReplicaConfiguration("a", 1);
        replicas.addNode("b", 2);
        replicas.setDatabase(5);
        RedisLocation target = target(new LettuceConnectionFactory(replicas));
        assertThat(target.kind()).isEqualTo(Kind.REPLICATED);
        assertThat(target.uris()).containsExactly("redis://a:1/5", "redis://b:2/5");
    }

    @Test
    void lettuceSettings() {
        SslOptions ssl = SslOptions.builder().protocols("TLSv1.3").build();
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .clientName("shop 1")
                .commandTimeout(Duration.ofMillis(700))
                .clientOptions(ClientOptions.builder().sslOptions(ssl).build())
                .useSsl()
                .verifyPeer(SslVerifyMode.CA)
                .build();
        RedisLocation target = target(new LettuceConnectionFactory(standalone(), client));
        assertThat(target.uris())
                .containsExactly("rediss://u:s3cr3t@h:7/3?clientName=shop%201&verifyPeer=CA&timeout=700ms");
        assertThat(target.ssl()).isSameAs(ssl);
    }

    @Test
    void ownTimeoutTakesPrecedence() {
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .commandTimeout(Duration.ofSeconds(9))
                .build();
        assertThat(target(new LettuceConnectionFactory(standalone(), client), "boltwork.redis.timeout=3s")
                        .uris())
                .containsExactly("redis://u:s3cr3t@h:7/3?timeout=3000ms");
    }

    /** Lettuce's default of 60 s is too long for locks, and Jedis takes 0 as no limit. */
    @Test
    void unlimitedTimeoutsCountAsNone() {
        beans.registerSingleton("cache", new LettuceConnectionFactory(standalone()));
        assertThat(redis().target(Duration.ofSeconds(1)).uris())
                .containsExactly("redis://u:s3cr3t@h:7/3?timeout=1000ms");
        JedisClientConfiguration unlimited =
                JedisClientConfiguration.builder().readTimeout(Duration.ZERO).build();
        assertThat(target(new JedisConnectionFactory(standalone(), unlimited)).uris())
                .containsExactly("redis://u:s3cr3t@h:7/3");
    }

    @Test
    void jedisSettings() {
        JedisClientConfiguration client = JedisClientConfiguration.builder()
                .clientName("shop")
                .readTimeout(Duration.ofMillis(700))
                .useSsl()
                .build();
        assertThat(target(new JedisConnectionFactory(standalone(), client)).uris())
                .containsExactly("rediss://u:s3cr3t@h:7/3?clientName=shop&timeout=700ms");
    }

    @Test
    void resourcesThatLeadElsewhereAreShared() {
        ClientResources mapped = ClientResources.builder()
                .socketAddressResolver(MappingSocketAddressResolver.create(DnsResolvers.UNRESOLVED, address -> address))
                .build();
        ClientResources plain = ClientResources.create();
        try {
            assertThat(target(new LettuceConnectionFactory(standalone(), with(mapped)))
                            .resources())
                    .isSameAs(mapped);
            assertThat(target(new LettuceConnectionFactory(standalone(), with(plain)))
                            .resources())
                    .isNull();
        } finally {
            mapped.shutdown();
            plain.shutdown();
        }
    }

    private static LettuceClientConfiguration with(ClientResources resources) {
        return LettuceClientConfiguration.builder().clientResources(resources).build();
    }

    @Test
    void proxiedFactoriesAreRead() {
        ProxyFactory proxy = new ProxyFactory(new LettuceConnectionFactory(standalone()));
        proxy.addAdvice((org.aopalliance.intercept.MethodInterceptor) call -> call.proceed());
        assertThat(target((RedisConnectionFactory) proxy.getProxy()).uris()).containsExactly("redis://u:s3cr3t@h:7/3");
        ProxyFactory ofClass = new ProxyFactory(new LettuceConnectionFactory(standalone()));
        ofClass.setProxyTargetClass(true);
        assertThat(target((RedisConnectionFactory) ofClass.getProxy()).uris())
                .containsExactly("redis://u:s3cr3t@h:7/3");
    }

    @Test
    void reactiveFactoriesAreFound() {
        beans.registerSingleton("reactive", mock(ReactiveRedisConnectionFactory.class));
        assertThat(refused()).hasMessageContaining("'reactive' is a ");
    }

    @Test
    void primaryOfSeveralFactories() {
        define("one", 1, false);
        define("two", 2, true);
        assertThat(target().uris()).containsExactly("redis://h:2/0");
    }

    @Test
    void namedOneOfSeveralFactories() {
        define("one", 1, false);
        define("two", 2, true);
        assertThat(target("boltwork.redis.connection-factory=one").uris()).containsExactly("redis://h:1/0");
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> target("boltwork.redis.connection-factory=three"))
                .withMessageContaining("Candidates: [one, two]");
    }

    @Test
    void severalFactoriesWithoutAPrimaryOneAreRefused() {
        define("one", 1, false);
        define("two", 2, false);
        RedisFactoryException refused = refused();
        assertThat(refused).hasMessageContaining("none of the RedisConnectionFactory beans one, two is primary");
        assertThat(refused.action()).contains("boltwork.redis.connection-factory", "@Primary");
    }

    private void define(String name, int port, boolean primary) {
        RootBeanDefinition definition = new RootBeanDefinition(
                LettuceConnectionFactory.class,
                () -> new LettuceConnectionFactory(new RedisStandaloneConfiguration("h", port)));
        definition.setPrimary(primary);
        beans.registerBeanDefinition(name, definition);
    }

    @Test
    void factoryOfAnUnknownTypeIsRefused() {
        assertThat(refused(mock(RedisConnectionFactory.class)))
                .hasMessageContaining("RedisConnectionFactory bean 'cache' is a ")
                .hasMessageContaining("which Boltwork cannot read");
    }

    @Test
    void socketIsRefused() {
        assertThat(refused(new LettuceConnectionFactory(new RedisSocketConfiguration("/tmp/redis.sock"))))
                .hasMessageContaining("Unix domain socket");
    }

    @Test
    void credentialsOfAProviderAreUsed() {
        LettuceClientConfiguration client = LettuceClientConfiguration.builder()
                .redisCredentialsProviderFactory(new RedisCredentialsProviderFactory() {})
                .build();
        RedisLocation one = target(new LettuceConnectionFactory(standalone(), client));
        assertThat(one.uris()).containsExactly("redis://h:7/3");
        assertThat(one.provider().resolveCredentials().block().getPassword()).containsExactly(SECRET.toCharArray());
        assertThat(one.sentinelProvider()).isNull();
        RedisSentinelConfiguration watched = sentinels();
        watched.setSentinelPassword("s3nt");
        RedisLocation master = target(new LettuceConnectionFactory(watched, client));
        assertThat(master.sentinelProvider().resolveCredentials().block().getPassword())
                .containsExactly("s3nt".toCharArray());
        RedisCredentialsProvider bean = Mono::empty;
        assertThat(one.orProvider(bean)).as("its own provider comes first").isSameAs(one);
        RedisLocation fixed = target(new LettuceConnectionFactory(standalone()));
        assertThat(fixed.orProvider(bean)).as("so does its password").isSameAs(fixed);
        RedisLocation without = target(new LettuceConnectionFactory("h", 7));
        assertThat(without.orProvider(bean).provider()).isSameAs(bean);
        assertThat(one.toString() + master).doesNotContain(SECRET, "s3nt");
    }

    @Test
    void startTlsIsRefused() {
        LettuceClientConfiguration client =
                LettuceClientConfiguration.builder().useSsl().startTls().build();
        assertThat(refused(new LettuceConnectionFactory(standalone(), client))).hasMessageContaining("StartTLS");
    }

    @Test
    @SuppressWarnings("deprecation")
    void settingsOfJedisThatLettuceCannotHaveAreRefused() {
        JedisClientConfiguration socketFactory = JedisClientConfiguration.builder()
                .useSsl()
                .sslSocketFactory((SSLSocketFactory) SSLSocketFactory.getDefault())
                .build();
        assertThat(refused(new JedisConnectionFactory(standalone(), socketFactory)))
                .hasMessageContaining("SSLSocketFactory");
        JedisClientConfiguration customized =
                JedisClientConfiguration.builder().customize(builder -> {}).build();
        assertThat(refused(new JedisConnectionFactory(standalone(), customized)))
                .hasMessageContaining("customizer of Jedis");
    }

    @Test
    void incompleteConfigurationsAreRefused() {
        RedisSentinelConfiguration withoutAMaster = new RedisSentinelConfiguration();
        withoutAMaster.sentinel("s", 1);
        assertThat(refused(new LettuceConnectionFactory(withoutAMaster)))
                .hasMessageContaining("does not name the sentinels' master");
    }

    @Test
    void malformedAddressNamesTheBeanAndNoPassword() {
        RedisStandaloneConfiguration malformed = standalone();
        malformed.setHostName("h h");
        RedisLocation target = target(new LettuceConnectionFactory(malformed));
        BoltworkProperties.Redis redis =
                new Binder(List.of()).bindOrCreate("boltwork.redis", BoltworkProperties.Redis.class);
        assertThatExceptionOfType(RedisFactoryException.class)
                .isThrownBy(() -> target.connect(redis, options -> options))
                .withMessageContaining("bean 'cache' has an address that Boltwork cannot use")
                .satisfies(e -> assertThat(e).hasMessageNotContaining(SECRET));
    }
}
