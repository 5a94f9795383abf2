package io.boltwork.spring;

import io.boltwork.ClientOptions;
import io.boltwork.spi.IdleLife;
import java.nio.file.Path;
import java.time.Duration;
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
 * What the application's properties say.
 *
 * @param enabled whether locks are auto-configured at all
 * @param backend where leases are kept
 * @param application what people see who ask who holds a lock; the value of 'spring.application.name' by default
 * @param outagePatience how long a call without a time limit goes on waiting while the backend gives no answer
 * @param shutdownTime how long giving everything back may take when the application ends
 * @param slice for how long one instance may pass a lock from one of its threads to the next before other instances get it
 * @param callbackExecutor name of the Executor bean that runs listeners and asynchronous results; threads of the client's own by
 *     default
 * @param redis everything that can be said of Redis
 * @param lock locks on methods, and Redis in the short form
 * @param metrics meters
 */
@ConfigurationProperties("boltwork")
record BoltworkProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("redis") Backend backend,
        @Nullable String application,
        @DefaultValue("30s") Duration outagePatience,
        @DefaultValue("5s") Duration shutdownTime,
        @DefaultValue("1ms") Duration slice,
        @Nullable String callbackExecutor,
        @DefaultValue Redis redis,
        @DefaultValue Lock lock,
        @DefaultValue Metrics metrics) {

    BoltworkProperties {
        ClientOptions options = ClientOptions.defaults();
        check("boltwork.outage-patience", outagePatience, options::withOutagePatience);
        check("boltwork.shutdown-time", shutdownTime, options::withShutdownTime);
        check("boltwork.slice", slice, options::withSlice);
        if (application != null) {
            check("boltwork.application", application, options::withApplication);
        }
    }

    /** Says which property is wrong, if {@code rule} does not like its value. */
    static <T> void check(String property, T value, Consumer<T> rule) {
        apply(property, value, it -> {
            rule.accept(it);
            return property;
        });
    }

    /** Returns what {@code rule} makes of the value of a property, or says that the property is wrong. */
    static <T, R> R apply(String property, T value, Function<T, R> rule) {
        try {
            return rule.apply(value);
        } catch (IllegalArgumentException e) {
            throw invalid(property, value, String.valueOf(e.getMessage()));
        }
    }

    static InvalidConfigurationPropertyValueException invalid(String property, @Nullable Object value, String reason) {
        return new InvalidConfigurationPropertyValueException(property, value, reason);
    }

    static void atLeast(Duration least, String property, @Nullable Duration value) {
        if (value != null && value.compareTo(least) < 0) {
            throw invalid(property, value, "It must be at least " + least.toMillis() + " ms.");
        }
    }

    /** Where leases are kept. */
    enum Backend {
        /** On Redis or Valkey. */
        REDIS,
        /** In this JVM, for tests and slices: nobody else sees these locks. */
        MEMORY
    }

    /** How Redis is deployed. */
    enum ServerType {
        /** One server. */
        STANDALONE,
        /** Sentinels that know the master. */
        SENTINEL,
        /** Redis Cluster. */
        CLUSTER,
        /** A master and its replicas, without sentinels. */
        MASTERSLAVE
    }

    /**
     * Redis, with everything that can be said of it.
     *
     * @param uri address of Redis, such as 'redis://user:password@host:6379/0', 'rediss://host' with TLS, or
     *     'redis-sentinel://host1,host2/0#mymaster'. Several addresses are a master and its replicas
     * @param keyPrefix what the names of all keys and channels begin with
     * @param idleLife how long Redis keeps the record of a lock that is not in use
     * @param timeout how long Redis may take to answer one command; 2 s unless 'spring.data.redis.timeout' says otherwise
     * @param sslBundle name of the SSL bundle for TLS
     * @param trustedCertificates file in PEM with the certificates that are trusted with TLS, instead of those that the JVM trusts
     * @param clientCertificate file in PEM with the certificate that is shown to a server that asks for one
     * @param clientKey file in PEM with the private key of the client certificate
     * @param clientResources name of the bean with Lettuce's ClientResources; resources of Boltwork's own by default
     * @param lazyConnect whether the application starts while Redis is down, and connects in the background
     * @param sentinelUsername user of the sentinels, if they have users
     * @param sentinelPassword password of the sentinels, if they ask for one
     */
    record Redis(
            @DefaultValue List<String> uri,
            @DefaultValue("boltwork") String keyPrefix,
            @DefaultValue("10m") Duration idleLife,
            @Nullable Duration timeout,
            @Nullable String sslBundle,
            @Nullable Path trustedCertificates,
            @Nullable Path clientCertificate,
            @Nullable Path clientKey,
            @Nullable String clientResources,
            @DefaultValue("true") boolean lazyConnect,
            @Nullable String sentinelUsername,
            @Nullable String sentinelPassword) {

        Redis {
            atLeast(Duration.ofMillis(1), "boltwork.redis.timeout", timeout);
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

        /** Without addresses, which may have passwords in them, and without the sentinels' password. */
        @Override
        public String toString() {
            return uri.size() + " addresses, key prefix " + keyPrefix + ", timeout " + timeout + ", SSL bundle "
                    + sslBundle;
        }
    }

    /**
     * Locks on methods, and defaults of locks.
     *
     * @param enabled whether '@DistributedLock' has an effect
     * @param prefix what the names of all locks of '@DistributedLock' begin with, such as 'shop:'
     * @param order order of the advice; must be less than that of transactions, which is 2147483647 by default
     * @param group group in metrics of locks whose annotation names none; by default the beginning of the lock's name
     * @param mode what happens while another owner has the lock, where the annotation does not say
     * @param type order in which those who wait get the lock, where the annotation does not say
     * @param waitFor how long to wait for a lock, where the annotation or the code does not say; without end by default
     * @param lease length of a lease that is not renewed, where the annotation or the code does not say
     * @param renewedLease length of a lease that is renewed, where the annotation or the code does not say; 30 s by default
     * @param minHold shortest time that a lock stays taken, where the annotation or the code does not say
     * @param maxHold longest time that a lock is held, where the annotation or the code does not say
     * @param takeoverDelay how much longer a lock stays closed after a lease that ended without a release
     * @param release when the release of a lock returns, where the annotation or the code does not say
     * @param replication where a lock must be known before it counts as acquired: a number of replicas, or 'disk'
     * @param replicationWithin how long to wait for that
     * @param onRefused what happens to a caller that is refused, where the annotation does not say
     * @param onUnavailable what happens to a caller while the backend gives no answer, where the annotation does not say
     * @param onLost what happens when a lease is lost, where the annotation does not say
     * @param names what differs from the annotations, by the lock's group, such as 'stock' for 'stock:#{#id}'
     * @param server Redis in the short form
     */
    record Lock(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("") String prefix,
            @DefaultValue("" + DistributedLock.ADVICE_ORDER) int order,
            @Nullable String group,
            @DefaultValue("default") LockMode mode,
            @DefaultValue("default") LockType type,
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

        Lock {
            if (order == Integer.MAX_VALUE) {
                throw invalid("boltwork.lock.order", order, "It must be less than that of transactions.");
            }
            new HoldProperties(
                            waitFor,
                            lease,
                            renewedLease,
                            minHold,
                            maxHold,
                            takeoverDelay,
                            replication,
                            replicationWithin)
                    .check("boltwork.lock");
            names.forEach((name, override) -> override.hold().check("boltwork.lock.names." + name));
        }

        /** Returns the defaults for locks of which neither an annotation nor the code says more. */
        LockDefaults defaults() {
            return new LockDefaults(
                    StringUtils.hasText(group) ? group : null,
                    mode,
                    type,
                    waitFor,
                    lease,
                    renewedLease,
                    minHold,
                    maxHold,
                    takeoverDelay,
                    release,
                    HoldProperties.replication("boltwork.lock", replication, replicationWithin),
                    onRefused,
                    onUnavailable,
                    onLost);
        }
    }

    /**
     * Redis in the short form.
     *
     * @param type how Redis is deployed
     * @param address host and port, such as 'localhost:6379'; several with commas between them: sentinels, nodes, or the
     *     master and its replicas. A first one of sentinels without a port is the master's name
     * @param username user, if Redis has users
     * @param password password of Redis
     * @param database number of the database
     * @param master what the sentinels call the master, unless the address begins with it
     */
    record Server(
            @DefaultValue("standalone") ServerType type,
            @Nullable String address,
            @Nullable String username,
            @Nullable String password,
            @DefaultValue("0") int database,
            @Nullable String master) {

        /** Without the address, which may have a password in it, and without the password. */
        @Override
        public String toString() {
            return type + ", database " + database;
        }
    }

    /**
     * Meters.
     *
     * @param maxGroups how many groups of locks have meters of their own; the others are counted as 'other'
     */
    record Metrics(@DefaultValue("" + Metrics.MAX_GROUPS) int maxGroups) {
        static final int MAX_GROUPS = 100;

        Metrics {
            if (maxGroups < 1) {
                throw invalid("boltwork.metrics.max-groups", maxGroups, "It must be at least 1.");
            }
        }
    }

    /**
     * What differs from the annotations of one group.
     *
     * @param enabled whether the lock is taken at all
     * @param lease lease that is not renewed
     * @param renewedLease lease that is renewed
     * @param waitFor how long to wait for the lock
     * @param mode what happens while another owner has the lock
     * @param type in which order those who wait get the lock
     * @param minHold shortest time that the lock stays taken
     * @param maxHold longest time that the lock is held
     * @param takeoverDelay how much longer the lock stays closed after a lease that ended without a release
     * @param release when the release returns
     * @param replication where the lock must be known before it counts as acquired: a number of replicas, 'disk' or 'none'
     * @param replicationWithin how long to wait for that
     * @param onRefused what happens to a caller that is refused
     * @param onUnavailable what happens to a caller while the backend gives no answer
     * @param onLost what happens when the lease is lost
     */
    record LockOverride(
            @DefaultValue("true") boolean enabled,
            @Nullable Duration lease,
            @Nullable Duration renewedLease,
            @Nullable Duration waitFor,
            @Nullable LockMode mode,
            @Nullable LockType type,
            @Nullable Duration minHold,
            @Nullable Duration maxHold,
            @Nullable Duration takeoverDelay,
            @Nullable LockRelease release,
            @Nullable String replication,
            @Nullable Duration replicationWithin,
            @Nullable OnRefused onRefused,
            @Nullable OnUnavailable onUnavailable,
            @Nullable OnLost onLost) {

        private HoldProperties hold() {
            return new HoldProperties(
                    waitFor, lease, renewedLease, minHold, maxHold, takeoverDelay, replication, replicationWithin);
        }
    }
}
