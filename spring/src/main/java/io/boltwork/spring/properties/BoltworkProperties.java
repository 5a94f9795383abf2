// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import io.boltwork.ClientOptions;
import io.boltwork.LockClient;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRelease;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import io.boltwork.annotation.operation.GroupSettings;
import io.boltwork.annotation.operation.HoldSettings;
import io.boltwork.annotation.operation.LockDefaults;
import io.boltwork.annotation.operation.LockOverrides;
import io.boltwork.annotation.operation.LockSettings;
import io.boltwork.annotation.operation.SettingErrors;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.spi.IdleLife;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/**
 * The properties {@code boltwork.*}.
 *
 * @param enabled Whether to auto-configure locks.
 * @param backend Where leases are kept.
 * @param application Name of the application as shown to others that look up the holder of a lock. Defaults to
 *     'spring.application.name'.
 * @param outagePatience How long a call without a time limit keeps waiting while the backend does not answer.
 * @param shutdownTime Maximum time for releasing all locks when the application ends.
 * @param slice How long one instance may hand a lock over between its own threads before other instances get it.
 * @param longHold How long a hold may last before it is reported. Holds are not reported by default.
 * @param longWait How long a caller may wait for a lock before its wait is reported. Waits are not reported by default.
 * @param callbackExecutor Name of the Executor bean that runs listeners and asynchronous results. Defaults to threads
 *     of the client.
 * @param redis Redis, with all settings.
 * @param jdbc Locks in a database, with 'boltwork.backend=jdbc'.
 * @param zookeeper Locks in ZooKeeper, with 'boltwork.backend=zookeeper'.
 * @param etcd Locks in etcd, with 'boltwork.backend=etcd'.
 * @param lock Locks on methods, and Redis in the short form.
 * @param leader The leader among the instances.
 * @param metrics Meters.
 * @param clients Further clients by name, such as 'boltwork.clients.orders.redis.uri'. Each has the properties that
 *     'boltwork.*' has, with the same defaults, except 'clients', 'enabled', 'leader', 'metrics', 'lock.enabled',
 *     'lock.order' and 'lock.names'.
 */
@ConfigurationProperties("boltwork")
public record BoltworkProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("redis") Backend backend,
        @Nullable String application,
        @DefaultValue("30s") Duration outagePatience,
        @DefaultValue("5s") Duration shutdownTime,
        @DefaultValue("1ms") Duration slice,
        @Nullable Duration longHold,
        @Nullable Duration longWait,
        @Nullable String callbackExecutor,
        @DefaultValue Redis redis,
        @DefaultValue Jdbc jdbc,
        @DefaultValue Zookeeper zookeeper,
        @DefaultValue Etcd etcd,
        @DefaultValue Lock lock,
        @DefaultValue Leader leader,
        @DefaultValue Metrics metrics,
        @DefaultValue Map<String, BoltworkProperties> clients) {

    /** The default order of the advice, which is outside of transactions. */
    public static final int ADVICE_ORDER = Integer.MAX_VALUE - 1_000;

    private static final SettingErrors ERRORS = new Errors();

    public BoltworkProperties {
        ClientOptions options = ClientOptions.defaults();
        check("boltwork.outage-patience", outagePatience, options::withOutagePatience);
        check("boltwork.shutdown-time", shutdownTime, options::withShutdownTime);
        check("boltwork.slice", slice, options::withSlice);
        if (longHold != null) {
            check("boltwork.long-hold", longHold, options::withLongHold);
        }
        if (longWait != null) {
            check("boltwork.long-wait", longWait, options::withLongWait);
        }
        if (application != null) {
            check("boltwork.application", application, options::withApplication);
        }
    }

    /** Returns the properties of a client. A bean that the application defines has those of the primary client. */
    public BoltworkProperties of(String client) {
        return clients.getOrDefault(client, this);
    }

    /**
     * Applies {@code rule} to the value of a property. If the rule rejects the value, the exception names the property.
     */
    public static <T> void check(String property, T value, Consumer<T> rule) {
        apply(property, value, it -> {
            rule.accept(it);
            return property;
        });
    }

    /**
     * Returns the result of {@code rule} for the value of a property. If the rule rejects the value, the exception
     * names the property.
     */
    public static <T, R> R apply(String property, T value, Function<T, R> rule) {
        try {
            return rule.apply(value);
        } catch (IllegalArgumentException e) {
            throw invalid(property, value, String.valueOf(e.getMessage()));
        }
    }

    /** Returns an exception for an invalid value, without the value if it may contain a password. */
    public static RuntimeException invalid(String property, @Nullable Object value, String reason) {
        return WrongPropertyException.mayBeSecret(property)
                ? WrongPropertyException.hidden(property, reason)
                : new InvalidConfigurationPropertyValueException(property, value, reason);
    }

    /** Makes the exceptions for properties of locks that are wrong. */
    private static final class Errors implements SettingErrors {

        @Override
        public RuntimeException invalid(String setting, Object value, String reason) {
            return BoltworkProperties.invalid(setting, value, reason);
        }

        @Override
        public RuntimeException wrong(String setting, String problem, String action) {
            return new WrongPropertyException(setting, problem, action);
        }

        @Override
        public String ofGroup(String group) {
            return "boltwork.lock.names" + PropertyNames.bracketed(group);
        }
    }

    private static void checkCredentials(String form, @Nullable String username, @Nullable String password) {
        if (username == null && password != null) {
            throw invalid(form + ".password", password, "It needs " + form + ".username.");
        }
        if (username != null && password == null) {
            throw invalid(form + ".username", username, "It needs " + form + ".password.");
        }
    }

    static void atLeast(Duration least, String property, @Nullable Duration value) {
        if (value != null && value.compareTo(least) < 0) {
            throw invalid(property, value, "It must be at least " + least.toMillis() + " ms.");
        }
    }

    /**
     * The order in which waiting callers get a lock. A property must not turn a lock into a read lock, which excludes
     * less.
     */
    public enum Order {
        /** The standard order. */
        DEFAULT,
        /** Clients take turns. */
        REENTRANT,
        /** All callers, in the order of their requests. */
        FAIR;

        public LockType lockType() {
            return LockType.valueOf(name());
        }
    }

    /** The place where leases are kept. */
    public enum Backend {
        /** Redis or Valkey. */
        REDIS,
        /** The application's database. */
        JDBC,
        /** ZooKeeper. */
        ZOOKEEPER,
        /** etcd. */
        ETCD,
        /** This JVM, for tests and test slices. Other JVMs do not see these locks. */
        MEMORY
    }

    /** The kind of Redis deployment. */
    public enum ServerType {
        /** One server. */
        STANDALONE,
        /** Sentinels that know the master. */
        SENTINEL,
        /** Redis Cluster. */
        CLUSTER,
        /** A master and its replicas, without sentinels. */
        MASTERSLAVE,
        /** Independent masters, a majority of which votes for each holder. */
        QUORUM
    }

    /**
     * Redis, with all settings.
     *
     * @param uri Address of Redis, such as 'redis://user:password@host:6379/0', 'rediss://host' with TLS, or
     *     'redis-sentinel://host1,host2/0#mymaster' or 'redis-cluster://host1,host2'. Several addresses are those of a
     *     master and its replicas.
     * @param keyPrefix Prefix of all keys and channels.
     * @param idleLife How long Redis keeps the record of a lock that is not in use.
     * @param timeout Timeout for commands. Defaults to that of the application, or 2 s.
     * @param connectTimeout Longest time for connecting. Defaults to 'spring.data.redis.connect-timeout' if set, or 10
     *     s otherwise.
     * @param sslBundle Name of the SSL bundle for TLS.
     * @param trustedCertificates PEM file with the certificates to trust with TLS. Defaults to those that the JVM
     *     trusts.
     * @param clientCertificate PEM file with the certificate to present to a server that requires one.
     * @param clientKey PEM file with the private key of the client certificate.
     * @param connectionFactory Name of the RedisConnectionFactory bean whose Redis keeps the locks, unless an address
     *     is set. Defaults to the application's only or primary one.
     * @param clientResources Name of the bean with Lettuce's ClientResources. By default, Boltwork creates its own.
     * @param lazyConnect Whether the application starts while Redis is down, and connects in the background.
     * @param directConnections How many connections to a server callers may use by themselves, 0 to 8.
     * @param bridge Names of the locks that are shared with Redisson, such as 'orders:*'; '*' shares all.
     * @param sentinelUsername Username for the sentinels, if they have users.
     * @param sentinelPassword Password for the sentinels, if they require one.
     */
    public record Redis(
            @DefaultValue List<String> uri,
            @DefaultValue("boltwork") String keyPrefix,
            @DefaultValue("10m") Duration idleLife,
            @Nullable Duration timeout,
            @Nullable Duration connectTimeout,
            @Nullable String sslBundle,
            @Nullable Path trustedCertificates,
            @Nullable Path clientCertificate,
            @Nullable Path clientKey,
            @Nullable String connectionFactory,
            @Nullable String clientResources,
            @DefaultValue("true") boolean lazyConnect,
            @DefaultValue("2") int directConnections,
            @DefaultValue List<String> bridge,
            @Nullable String sentinelUsername,
            @Nullable String sentinelPassword) {

        public Redis {
            atLeast(Duration.ofMillis(1), "boltwork.redis.timeout", timeout);
            atLeast(Duration.ofMillis(1), "boltwork.redis.connect-timeout", connectTimeout);
            check("boltwork.redis.idle-life", idleLife, IdleLife::millis);
            if ((clientCertificate == null) != (clientKey == null)) {
                throw clientCertificate == null
                        ? invalid("boltwork.redis.client-key", clientKey, "It needs boltwork.redis.client-certificate.")
                        : invalid(
                                "boltwork.redis.client-certificate",
                                clientCertificate,
                                "It needs boltwork.redis.client-key.");
            }
        }

        /** Omits the addresses, which may contain passwords, and the sentinels' password. */
        @Override
        public String toString() {
            return uri.size() + " addresses, key prefix " + keyPrefix + ", timeout " + timeout + ", SSL bundle "
                    + sslBundle;
        }
    }

    /**
     * Locks in a database.
     *
     * @param dataSource Name of the DataSource bean. Defaults to the application's only or primary one.
     * @param tablePrefix Prefix of the tables' names, with or without a schema.
     * @param createTables Whether to create the tables if they are missing.
     * @param connectTimeout Longest time for connecting.
     * @param timeout Timeout for commands.
     * @param pollInterval How often a waiting client looks for messages if the database does not push them.
     * @param idleLife How long the row of a lock stays that is not in use.
     */
    public record Jdbc(
            @Nullable String dataSource,
            @DefaultValue("boltwork_") String tablePrefix,
            @DefaultValue("true") boolean createTables,
            @DefaultValue("10s") Duration connectTimeout,
            @DefaultValue("2s") Duration timeout,
            @DefaultValue("50ms") Duration pollInterval,
            @DefaultValue("10m") Duration idleLife) {}

    /**
     * Locks in ZooKeeper.
     *
     * @param connectString Addresses of the servers, such as 'host1:2181,host2:2181,host3:2181'. Defaults to the
     *     application's CuratorFramework bean.
     * @param root Path of the node below which all nodes are.
     * @param sessionTimeout Timeout of the session.
     * @param connectTimeout Longest time for connecting.
     * @param timeout Timeout for commands.
     * @param idleLife How long the node of a lock stays that is not in use.
     * @param username Name for the scheme 'digest'.
     * @param password Password for the scheme 'digest'.
     * @param trustedCertificates PEM file with the certificates to trust. Turns on TLS.
     * @param clientCertificate PEM file with the certificate to present to the servers, and its private key. Turns on
     *     TLS.
     */
    public record Zookeeper(
            @Nullable String connectString,
            @DefaultValue("/boltwork") String root,
            @DefaultValue("10s") Duration sessionTimeout,
            @DefaultValue("10s") Duration connectTimeout,
            @DefaultValue("2s") Duration timeout,
            @DefaultValue("10m") Duration idleLife,
            @Nullable String username,
            @Nullable String password,
            @Nullable Path trustedCertificates,
            @Nullable Path clientCertificate) {

        public Zookeeper {
            checkCredentials("boltwork.zookeeper", username, password);
        }

        /** Omits the password. */
        @Override
        public String toString() {
            return connectString + root;
        }
    }

    /**
     * Locks in etcd.
     *
     * @param endpoints Addresses of the members, such as 'http://host1:2379,http://host2:2379'; with TLS 'https://'.
     * @param prefix Prefix of all keys.
     * @param sessionTimeout How long the client's own keys outlive it if it is killed, in whole seconds.
     * @param connectTimeout Longest time for connecting.
     * @param timeout Timeout for commands.
     * @param idleLife How long the key of a lock stays that is not in use.
     * @param clockTolerance How exactly the time of the cluster's leader must be known.
     * @param username User of etcd.
     * @param password Password of that user.
     * @param trustedCertificates PEM file with the certificates to trust. Defaults to those that the JVM trusts.
     * @param clientCertificate PEM file with the certificate to present to the members, and its private key.
     */
    public record Etcd(
            @DefaultValue List<String> endpoints,
            @DefaultValue("/boltwork") String prefix,
            @DefaultValue("10s") Duration sessionTimeout,
            @DefaultValue("10s") Duration connectTimeout,
            @DefaultValue("2s") Duration timeout,
            @DefaultValue("10m") Duration idleLife,
            @DefaultValue("250ms") Duration clockTolerance,
            @Nullable String username,
            @Nullable String password,
            @Nullable Path trustedCertificates,
            @Nullable Path clientCertificate) {

        public Etcd {
            checkCredentials("boltwork.etcd", username, password);
        }

        /** Omits the addresses, which may contain passwords, and the password. */
        @Override
        public String toString() {
            return endpoints.size() + " endpoints, prefix " + prefix;
        }
    }

    /**
     * Locks on methods, and defaults for all locks.
     *
     * @param enabled Whether '@DistributedLock' has an effect.
     * @param prefix Prefix of the names of all '@DistributedLock' locks, such as 'shop:'.
     * @param order Order of the advice. Must be less than that of transactions, which is 2147483647 by default.
     * @param group Group, in metrics, of locks whose annotation does not name one. Defaults to the beginning of the
     *     lock's name.
     * @param mode What happens while another owner holds the lock, unless the annotation says otherwise.
     * @param type Order in which waiting callers get the lock, unless the annotation says otherwise.
     * @param waitFor How long to wait for a lock, unless the annotation or the code says otherwise. By default, there
     *     is no limit.
     * @param lease Length of a lease that is not renewed, unless the annotation or the code says otherwise.
     * @param renewedLease Length of a lease that is renewed, unless the annotation or the code says otherwise. Defaults
     *     to 30 s.
     * @param minHold Shortest time that a lock stays taken, unless the annotation or the code says otherwise.
     * @param maxHold Longest time that a lock is held, unless the annotation or the code says otherwise.
     * @param takeoverDelay How much longer a lock stays unavailable after a lease that ended without a release.
     * @param release When the release of a lock returns, unless the annotation or the code says otherwise.
     * @param replication Where a lock must be recorded before it counts as acquired: a number of replicas, 'disk' or
     *     'none'.
     * @param replicationWithin Maximum time to wait for the replication.
     * @param onRefused What happens to a caller that is refused, unless the annotation says otherwise.
     * @param onUnavailable What happens to a caller while the backend does not answer, unless the annotation says
     *     otherwise.
     * @param onLost What happens when a lease is lost, unless the annotation says otherwise.
     * @param names Settings that override the annotations, by the lock's group, such as 'stock' for 'stock:#{#id}'.
     * @param server Redis in the short form.
     */
    public record Lock(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("") String prefix,
            @DefaultValue("" + ADVICE_ORDER) int order,
            @Nullable String group,
            @DefaultValue("default") LockMode mode,
            @DefaultValue("default") Order type,
            @Nullable Duration waitFor,
            @Nullable Duration lease,
            @Nullable Duration renewedLease,
            @Nullable Duration minHold,
            @Nullable Duration maxHold,
            @Nullable Duration takeoverDelay,
            @DefaultValue("default") LockRelease release,
            @Nullable String replication,
            @Nullable Duration replicationWithin,
            @DefaultValue("default") OnRefused onRefused,
            @DefaultValue("default") OnUnavailable onUnavailable,
            @DefaultValue("default") OnLost onLost,
            @DefaultValue Map<String, LockOverride> names,
            @DefaultValue Server server) {

        public Lock {
            if (order == Integer.MAX_VALUE) {
                throw invalid("boltwork.lock.order", order, "It must be less than that of transactions.");
            }
            new HoldSettings(
                            waitFor,
                            lease,
                            renewedLease,
                            minHold,
                            maxHold,
                            takeoverDelay,
                            replication,
                            replicationWithin)
                    .check("boltwork.lock", ERRORS);
            names.forEach((name, override) -> override.settings().check(ERRORS.ofGroup(name), ERRORS));
        }

        /** Returns the settings of this client for the locks of methods. */
        public LockSettings settings() {
            return new LockSettings(prefix, defaults());
        }

        /** Returns the settings of groups. */
        public LockOverrides overrides() {
            Map<String, GroupSettings> settings = new LinkedHashMap<>();
            names.forEach((name, override) -> settings.put(name, override.settings()));
            return new LockOverrides(settings, ERRORS);
        }

        /** Returns the defaults for locks, which annotations and code can override. */
        public LockDefaults defaults() {
            return new LockDefaults(
                    StringUtils.hasText(group) ? group : null,
                    mode,
                    type.lockType(),
                    waitFor,
                    lease,
                    renewedLease,
                    minHold,
                    maxHold,
                    takeoverDelay,
                    release,
                    HoldSettings.replication("boltwork.lock", replication, replicationWithin, ERRORS),
                    onRefused,
                    onUnavailable,
                    onLost);
        }
    }

    /**
     * Redis in the short form.
     *
     * @param type Kind of Redis deployment.
     * @param address Host and port, such as 'localhost:6379'. Several, separated by commas, are sentinels, nodes, or
     *     the master and its replicas, or the servers of a quorum. With sentinels, a first entry without a port is
     *     the master's name.
     * @param username Username, if Redis has users.
     * @param password Password of Redis.
     * @param database Number of the database.
     * @param master Name that the sentinels have for the master, unless the address begins with it.
     * @param longestLease Longest lease on a quorum, with its takeover delay. A server that has started does not vote
     *     for this long.
     * @param trustUptime Whether a server of a quorum votes once it reports that it has been up for long enough. Only
     *     for hosts whose clocks never step.
     */
    public record Server(
            @DefaultValue("standalone") ServerType type,
            @Nullable String address,
            @Nullable String username,
            @Nullable String password,
            @DefaultValue("0") int database,
            @Nullable String master,
            @DefaultValue("60s") Duration longestLease,
            @DefaultValue("false") boolean trustUptime) {

        /** Returns the options of a quorum; the exception names the wrong property, under {@code form}. */
        public QuorumOptions quorum(String form) {
            return apply(form + ".longest-lease", longestLease, QuorumOptions.defaults()::longestLease)
                    .withTrustUptime(trustUptime);
        }

        /** Omits the address, which may contain a password, and the password. */
        @Override
        public String toString() {
            return type + ", database " + database;
        }
    }

    /**
     * The leader among the instances.
     *
     * @param lock Name of the lock that the leader holds, without 'boltwork.lock.prefix'. By default, there is no
     *     leader.
     */
    public record Leader(@Nullable String lock) {

        public Leader {
            if (lock != null) {
                check("boltwork.leader.lock", lock, LockClient::checkName);
            }
        }
    }

    /**
     * Meters.
     *
     * @param maxGroups Maximum number of lock groups with meters of their own. All other groups are counted as 'other'.
     * @param buckets Upper bounds of the buckets in which waits and holds are counted. Empty for none.
     */
    public record Metrics(
            @DefaultValue("" + Metrics.MAX_GROUPS) int maxGroups,

            @DefaultValue("10ms,100ms,1s,10s,1m") List<Duration> buckets) {
        public static final int MAX_GROUPS = 100;

        public Metrics {
            if (maxGroups < 1) {
                throw invalid("boltwork.metrics.max-groups", maxGroups, "It must be at least 1.");
            }
            buckets = List.copyOf(buckets);
            for (Duration bound : buckets) {
                if (bound.isNegative() || bound.isZero()) {
                    throw invalid("boltwork.metrics.buckets", bound, "Each bound must be longer than zero.");
                }
            }
        }
    }

    /**
     * Settings that override the annotations of one group.
     *
     * @param enabled Whether the lock is taken at all.
     * @param optional Whether the application may start without a lock of this group.
     * @param client Name of the client that provides the lock.
     * @param lease Length of a lease that is not renewed.
     * @param renewedLease Length of a lease that is renewed.
     * @param waitFor How long to wait for the lock.
     * @param mode What happens while another owner holds the lock.
     * @param type Order in which waiting callers get the lock.
     * @param permits Total number of permits, for methods that have a semaphore.
     * @param minHold Shortest time that the lock stays taken.
     * @param maxHold Longest time that the lock is held.
     * @param takeoverDelay How much longer the lock stays unavailable after a lease that ended without a release.
     * @param release When the release returns.
     * @param replication Where the lock must be recorded before it counts as acquired: a number of replicas, 'disk' or
     *     'none'.
     * @param replicationWithin Maximum time to wait for the replication.
     * @param onRefused What happens to a caller that is refused.
     * @param onUnavailable What happens to a caller while the backend does not answer.
     * @param onLost What happens when the lease is lost.
     */
    public record LockOverride(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("false") boolean optional,
            @Nullable String client,
            @Nullable Duration lease,
            @Nullable Duration renewedLease,
            @Nullable Duration waitFor,
            @Nullable LockMode mode,
            @Nullable Order type,
            @Nullable Integer permits,
            @Nullable Duration minHold,
            @Nullable Duration maxHold,
            @Nullable Duration takeoverDelay,
            @Nullable LockRelease release,
            @Nullable String replication,
            @Nullable Duration replicationWithin,
            @Nullable OnRefused onRefused,
            @Nullable OnUnavailable onUnavailable,
            @Nullable OnLost onLost) {

        GroupSettings settings() {
            return new GroupSettings(
                    enabled,
                    optional,
                    client,
                    mode,
                    type == null ? null : type.lockType(),
                    permits,
                    release,
                    onRefused,
                    onUnavailable,
                    onLost,
                    new HoldSettings(
                            waitFor,
                            lease,
                            renewedLease,
                            minHold,
                            maxHold,
                            takeoverDelay,
                            replication,
                            replicationWithin));
        }
    }
}
