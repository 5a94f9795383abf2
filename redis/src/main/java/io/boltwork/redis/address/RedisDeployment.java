// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.address;

import io.boltwork.spi.Printable;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The servers that the user has named: one server, sentinels of a master, servers one of which is the master, or
 * nodes of a cluster. Immutable.
 *
 * @param kind the kind of these servers
 * @param node the settings for the master, such as its user; host and port are used for a single server only
 * @param members the sentinels or servers to ask for the master or for the slots
 * @param master the sentinels' name for the master; empty for other kinds
 */
public record RedisDeployment(Kind kind, RedisAddress node, List<RedisAddress> members, String master) {

    /** The way in which the master is found. */
    public enum Kind {
        STANDALONE,
        SENTINEL,
        REPLICATED,

        /** There are several masters, each with some of the slots. */
        CLUSTER
    }

    private static final int SENTINEL_PORT = 26_379;
    private static final String SENTINEL_EXAMPLE =
            ", for example redis-sentinel://host1:26379,host2:26379,host3:26379/0#mymaster";
    private static final Pattern SENTINEL_SCHEME = Pattern.compile("(?is)(rediss?)-sentinel://(.*)");

    private static final Pattern ONE_SERVER = Pattern.compile("(?is)rediss?://.*");

    private static final Pattern NOT_IN_NAMES = Pattern.compile("[@/?#]");

    private static final Pattern SENTINEL_PARTS =
            Pattern.compile("(?<user>[^/?#]*@)?(?<hosts>[^/?#@]*)(?<rest>[^#]*)#(?<master>.+)", Pattern.DOTALL);

    public RedisDeployment {
        members = List.copyOf(members);
    }

    /**
     * Reads a URI of any scheme except that of a quorum, which is several deployments.
     *
     * @param forSentinels credentials for the sentinels themselves, or {@code null} for none
     */
    public static RedisDeployment parse(String uri, @Nullable RedisCredentialsProvider forSentinels) {
        Optional<ListedServers> listed = ListedServers.parse(uri);
        if (listed.isPresent()) {
            List<String> uris = listed.get().uris();
            return switch (listed.get().form()) {
                case CLUSTER -> cluster(uris);
                case REPLICATED -> replicated(uris);
                case QUORUM -> throw RedisAddress.wrong("must not be a quorum here; give the address of one server");
            };
        }
        Matcher sentinel = SENTINEL_SCHEME.matcher(uri);
        if (sentinel.matches()) {
            return sentinels(sentinel.group(1) + "://", sentinel.group(2), forSentinels);
        }
        if (!ONE_SERVER.matcher(uri).matches()) {
            throw RedisAddress.wrong("must begin with redis:// (one server), redis-sentinel://, redis-replicated://,"
                    + " redis-cluster:// or redis-quorum://, or with rediss instead of redis for TLS, and not with"
                    + " another scheme, for example redis://localhost:6379");
        }
        return standalone(RedisAddress.parse(uri));
    }

    /**
     * Reads a URI of Lettuce.
     *
     * @param forSentinels credentials for the sentinels themselves, or {@code null} to take those of their URIs
     */
    public static RedisDeployment of(RedisURI uri, @Nullable RedisCredentialsProvider forSentinels) {
        Objects.requireNonNull(uri, "uri");
        if (uri.getSentinels().isEmpty() && uri.getSentinelMasterId() == null) {
            return standalone(RedisAddress.of(uri));
        }
        String master = Objects.requireNonNullElse(uri.getSentinelMasterId(), "");
        if (master.isBlank() || uri.getSentinels().isEmpty()) {
            throw RedisAddress.wrong("must have both sentinels and their name for the master");
        }
        List<RedisAddress> sentinels = new ArrayList<>();
        for (RedisURI each : uri.getSentinels()) {
            RedisAddress sentinel = RedisAddress.of(each);
            sentinels.add(forSentinels == null ? sentinel : sentinel(sentinel, sentinel, forSentinels));
        }
        RedisURI node = RedisAddress.copy(uri);
        node.setHost(sentinels.get(0).lettuce().getHost());
        node.setPort(sentinels.get(0).lettuce().getPort());
        return new RedisDeployment(Kind.SENTINEL, RedisAddress.of(node), sentinels, master);
    }

    /** Returns the deployment of servers one of which is the master. */
    public static RedisDeployment replicated(List<String> uris) {
        Objects.requireNonNull(uris, "uris");
        if (uris.isEmpty()) {
            throw new IllegalArgumentException("uris must name the servers, but is empty");
        }
        List<RedisAddress> nodes = uris.stream().map(RedisAddress::parse).toList();
        RedisAddress first = nodes.get(0);
        for (RedisAddress node : nodes) {
            if (node.lettuce().getDatabase() != first.lettuce().getDatabase()
                    || !node.commandTimeout().equals(first.commandTimeout())) {
                throw new IllegalArgumentException("uris must all have the same database and the same timeout, but "
                        + first + " and " + node + " differ");
            }
        }
        return new RedisDeployment(Kind.REPLICATED, first, nodes, "");
    }

    /** Returns the deployment of the cluster that these nodes belong to. */
    public static RedisDeployment cluster(List<String> uris) {
        RedisDeployment replicated = replicated(uris);
        if (replicated.node.lettuce().getDatabase() != 0) {
            throw new IllegalArgumentException(
                    "uris must have no database: a Redis Cluster has only 0, but " + replicated.node + " has another");
        }
        return new RedisDeployment(Kind.CLUSTER, replicated.node, replicated.members, "");
    }

    private static RedisDeployment standalone(RedisAddress address) {
        return new RedisDeployment(Kind.STANDALONE, address, List.of(address), "");
    }

    private static RedisDeployment sentinels(
            String scheme, String rest, @Nullable RedisCredentialsProvider forSentinels) {
        Matcher parts = SENTINEL_PARTS.matcher(rest);
        if (!parts.matches() || parts.group("master").isBlank()) {
            throw RedisAddress.wrong("must end with # and the sentinels' name for the master" + SENTINEL_EXAMPLE);
        }
        if (NOT_IN_NAMES.matcher(parts.group("master")).find()) { // perhaps part of a password
            throw RedisAddress.wrong(
                    "must have no @ / ? # in the name after the #; write them as %40 %2F %3F %23 there, and"
                            + " in a user or password");
        }
        String[] hosts = parts.group("hosts").split(",", -1);
        String user = Objects.requireNonNullElse(parts.group("user"), "");
        RedisAddress node = RedisAddress.parse(scheme + user + hosts[0] + parts.group("rest"), SENTINEL_PORT);
        List<RedisAddress> sentinels = new ArrayList<>();
        for (String host : hosts) {
            sentinels.add(sentinel(node, RedisAddress.parse(scheme + host, SENTINEL_PORT), forSentinels));
        }
        return new RedisDeployment(Kind.SENTINEL, node, sentinels, RedisAddress.decoded(parts.group("master")));
    }

    private static RedisAddress sentinel(
            RedisAddress like, RedisAddress where, @Nullable RedisCredentialsProvider forSentinels) {
        return like.sentinel(
                where.lettuce().getHost(),
                where.lettuce().getPort(),
                forSentinels == null ? new StaticCredentialsProvider(null, null) : forSentinels);
    }

    /** Returns the same deployment with another connect timeout. */
    public RedisDeployment withConnectTimeout(Duration timeout) {
        return with(address -> address.withConnectTimeout(timeout), true);
    }

    /**
     * Returns the same deployment with credentials from a provider. Sentinels keep theirs.
     *
     * @param provider the provider, or {@code null} to leave the credentials as they are
     */
    public RedisDeployment withCredentials(@Nullable RedisCredentialsProvider provider) {
        if (provider == null) {
            return this;
        }
        return with(
                address -> {
                    if (address.hasProvider()
                            || RedisAddress.fixed(address.lettuce()).hasPassword()) {
                        throw RedisAddress.wrong("must have no user and password, because RedisOptions.withCredentials"
                                + " gives them; omit one of the two");
                    }
                    return address.withCredentials(provider);
                },
                kind != Kind.SENTINEL);
    }

    /** Returns the same deployment with other providers of credentials, where they are not fixed. */
    public RedisDeployment withProviders(UnaryOperator<RedisCredentialsProvider> change) {
        return with(
                address -> address.hasProvider()
                        ? address.withCredentials(change.apply(address.lettuce().getCredentialsProvider()))
                        : address,
                true);
    }

    private RedisDeployment with(UnaryOperator<RedisAddress> change, boolean membersToo) {
        return new RedisDeployment(
                kind,
                change.apply(node),
                membersToo ? members.stream().map(change).toList() : members,
                master);
    }

    public Duration connectTimeout() {
        return node.connectTimeout();
    }

    public Duration commandTimeout() {
        return node.commandTimeout();
    }

    boolean isTls() {
        return node.lettuce().isSsl();
    }

    /** Returns the name of the deployment in messages. */
    public String describe() {
        return switch (kind) {
            case STANDALONE -> "Redis at " + hosts();
            case SENTINEL -> "the Redis master '" + Printable.text(master) + "' of the sentinels at " + hosts();
            case REPLICATED -> "the Redis master among " + hosts();
            case CLUSTER -> "the Redis Cluster at " + hosts();
        };
    }

    private String hosts() {
        return members.stream().map(RedisAddress::hostAndPort).collect(Collectors.joining(", "));
    }

    @Override
    public String toString() {
        if (kind == Kind.STANDALONE) {
            return node.toString();
        }
        String hosts = members.stream().map(RedisAddress::hostAndPort).collect(Collectors.joining(","));
        String scheme = (isTls() ? "rediss-" : "redis-") + kind.name().toLowerCase(Locale.ROOT) + "://";
        return Printable.text(scheme + RedisAddress.user(node.lettuce()) + hosts + "/"
                + node.lettuce().getDatabase() + (master.isEmpty() ? "" : "#" + master));
    }
}
