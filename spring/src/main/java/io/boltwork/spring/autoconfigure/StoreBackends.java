// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.LockClient;
import io.boltwork.etcd.EtcdBackend;
import io.boltwork.etcd.EtcdOptions;
import io.boltwork.jdbc.JdbcBackend;
import io.boltwork.jdbc.JdbcOptions;
import io.boltwork.spi.LockBackend;
import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.properties.NamedBeans;
import io.boltwork.spring.properties.WrongPropertyException;
import io.boltwork.zookeeper.ZooKeeperBackend;
import io.boltwork.zookeeper.ZooKeeperOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Backends that keep leases in a store which the application has anyway. */
public final class StoreBackends {
    private StoreBackends() {}

    /** Connects a further client. */
    static LockBackend connect(BoltworkProperties properties, NamedBeans beans) {
        return switch (properties.backend()) {
            case JDBC -> connect("jdbc.JdbcBackend", JdbcConfiguration::connect, properties, beans);
            case ZOOKEEPER -> connect("zookeeper.ZooKeeperBackend", ZooKeeperConfiguration::connect, properties, beans);
            case ETCD -> connect("etcd.EtcdBackend", EtcdConfiguration::connect, properties, beans);
            case REDIS, MEMORY -> throw new IllegalArgumentException(properties.backend() + " is no store");
        };
    }

    private static LockBackend connect(
            String type,
            BiFunction<BoltworkProperties, NamedBeans, LockBackend> store,
            BoltworkProperties properties,
            NamedBeans beans) {
        if (!ClassUtils.isPresent("io.boltwork." + type, beans.beans().getBeanClassLoader())) {
            throw missing(properties);
        }
        return store.apply(properties, beans);
    }

    private static WrongPropertyException missing(BoltworkProperties properties) {
        String name = properties.backend().name().toLowerCase(Locale.ROOT);
        return new WrongPropertyException(
                "boltwork.backend",
                "'" + name + "' needs the module boltwork-" + name + ", which is not on the class path.",
                "Add the dependency io.boltwork:boltwork-" + name + ", or choose another backend. If the module is"
                        + " on the class path, write the value as '" + name + "'.");
    }

    /**
     * The options of a store, to which properties are applied.
     *
     * @param form what the properties' names begin with
     */
    private record Applied<O>(String form, O options) {

        /** Applies a property, if it is set. If the options reject it, the exception names it. */
        <V> Applied<O> with(String name, @Nullable V value, BiFunction<O, V, O> change) {
            return value == null
                    ? this
                    : new Applied<>(
                            form, BoltworkProperties.apply(form + "." + name, value, it -> change.apply(options, it)));
        }
    }

    /** Keeps leases in a database. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JdbcBackend.class)
    @ConditionalOnProperty(name = "boltwork.backend", havingValue = "jdbc")
    @ConditionalOnMissingBean({LockBackend.class, LockClient.class})
    static class JdbcConfiguration {

        /* the client closes it */
        @Bean(name = NamedBeans.BACKEND, destroyMethod = "")
        LockBackend boltworkBackend(BoltworkProperties properties, ConfigurableListableBeanFactory beans) {
            return connect(properties, new NamedBeans(beans, NamedBeans.BACKEND));
        }

        static LockBackend connect(BoltworkProperties properties, NamedBeans beans) {
            BoltworkProperties.Jdbc jdbc = properties.jdbc();
            DataSource source = source(jdbc, beans);
            RoutingDataSources.refuse(source);
            return JdbcBackend.on(source, options(jdbc));
        }

        private static DataSource source(BoltworkProperties.Jdbc jdbc, NamedBeans beans) {
            String name = jdbc.dataSource();
            if (StringUtils.hasText(name)) {
                return beans.get("boltwork.jdbc.data-source", name, DataSource.class);
            }
            DataSource only = beans.beans().getBeanProvider(DataSource.class).getIfUnique();
            if (only == null) {
                throw BoltworkProperties.invalid(
                        "boltwork.backend",
                        "jdbc",
                        "It needs one DataSource bean: add spring.datasource.url, or set boltwork.jdbc.data-source to"
                                + " the name of one of several.");
            }
            return only;
        }

        private static JdbcOptions options(BoltworkProperties.Jdbc jdbc) {
            return new Applied<>("boltwork.jdbc", JdbcOptions.defaults())
                    .with("table-prefix", jdbc.tablePrefix(), JdbcOptions::withTablePrefix)
                    .with("create-tables", jdbc.createTables(), JdbcOptions::withCreateTables)
                    .with("connect-timeout", jdbc.connectTimeout(), JdbcOptions::withConnectTimeout)
                    .with("timeout", jdbc.timeout(), JdbcOptions::withCommandTimeout)
                    .with("poll-interval", jdbc.pollInterval(), JdbcOptions::withPollInterval)
                    .with("idle-life", jdbc.idleLife(), JdbcOptions::withIdleLife)
                    .options();
        }
    }

    /** Keeps leases in ZooKeeper. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ZooKeeperBackend.class)
    @ConditionalOnProperty(name = "boltwork.backend", havingValue = "zookeeper")
    @ConditionalOnMissingBean({LockBackend.class, LockClient.class})
    static class ZooKeeperConfiguration {

        /* the client closes it */
        @Bean(name = NamedBeans.BACKEND, destroyMethod = "")
        LockBackend boltworkBackend(BoltworkProperties properties, ConfigurableListableBeanFactory beans) {
            return connect(properties, new NamedBeans(beans, NamedBeans.BACKEND));
        }

        static LockBackend connect(BoltworkProperties properties, NamedBeans beans) {
            ZooKeeperOptions options = options(properties.zookeeper());
            String servers = properties.zookeeper().connectString();
            if (StringUtils.hasText(servers)) {
                try {
                    return ZooKeeperBackend.connect(servers, options);
                } catch (IllegalArgumentException quotesTheText) {
                    throw WrongPropertyException.hidden(
                            "boltwork.zookeeper.connect-string",
                            "It must be a list of servers such as 'host1:2181,host2:2181', without a scheme.");
                }
            }
            CuratorFramework framework =
                    beans.beans().getBeanProvider(CuratorFramework.class).getIfUnique();
            if (framework == null) {
                throw BoltworkProperties.invalid(
                        "boltwork.backend",
                        "zookeeper",
                        "It needs boltwork.zookeeper.connect-string, such as host1:2181,host2:2181, or one"
                                + " CuratorFramework bean.");
            }
            return ZooKeeperBackend.on(framework, options);
        }

        private static ZooKeeperOptions options(BoltworkProperties.Zookeeper zookeeper) {
            return new Applied<>("boltwork.zookeeper", ZooKeeperOptions.defaults())
                    .with("root", zookeeper.root(), ZooKeeperOptions::withRoot)
                    .with("session-timeout", zookeeper.sessionTimeout(), ZooKeeperOptions::withSessionTimeout)
                    .with("connect-timeout", zookeeper.connectTimeout(), ZooKeeperOptions::withConnectTimeout)
                    .with("timeout", zookeeper.timeout(), ZooKeeperOptions::withCommandTimeout)
                    .with("idle-life", zookeeper.idleLife(), ZooKeeperOptions::withIdleLife)
                    .with(
                            "username",
                            zookeeper.username(),
                            (options, user) -> options.withDigest(user, Objects.requireNonNull(zookeeper.password())))
                    .with(
                            "trusted-certificates",
                            zookeeper.trustedCertificates(),
                            ZooKeeperOptions::withTrustedCertificates)
                    .with("client-certificate", zookeeper.clientCertificate(), ZooKeeperOptions::withClientCertificate)
                    .options();
        }
    }

    /** Keeps leases in etcd. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(EtcdBackend.class)
    @ConditionalOnProperty(name = "boltwork.backend", havingValue = "etcd")
    @ConditionalOnMissingBean({LockBackend.class, LockClient.class})
    static class EtcdConfiguration {

        /* the client closes it */
        @Bean(name = NamedBeans.BACKEND, destroyMethod = "")
        LockBackend boltworkBackend(BoltworkProperties properties, ConfigurableListableBeanFactory beans) {
            return connect(properties, new NamedBeans(beans, NamedBeans.BACKEND));
        }

        static LockBackend connect(BoltworkProperties properties, NamedBeans beans) {
            BoltworkProperties.Etcd etcd = properties.etcd();
            List<String> endpoints = etcd.endpoints();
            if (endpoints.isEmpty()) {
                throw BoltworkProperties.invalid(
                        "boltwork.backend",
                        "etcd",
                        "It needs boltwork.etcd.endpoints, such as http://host1:2379,http://host2:2379.");
            }
            EtcdOptions options = options(etcd);
            if (endpoints.stream().noneMatch(endpoint -> endpoint.startsWith("https:"))) {
                checkUnused("trusted-certificates", etcd.trustedCertificates());
                checkUnused("client-certificate", etcd.clientCertificate());
            }
            try {
                return EtcdBackend.connect(String.join(",", endpoints), options);
            } catch (IllegalArgumentException quotesTheText) {
                throw WrongPropertyException.hidden(
                        "boltwork.etcd.endpoints",
                        "It must be a list of members such as 'http://host1:2379,http://host2:2379'. The user and the"
                                + " password are in boltwork.etcd.username and boltwork.etcd.password.");
            }
        }

        private static void checkUnused(String property, @Nullable Path file) {
            if (file != null) {
                throw new WrongPropertyException(
                        "boltwork.etcd." + property,
                        "It has an effect only with TLS, but boltwork.etcd.endpoints does not use TLS.",
                        "Begin the endpoints with https://, or remove the property.");
            }
        }

        private static EtcdOptions options(BoltworkProperties.Etcd etcd) {
            return new Applied<>("boltwork.etcd", EtcdOptions.defaults())
                    .with("prefix", etcd.prefix(), EtcdOptions::withPrefix)
                    .with("session-timeout", etcd.sessionTimeout(), EtcdOptions::withSessionTimeout)
                    .with("connect-timeout", etcd.connectTimeout(), EtcdOptions::withConnectTimeout)
                    .with("timeout", etcd.timeout(), EtcdOptions::withCommandTimeout)
                    .with("idle-life", etcd.idleLife(), EtcdOptions::withIdleLife)
                    .with("clock-tolerance", etcd.clockTolerance(), EtcdOptions::withClockTolerance)
                    .with(
                            "username",
                            etcd.username(),
                            (options, user) -> options.withCredentials(user, Objects.requireNonNull(etcd.password())))
                    .with("trusted-certificates", etcd.trustedCertificates(), EtcdOptions::withTrustedCertificates)
                    .with("client-certificate", etcd.clientCertificate(), EtcdOptions::withClientCertificate)
                    .options();
        }
    }

    /** Explains why there is no backend. It is considered after all other configurations of backends. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean({LockBackend.class, LockClient.class})
    static class MissingConfiguration {

        @Bean
        LockBackend boltworkMissingBackend(BoltworkProperties properties) {
            throw missing(properties);
        }
    }
}
