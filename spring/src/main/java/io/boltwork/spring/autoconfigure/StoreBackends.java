// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.LockClient;
import io.boltwork.jdbc.JdbcBackend;
import io.boltwork.jdbc.JdbcOptions;
import io.boltwork.spi.LockBackend;
import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.properties.NamedBeans;
import io.boltwork.spring.properties.WrongPropertyException;
import io.boltwork.zookeeper.ZooKeeperBackend;
import io.boltwork.zookeeper.ZooKeeperOptions;
import java.nio.file.Path;
import java.util.Locale;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
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
        ClassLoader loader = beans.beans().getBeanClassLoader();
        boolean jdbc = properties.backend() == BoltworkProperties.Backend.JDBC;
        if (!ClassUtils.isPresent(
                jdbc ? "io.boltwork.jdbc.JdbcBackend" : "io.boltwork.zookeeper.ZooKeeperBackend", loader)) {
            throw missing(properties);
        }
        return jdbc
                ? JdbcConfiguration.connect(
                        properties.jdbc(), beans, beans.beans().getBeanProvider(DataSource.class))
                : ZooKeeperConfiguration.connect(properties.zookeeper(), beans.beans());
    }

    private static WrongPropertyException missing(BoltworkProperties properties) {
        String name = properties.backend().name().toLowerCase(Locale.ROOT);
        return new WrongPropertyException(
                "boltwork.backend",
                "'" + name + "' needs the module boltwork-" + name + ", which is not on the class path.",
                "Add the dependency io.boltwork:boltwork-" + name + ", or choose another backend. If the module is"
                        + " on the class path, write the value as '" + name + "'.");
    }

    /** Keeps leases in a database. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JdbcBackend.class)
    @ConditionalOnProperty(name = "boltwork.backend", havingValue = "jdbc")
    @ConditionalOnMissingBean({LockBackend.class, LockClient.class})
    static class JdbcConfiguration {

        /* the client closes it */
        @Bean(name = NamedBeans.BACKEND, destroyMethod = "")
        LockBackend boltworkBackend(
                BoltworkProperties properties,
                ConfigurableListableBeanFactory beans,
                ObjectProvider<DataSource> sources) {
            return connect(properties.jdbc(), new NamedBeans(beans, NamedBeans.BACKEND), sources);
        }

        private static LockBackend connect(
                BoltworkProperties.Jdbc jdbc, NamedBeans beans, ObjectProvider<DataSource> sources) {
            DataSource source = source(jdbc, beans, sources);
            RoutingDataSources.refuse(source);
            return JdbcBackend.on(source, options(jdbc));
        }

        private static DataSource source(
                BoltworkProperties.Jdbc jdbc, NamedBeans beans, ObjectProvider<DataSource> sources) {
            String name = jdbc.dataSource();
            if (StringUtils.hasText(name)) {
                return beans.get("boltwork.jdbc.data-source", name, DataSource.class);
            }
            DataSource only = sources.getIfUnique();
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
            JdbcOptions options = JdbcOptions.defaults().withCreateTables(jdbc.createTables());
            options = BoltworkProperties.apply(
                    "boltwork.jdbc.table-prefix", jdbc.tablePrefix(), options::withTablePrefix);
            options = BoltworkProperties.apply(
                    "boltwork.jdbc.connect-timeout", jdbc.connectTimeout(), options::withConnectTimeout);
            options = BoltworkProperties.apply("boltwork.jdbc.timeout", jdbc.timeout(), options::withCommandTimeout);
            options = BoltworkProperties.apply(
                    "boltwork.jdbc.poll-interval", jdbc.pollInterval(), options::withPollInterval);
            return BoltworkProperties.apply("boltwork.jdbc.idle-life", jdbc.idleLife(), options::withIdleLife);
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
        LockBackend boltworkBackend(BoltworkProperties properties, ObjectProvider<CuratorFramework> frameworks) {
            return connect(properties.zookeeper(), frameworks);
        }

        private static LockBackend connect(BoltworkProperties.Zookeeper zookeeper, BeanFactory beans) {
            return connect(zookeeper, beans.getBeanProvider(CuratorFramework.class));
        }

        private static LockBackend connect(
                BoltworkProperties.Zookeeper zookeeper, ObjectProvider<CuratorFramework> frameworks) {
            ZooKeeperOptions options = options(zookeeper);
            String servers = zookeeper.connectString();
            if (StringUtils.hasText(servers)) {
                try {
                    return ZooKeeperBackend.connect(servers, options);
                } catch (IllegalArgumentException quotesTheText) {
                    throw WrongPropertyException.hidden(
                            "boltwork.zookeeper.connect-string",
                            "It must be a list of servers such as 'host1:2181,host2:2181', without a scheme.");
                }
            }
            CuratorFramework framework = frameworks.getIfUnique();
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
            ZooKeeperOptions options = ZooKeeperOptions.defaults();
            options = BoltworkProperties.apply("boltwork.zookeeper.root", zookeeper.root(), options::withRoot);
            options = BoltworkProperties.apply(
                    "boltwork.zookeeper.session-timeout", zookeeper.sessionTimeout(), options::withSessionTimeout);
            options = BoltworkProperties.apply(
                    "boltwork.zookeeper.connect-timeout", zookeeper.connectTimeout(), options::withConnectTimeout);
            options = BoltworkProperties.apply(
                    "boltwork.zookeeper.timeout", zookeeper.timeout(), options::withCommandTimeout);
            options = BoltworkProperties.apply(
                    "boltwork.zookeeper.idle-life", zookeeper.idleLife(), options::withIdleLife);
            options = tls(options, zookeeper);
            String user = zookeeper.username();
            String password = zookeeper.password();
            if (user == null || password == null) {
                return options;
            }
            ZooKeeperOptions before = options;
            return BoltworkProperties.apply(
                    "boltwork.zookeeper.username", user, name -> before.withDigest(name, password));
        }

        private static ZooKeeperOptions tls(ZooKeeperOptions options, BoltworkProperties.Zookeeper zookeeper) {
            ZooKeeperOptions with = options;
            Path trusted = zookeeper.trustedCertificates();
            if (trusted != null) {
                with = BoltworkProperties.apply(
                        "boltwork.zookeeper.trusted-certificates", trusted, with::withTrustedCertificates);
            }
            Path certificate = zookeeper.clientCertificate();
            if (certificate != null) {
                with = BoltworkProperties.apply(
                        "boltwork.zookeeper.client-certificate", certificate, with::withClientCertificate);
            }
            return with;
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
