// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import io.boltwork.quorum.QuorumOptions;
import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.properties.BoltworkProperties.Server;
import io.boltwork.spring.properties.BoltworkProperties.ServerType;
import io.boltwork.spring.properties.SecretValues;
import io.boltwork.spring.properties.UnknownProperties;
import io.boltwork.spring.properties.WrongPropertyException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/*
 * The first of these sources that contains an address is used: boltwork.redis.uri, boltwork.lock.server.*, the names of
 * an older starter (redisson.lock.server.*), and the application's own connection (its connection details, or
 * spring.data.redis.*).
 */
/** Determines the location of Redis. */
public final class RedisLocations {
    private static final Log LOG = LogFactory.getLog(RedisLocations.class);
    private static final String OWN_FORM = "boltwork.redis";
    private static final String SHORT_FORM = "boltwork.lock.server";
    private static final String OLD_FORM = "redisson.lock.server";

    private final BoltworkProperties properties;
    private final Environment environment;
    private final Binder binder;
    private final @Nullable SslBundles bundles;

    public RedisLocations(BoltworkProperties properties, Environment environment, @Nullable SslBundles bundles) {
        this.properties = properties;
        this.environment = environment;
        this.binder = Binder.get(environment);
        this.bundles = bundles;
    }

    /** Returns the target from Boltwork's own properties, or else the application's own connection. */
    public RedisLocation find(ApplicationRedis application) {
        List<String> uris = whole(properties.redis().uri());
        if (!uris.isEmpty()) {
            List<String> timed = uris.stream().map(this::withTimeout).toList();
            return new RedisLocation(
                    OWN_FORM + ".uri",
                    null,
                    uris.size() == 1 ? RedisLocation.Kind.ONE : RedisLocation.Kind.REPLICATED,
                    timed,
                    properties.redis().sentinelUsername(),
                    properties.redis().sentinelPassword(),
                    null,
                    null,
                    RedisLocation.lettuce(bundle(properties.redis().sslBundle())),
                    null,
                    QuorumOptions.defaults());
        }
        if (StringUtils.hasText(properties.lock().server().address())) {
            return target(SHORT_FORM, properties.lock().server());
        }
        new UnknownProperties(environment, OLD_FORM, Server.class).check();
        Server old = binder.bind(OLD_FORM, Bindable.of(Server.class), SecretValues.HANDLER)
                .orElse(null);
        if (old != null && StringUtils.hasText(old.address())) {
            LOG.warn("The properties " + OLD_FORM + ".* are deprecated. Use " + SHORT_FORM
                    + ".{type,address,password,database} instead");
            return target(OLD_FORM, old);
        }
        checkNothingIsUnheard(SHORT_FORM, properties.lock().server());
        if (old != null) {
            checkNothingIsUnheard(OLD_FORM, old);
        }
        BoltworkProperties.Redis redis = properties.redis();
        checkUnheard("ssl-bundle", redis.sslBundle(), "spring.data.redis.ssl.bundle");
        checkUnheard("sentinel-username", redis.sentinelUsername(), "spring.data.redis.sentinel.username");
        checkUnheard("sentinel-password", redis.sentinelPassword(), "spring.data.redis.sentinel.password");
        return application.target(timeout());
    }

    /** Rejects a short form without an address: the locks would be elsewhere. */
    private static void checkNothingIsUnheard(String form, Server server) {
        if (!server.equals(new Binder(List.of()).bindOrCreate(form, Server.class))) {
            throw new WrongPropertyException(
                    form + ".address",
                    "It is missing, so no other property of " + form + " has an effect.",
                    "Set it to the address of Redis, or remove the other properties.");
        }
    }

    /** Rejects a property that the application's own connection does not use. */
    private static void checkUnheard(String property, @Nullable String value, String instead) {
        if (StringUtils.hasText(value)) {
            throw new WrongPropertyException(
                    OWN_FORM + "." + property,
                    "It has an effect only with " + OWN_FORM + ".uri or " + SHORT_FORM + ".address.",
                    "Set one of them, or set " + instead + " for the application's own connection.");
        }
    }

    /**
     * Rejoins the sentinels of a URI: Spring splits a list in one property at its commas, including those inside a URI.
     */
    private static List<String> whole(List<String> parts) {
        List<String> uris = new ArrayList<>();
        for (String part : parts) {
            if (uris.isEmpty() || part.contains("://")) {
                uris.add(part);
            } else {
                uris.set(uris.size() - 1, uris.get(uris.size() - 1) + "," + part);
            }
        }
        return uris;
    }

    private RedisLocation target(String form, Server server) {
        String address = Objects.requireNonNull(server.address());
        boolean tls = address.startsWith("rediss://");
        List<String> nodes = Arrays.stream(StringUtils.commaDelimitedListToStringArray(address))
                .map(node -> node.strip().replaceFirst("^rediss?://", ""))
                .filter(node -> !node.isEmpty())
                .toList();
        RedisLocation.Builder target = new RedisLocation.Builder(form + ".address")
                .credentials(server.username(), server.password())
                .database(server.database())
                .timeout(timeout())
                .tls(tls, bundle(properties.redis().sslBundle()));
        if (server.type() == ServerType.SENTINEL) {
            nodes = sentinels(form, server, nodes, target);
        } else if (server.type() == ServerType.STANDALONE && nodes.size() != 1) {
            throw WrongPropertyException.hidden(
                    form + ".address",
                    "It must be one address for type=standalone, but there are " + nodes.size() + "; set " + form
                            + ".type to sentinel, masterslave, cluster or quorum, or specify one server.");
        }
        if (server.database() < 0) {
            throw BoltworkProperties.invalid(form + ".database", server.database(), "It must be 0 or more.");
        }
        target.kind(
                switch (server.type()) {
                    case STANDALONE, SENTINEL -> RedisLocation.Kind.ONE;
                    case MASTERSLAVE -> RedisLocation.Kind.REPLICATED;
                    case CLUSTER -> RedisLocation.Kind.CLUSTER;
                    case QUORUM -> RedisLocation.Kind.QUORUM;
                });
        target.quorum(server.quorum(form));
        nodes.forEach(target::node);
        return target.build();
    }

    /** Reads sentinels. In the older starter, the master's name precedes the sentinels. */
    private List<String> sentinels(String form, Server server, List<String> nodes, RedisLocation.Builder target) {
        String master = server.master();
        List<String> sentinels = nodes;
        if (!StringUtils.hasText(master) && !nodes.isEmpty() && !nodes.get(0).contains(":")) {
            master = nodes.get(0);
            sentinels = nodes.subList(1, nodes.size());
        }
        if (!StringUtils.hasText(master) || sentinels.isEmpty()) {
            throw WrongPropertyException.hidden(
                    form + ".address",
                    "type=sentinel requires the master's name and the sentinels: set " + form + ".master=mymaster and "
                            + form + ".address=host1:26379,host2:26379, or begin the address with the name.");
        }
        target.sentinel(
                master,
                properties.redis().sentinelUsername(),
                properties.redis().sentinelPassword());
        return sentinels;
    }

    private String withTimeout(String uri) {
        Duration timeout = properties.redis().timeout();
        if (timeout == null || uri.contains("timeout=")) {
            return uri;
        }
        int fragment = uri.indexOf('#');
        String address = fragment < 0 ? uri : uri.substring(0, fragment);
        return address + (address.contains("?") ? "&" : "?") + "timeout="
                + Math.max(1, TimeUnit.MILLISECONDS.convert(timeout)) + "ms"
                + (fragment < 0 ? "" : uri.substring(fragment));
    }

    private @Nullable Duration timeout() {
        Duration own = properties.redis().timeout();
        if (own != null) {
            return own;
        }
        Duration applications =
                binder.bind("spring.data.redis.timeout", Duration.class).orElse(Duration.ZERO);
        // zero means that Lettuce waits without a limit
        return applications.compareTo(Duration.ZERO) > 0 ? applications : null;
    }

    private @Nullable SslBundle bundle(@Nullable String name) {
        if (!StringUtils.hasText(name)) {
            return null;
        }
        try {
            if (bundles != null) {
                return bundles.getBundle(name);
            }
        } catch (NoSuchSslBundleException e) {
            LOG.debug("There is no SSL bundle " + name, e);
        }
        throw BoltworkProperties.invalid(
                OWN_FORM + ".ssl-bundle", name, "There is no such bundle in spring.ssl.bundle.*.");
    }
}
