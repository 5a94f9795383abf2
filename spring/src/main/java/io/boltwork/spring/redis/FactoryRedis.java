// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.properties.NamedBeans;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.time.Duration;
import java.util.Collection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.NamedNode;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.ClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.DomainSocketConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.SentinelConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.StaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisConfiguration.WithDatabaseIndex;
import org.springframework.data.redis.connection.RedisConfiguration.WithHostAndPort;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * The Redis of the application's {@link RedisConnectionFactory} bean, whether the application or Spring Boot defines
 * it. A factory that does not reveal its configuration stops the start: locks on any other Redis would not exclude
 * anything.
 */
public final class FactoryRedis implements ApplicationRedis {
    private static final Log LOG = LogFactory.getLog(FactoryRedis.class);
    private static final String NAME = "boltwork.redis.connection-factory";

    private final ConfigurableListableBeanFactory beans;
    private final String user;
    private final Environment environment;
    private final BoltworkProperties.Redis properties;
    private final ApplicationRedis otherwise;

    /** Uses {@code otherwise} in an application without such a bean. */
    public FactoryRedis(
            NamedBeans named,
            Environment environment,
            BoltworkProperties.Redis properties,
            ApplicationRedis otherwise) {
        this.beans = named.beans();
        this.user = named.user();
        this.environment = environment;
        this.properties = properties;
        this.otherwise = otherwise;
    }

    @Override
    public RedisLocation target(@Nullable Duration timeout) {
        String bean = bean();
        return bean == null ? otherwise.target(timeout) : target(bean, timeout);
    }

    /** Returns the name of the bean to use. */
    private @Nullable String bean() {
        String name = properties.connectionFactory();
        if (StringUtils.hasText(name)) {
            new NamedBeans(beans, user).get(NAME, name, RedisConnectionFactory.class);
            return name;
        }
        String only = only(RedisConnectionFactory.class);
        return only != null ? only : only(ReactiveRedisConnectionFactory.class);
    }

    /** Returns the name of the only or primary bean of a type, or {@code null} if there is none. */
    private @Nullable String only(Class<?> type) {
        try {
            return beans.resolveNamedBean(type).getBeanName();
        } catch (NoUniqueBeanDefinitionException e) {
            Collection<String> names = e.getBeanNamesFound();
            throw new RedisFactoryException(
                    "none of the " + type.getSimpleName() + " beans "
                            + StringUtils.collectionToDelimitedString(names, ", ") + " is primary.",
                    "Set " + NAME + " to the name of one of them, mark one with @Primary, or set boltwork.redis.uri.");
        } catch (NoSuchBeanDefinitionException none) {
            return null;
        } catch (BeanCreationException e) {
            if (e.contains(BeanCurrentlyInCreationException.class)) {
                LOG.debug("There is a cycle of beans", e);
                throw RedisFactoryException.of(
                        String.valueOf(e.getBeanName()), "needs, directly or indirectly, the lock client itself");
            }
            throw e;
        }
    }

    private RedisLocation target(String bean, @Nullable Duration timeout) {
        beans.registerDependentBean(bean, user);
        boolean boots = isOfSpringBoot(beans, bean);
        RedisLocation.Builder target = new RedisLocation.Builder("spring.data.redis").bean(boots ? null : bean);
        Object factory = unwrapped(beans.getBean(bean));
        Duration commands;
        if (factory instanceof LettuceConnectionFactory lettuce) {
            Object where = configuration(lettuce);
            locate(target, bean, where);
            if (boots && where instanceof StaticMasterReplicaConfiguration) {
                target.database(database());
            }
            commands = LettuceSettings.apply(lettuce.getClientConfiguration(), where, target, bean);
        } else if (factory instanceof JedisConnectionFactory jedis) {
            locate(target, bean, configuration(jedis));
            commands = JedisSettings.apply(jedis.getClientConfiguration(), target, bean, boots ? otherwise : null);
        } else {
            throw RedisFactoryException.of(
                    bean, "is a " + factory.getClass().getName() + ", which Boltwork cannot read");
        }
        Duration own = properties.timeout();
        return target.timeout(own != null ? own : commands != null ? commands : timeout)
                .build();
    }

    /** Returns the database of a master with replicas, which Spring Boot leaves out of its own configuration. */
    private int database() {
        return environment.getProperty("spring.data.redis.database", Integer.class, 0);
    }

    /** Returns whether Spring Boot's auto-configuration, rather than the application, defines the bean. */
    static boolean isOfSpringBoot(ConfigurableListableBeanFactory beans, String name) {
        String definedBy = beans.containsBeanDefinition(name)
                ? beans.getBeanDefinition(name).getFactoryBeanName()
                : null;
        return definedBy != null && definedBy.startsWith("org.springframework.boot.");
    }

    private static Object unwrapped(Object bean) {
        try {
            Object target =
                    bean instanceof Advised proxy ? proxy.getTargetSource().getTarget() : null;
            return target == null ? bean : unwrapped(target);
        } catch (Exception e) {
            throw new IllegalStateException("The target of a proxy of RedisConnectionFactory cannot be created", e);
        }
    }

    /*
     * The factory has getters for some kinds of configurations only. The others return the default address, localhost,
     * if the factory has been given a configuration of another kind, such as that of a master with its replicas.
     */
    private static @Nullable Object configuration(LettuceConnectionFactory factory) {
        try {
            Field field = LettuceConnectionFactory.class.getDeclaredField("configuration");
            field.setAccessible(true);
            return field.get(factory);
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            LOG.debug("The configuration of a LettuceConnectionFactory cannot be read", e);
            return null;
        }
    }

    private static @Nullable Object configuration(JedisConnectionFactory factory) {
        RedisConfiguration sentinels = factory.getSentinelConfiguration();
        RedisConfiguration cluster = factory.getClusterConfiguration();
        return sentinels != null ? sentinels : cluster != null ? cluster : factory.getStandaloneConfiguration();
    }

    private static void locate(RedisLocation.Builder target, String bean, @Nullable Object where) {
        if (where instanceof WithAuthentication user) {
            target.credentials(user.getUsername(), text(user.getPassword()));
        }
        if (where instanceof WithDatabaseIndex indexed) {
            target.database(indexed.getDatabase());
        }
        if (where instanceof SentinelConfiguration sentinel) {
            NamedNode master = sentinel.getMaster();
            if (master == null || master.getName() == null) {
                throw RedisFactoryException.of(bean, "does not name the sentinels' master");
            }
            target.sentinel(master.getName(), sentinel.getSentinelUsername(), text(sentinel.getSentinelPassword()));
            add(target, bean, sentinel.getSentinels());
        } else if (where instanceof ClusterConfiguration cluster) {
            target.kind(RedisLocation.Kind.CLUSTER);
            add(target, bean, cluster.getClusterNodes());
        } else if (where instanceof StaticMasterReplicaConfiguration replicas) {
            target.kind(RedisLocation.Kind.REPLICATED);
            replicas.getNodes().forEach(node -> target.node(node.getHostName(), node.getPort()));
        } else if (where instanceof WithHostAndPort one) {
            target.node(one.getHostName(), one.getPort());
        } else if (where instanceof DomainSocketConfiguration) {
            throw RedisFactoryException.of(
                    bean, "connects to a Unix domain socket, and Boltwork only to hosts and ports");
        } else {
            throw RedisFactoryException.of(bean, "does not reveal a configuration that Boltwork can read");
        }
    }

    private static void add(RedisLocation.Builder target, String bean, Collection<RedisNode> nodes) {
        for (RedisNode node : nodes) {
            String host = node.getHost();
            Integer port = node.getPort();
            if (host == null || port == null) {
                throw RedisFactoryException.of(bean, "has a node without a host or port");
            }
            target.node(host, port);
        }
    }

    private static @Nullable String text(RedisPassword password) {
        return password.map(String::new).orElse(null);
    }
}
