// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.ClientOptions;
import io.boltwork.Leadership;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.annotation.acquire.LockGroups;
import io.boltwork.annotation.operation.LockDefaults;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Printable;
import io.boltwork.spring.ClientOptionsCustomizer;
import io.boltwork.spring.LockTemplate;
import io.boltwork.spring.RedisOptionsCustomizer;
import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.properties.ClientProperties;
import io.boltwork.spring.properties.DurationUnits;
import io.boltwork.spring.properties.NamedBeans;
import io.boltwork.spring.properties.SecretValues;
import io.boltwork.spring.properties.UnknownProperties;
import io.boltwork.spring.redis.ApplicationRedis;
import io.boltwork.spring.redis.DetailsRedis;
import io.boltwork.spring.redis.FactoryRedis;
import io.boltwork.spring.redis.JedisBesideLettuce;
import io.boltwork.spring.redis.PropertiesRedis;
import io.boltwork.spring.redis.RedisLocations;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.resource.ClientResources;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration of a {@link LockClient} and a {@link LockTemplate}. The client is closed with the context, after
 * web requests, scheduled jobs and executors have ended. An application's own {@link LockBackend} or {@link LockClient}
 * bean takes precedence. All {@link LockListener} beans are registered with the client. {@link ClientOptionsCustomizer}
 * and {@link RedisOptionsCustomizer} beans can change the options.
 *
 * @since 0.1.0
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
            "org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration"
        })
@ConditionalOnProperty(name = "boltwork.enabled", matchIfMissing = true)
@EnableConfigurationProperties(BoltworkProperties.class)
@ImportRuntimeHints(BoltworkRuntimeHints.class)
@Import({
    StoreBackends.JdbcConfiguration.class,
    StoreBackends.ZooKeeperConfiguration.class,
    StoreBackends.EtcdConfiguration.class,
    StoreBackends.MissingConfiguration.class,
    BoltworkAutoConfiguration.Clients.class
})
public final class BoltworkAutoConfiguration {
    static final String CLIENT = "boltworkLockClient";
    private static final String DETAILS = "boltworkDetailsRedis";
    private static final String DETAILS_TYPE =
            "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails";
    private static final String FACTORY_TYPE = "org.springframework.data.redis.connection.RedisConnectionFactory";

    BoltworkAutoConfiguration() {}

    @Bean(name = CLIENT, destroyMethod = "close")
    @ConditionalOnMissingBean
    LockClient boltworkLockClient(
            LockBackend backend,
            BoltworkProperties properties,
            Environment environment,
            ConfigurableListableBeanFactory beans,
            ObjectProvider<ClientOptionsCustomizer> customizers,
            ObjectProvider<LockListener> listeners) {
        LockClient client = client(
                backend, options(properties, environment, new NamedBeans(beans, CLIENT)), customizers, listeners);
        StartLog.log(client, backend, "");
        return client;
    }

    private static LockClient client(
            LockBackend backend,
            ClientOptions properties,
            ObjectProvider<ClientOptionsCustomizer> customizers,
            ObjectProvider<LockListener> listeners) {
        ClientOptions options = properties;
        for (ClientOptionsCustomizer customizer : customizers.orderedStream().toList()) {
            options = customizer.customize(options);
        }
        LockClient client = LockClient.create(backend, options);
        listeners.orderedStream().forEach(client::addListener);
        return client;
    }

    private static ClientOptions options(BoltworkProperties properties, Environment environment, NamedBeans beans) {
        ClientOptions options = ClientOptions.defaults()
                .withOutagePatience(properties.outagePatience())
                .withShutdownTime(properties.shutdownTime())
                .withSlice(properties.slice());
        Duration longHold = properties.longHold();
        if (longHold != null) {
            options = options.withLongHold(longHold);
        }
        Duration longWait = properties.longWait();
        if (longWait != null) {
            options = options.withLongWait(longWait);
        }
        String application = StringUtils.hasText(properties.application())
                ? properties.application()
                : environment.getProperty("spring.application.name");
        if (StringUtils.hasText(application)) {
            options = BoltworkProperties.apply("spring.application.name", application, options::withApplication);
        }
        String executor = properties.callbackExecutor();
        return StringUtils.hasText(executor)
                ? options.withCallbackExecutor(beans.get("boltwork.callback-executor", executor, Executor.class))
                : options;
    }

    @Bean
    static UnknownProperties boltworkUnknownProperties(Environment environment) {
        return new UnknownProperties(environment);
    }

    /** Rejects durations without a unit. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DurationUnits boltworkDurationUnits() {
        return new DurationUnits();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static SecretValues boltworkSecretValues() {
        return new SecretValues();
    }

    @Bean
    static LockGroups boltworkLockGroups(BoltworkProperties properties) {
        return new LockGroups(
                properties.metrics().maxGroups(),
                Stream.concat(Stream.of(properties), properties.clients().values().stream())
                        .map(each -> each.lock().prefix())
                        .toList());
    }

    @Bean
    @ConditionalOnMissingBean
    LockTemplate boltworkLockTemplate(
            LockClient client,
            LockGroups groups,
            BoltworkProperties properties,
            ObjectProvider<ObservationRegistry> observations) {
        return template(client, groups, properties, observations);
    }

    private static LockTemplate template(
            LockClient client,
            LockGroups groups,
            BoltworkProperties properties,
            ObjectProvider<ObservationRegistry> observations) {
        LockDefaults defaults = properties.lock().defaults();
        LockTemplate template = new LockTemplate(client, groups).withOptions(defaults.options());
        if (defaults.waitFor() != null) {
            template = template.withWait(defaults.waitFor());
        }
        ObservationRegistry registry = observations.getIfUnique();
        return registry == null ? template : template.withObservations(registry);
    }

    /** Stands for election. A bean that is lazy would not. */
    @Bean
    @Lazy(false)
    @ConditionalOnProperty("boltwork.leader.lock")
    Leadership boltworkLeadership(LockClient client, BoltworkProperties properties, ApplicationEventPublisher events) {
        String name = properties.lock().prefix() + properties.leader().lock();
        LockOptions options = properties.lock().defaults().options();
        return new ApplicationLeadership(client, client.lock(name, options), events);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ShutdownOrder boltworkShutdownOrder(ConfigurableListableBeanFactory beans) {
        return new ShutdownOrder(beans);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ShutdownWait boltworkShutdownWait(Environment environment) {
        return new ShutdownWait(environment);
    }

    /** Registers the clients of {@code boltwork.clients.*} and their templates, which an injection names. */
    static final class Clients implements ImportBeanDefinitionRegistrar {
        private final Environment environment;

        Clients(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            NamedClients.register(registry, environment, Clients.class, "client", NamedClients.CLIENT);
            NamedClients.register(registry, environment, Clients.class, "template", "LockTemplate");
        }

        static LockClient client(
                String name,
                BoltworkProperties all,
                Environment environment,
                ConfigurableListableBeanFactory beans,
                ObjectProvider<ClientOptionsCustomizer> customizers,
                ObjectProvider<RedisOptionsCustomizer> redisCustomizers,
                ObjectProvider<LockListener> listeners) {
            BoltworkProperties properties = Objects.requireNonNull(all.clients().get(name));
            NamedBeans named = new NamedBeans(beans, name + NamedClients.CLIENT);
            try {
                LockBackend backend = switch (properties.backend()) {
                    case MEMORY -> MemoryConfiguration.create();
                    case REDIS -> RedisConfiguration.connect(properties, environment, named, redisCustomizers);
                    case JDBC, ZOOKEEPER, ETCD -> StoreBackends.connect(properties, named);
                };
                LockClient client = BoltworkAutoConfiguration.client(
                        backend, options(properties, environment, named), customizers, listeners);
                StartLog.log(client, backend, " of the client '" + Printable.text(name) + "'");
                return client;
            } catch (RuntimeException failure) {
                throw ClientProperties.named(name, failure);
            }
        }

        static LockTemplate template(
                String name,
                LockGroups groups,
                BoltworkProperties properties,
                ConfigurableListableBeanFactory beans,
                ObjectProvider<ObservationRegistry> observations) {
            return BoltworkAutoConfiguration.template(
                    NamedClients.client(beans, name), groups, properties.of(name), observations);
        }
    }

    /** Watches over the client of an application that has Jedis. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(
            name = {
                "redis.clients.jedis.Jedis",
                "org.apache.commons.pool2.impl.GenericObjectPool",
                "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory"
            })
    static class JedisConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static JedisBesideLettuce boltworkJedisBesideLettuce(Environment environment) {
            return new JedisBesideLettuce(environment);
        }
    }

    /** Keeps leases in this JVM. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "boltwork.backend", havingValue = "memory")
    @ConditionalOnMissingBean({LockBackend.class, LockClient.class})
    static class MemoryConfiguration {

        /* the client closes it */
        @Bean(name = NamedBeans.BACKEND, destroyMethod = "")
        MemoryBackend boltworkBackend() {
            return MemoryBackend.create();
        }

        static LockBackend create() {
            return MemoryBackend.create();
        }
    }

    /** Keeps leases on Redis. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RedisBackend.class)
    @ConditionalOnProperty(name = "boltwork.backend", havingValue = "redis", matchIfMissing = true)
    @ConditionalOnMissingBean({LockBackend.class, LockClient.class})
    static class RedisConfiguration {

        /* the client closes it */
        @Bean(name = NamedBeans.BACKEND, destroyMethod = "")
        LockBackend boltworkBackend(
                BoltworkProperties properties,
                Environment environment,
                ConfigurableListableBeanFactory beans,
                ObjectProvider<RedisOptionsCustomizer> customizers,
                ObjectProvider<SslBundles> bundles,
                ObjectProvider<ApplicationRedis> application) {
            return connect(
                    properties,
                    environment,
                    new NamedBeans(beans, NamedBeans.BACKEND),
                    customizers,
                    bundles.getIfAvailable(),
                    application.getIfAvailable(
                            () -> properties(environment, bundles.getIfAvailable(), properties.redis())));
        }

        private static LockBackend connect(
                BoltworkProperties properties,
                Environment environment,
                NamedBeans beans,
                ObjectProvider<RedisOptionsCustomizer> customizers,
                @Nullable SslBundles bundles,
                ApplicationRedis application) {
            return new RedisLocations(properties, environment, bundles)
                    .find(application)
                    .orProvider(beans.beans()
                            .getBeanProvider(RedisCredentialsProvider.class)
                            .getIfUnique())
                    .connect(
                            properties.redis(),
                            options -> customized(
                                    resources(
                                            connectTimeout(options, properties.redis(), environment),
                                            properties.redis(),
                                            beans),
                                    customizers.orderedStream().toList()));
        }

        /** Connects a further client, which has no beans of its own for the application's Redis. */
        static LockBackend connect(
                BoltworkProperties properties,
                Environment environment,
                NamedBeans beans,
                ObjectProvider<RedisOptionsCustomizer> customizers) {
            SslBundles bundles = beans.beans().getBeanProvider(SslBundles.class).getIfAvailable();
            ClassLoader loader = beans.beans().getBeanClassLoader();
            ApplicationRedis application = null;
            if (ClassUtils.isPresent(DETAILS_TYPE, loader)) {
                application = DetailsConfiguration.details(beans.beans(), environment);
            }
            if (ClassUtils.isPresent(FACTORY_TYPE, loader)) {
                ApplicationRedis otherwise =
                        application == null ? new PropertiesRedis(environment, bundles) : application;
                application = new FactoryRedis(beans, environment, properties.redis(), otherwise);
            }
            return connect(
                    properties,
                    environment,
                    beans,
                    customizers,
                    bundles,
                    application == null ? properties(environment, bundles, properties.redis()) : application);
        }

        private static ApplicationRedis properties(
                Environment environment, @Nullable SslBundles bundles, BoltworkProperties.Redis redis) {
            if (StringUtils.hasText(redis.connectionFactory())) {
                throw BoltworkProperties.invalid(
                        "boltwork.redis.connection-factory",
                        redis.connectionFactory(),
                        "There is no such bean, because Spring Data Redis is not on the class path.");
            }
            return new PropertiesRedis(environment, bundles);
        }

        /** Sets Boltwork's own connect timeout, or else that of the application, where zero means none. */
        private static RedisOptions connectTimeout(
                RedisOptions options, BoltworkProperties.Redis redis, Environment environment) {
            Duration own = redis.connectTimeout();
            if (own != null) {
                return BoltworkProperties.apply("boltwork.redis.connect-timeout", own, options::withConnectTimeout);
            }
            String property = "spring.data.redis.connect-timeout";
            Duration applications =
                    Binder.get(environment).bind(property, Duration.class).orElse(Duration.ZERO);
            return applications.isZero()
                    ? options
                    : BoltworkProperties.apply(property, applications, options::withConnectTimeout);
        }

        private static RedisOptions resources(RedisOptions options, BoltworkProperties.Redis redis, NamedBeans beans) {
            String name = redis.clientResources();
            return StringUtils.hasText(name)
                    ? options.withClientResources(
                            beans.get("boltwork.redis.client-resources", name, ClientResources.class))
                    : options;
        }

        private static RedisOptions customized(RedisOptions options, List<RedisOptionsCustomizer> customizers) {
            RedisOptions changed = options;
            for (RedisOptionsCustomizer customizer : customizers) {
                changed = customizer.customize(changed);
            }
            return changed;
        }

        /** Uses the connection factory of Spring Data Redis, if it is present. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(RedisConnectionFactory.class)
        static class FactoryConfiguration {

            @Bean
            @Primary
            FactoryRedis boltworkFactoryRedis(
                    BoltworkProperties properties,
                    Environment environment,
                    ConfigurableListableBeanFactory beans,
                    ObjectProvider<SslBundles> bundles,
                    @Qualifier(DETAILS) ObjectProvider<ApplicationRedis> details) {
                ApplicationRedis otherwise =
                        details.getIfAvailable(() -> new PropertiesRedis(environment, bundles.getIfAvailable()));
                return new FactoryRedis(
                        new NamedBeans(beans, NamedBeans.BACKEND), environment, properties.redis(), otherwise);
            }
        }

        /** Uses the connection details of Spring Boot, if there is no connection factory. */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(DataRedisConnectionDetails.class)
        static class DetailsConfiguration {

            @Bean(DETAILS)
            @ConditionalOnBean(DataRedisConnectionDetails.class)
            ApplicationRedis boltworkDetailsRedis(DataRedisConnectionDetails details, Environment environment) {
                return details(details, environment);
            }

            private static DetailsRedis details(DataRedisConnectionDetails details, Environment environment) {
                return new DetailsRedis(
                        details, environment.getProperty("spring.data.redis.database", Integer.class, 0));
            }

            static @Nullable ApplicationRedis details(BeanFactory beans, Environment environment) {
                DataRedisConnectionDetails details =
                        beans.getBeanProvider(DataRedisConnectionDetails.class).getIfAvailable();
                return details == null ? null : details(details, environment);
            }
        }
    }
}
