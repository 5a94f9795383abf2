// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.quorum.QuorumBackend;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.InsecureTransport;
import io.boltwork.redis.address.ListedServers;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.call.ScriptCall;
import io.boltwork.redis.cluster.ClusterRouting;
import io.boltwork.redis.connect.LettuceClient;
import io.boltwork.redis.connect.Routing;
import io.boltwork.redis.connect.SingleMaster;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Utf8;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A backend that keeps locks on Redis 6.2 or later. It connects to a single master ({@code redis://}), to a master that
 * sentinels watch ({@code redis-sentinel://}), to a master with replicas ({@code redis-replicated://}), or to all
 * masters of a Redis Cluster ({@code redis-cluster://}), all with TLS, too. The backend follows when another server
 * becomes the master. It never writes to a replica, and never reads from one.
 *
 * <p>A lock is one key, {@code boltwork:{name}}. Each command that changes it is one Lua script and one round trip. A
 * second key, {@code boltwork:client:id}, describes a client and expires. The backend never repeats a command.
 *
 * <p>The backend keeps two connections to the master, one for commands and one for grants. It adds a third one when a
 * lock with {@link io.boltwork.Replication} is first used. It pings these connections every second and replaces those
 * that break. Callers may use up to {@linkplain RedisOptions#withDirectConnections two} more. If another server may
 * become the master, the backend also keeps one connection to each sentinel or server, and asks for the master twice a
 * second. In a cluster, it keeps these connections to each master, and asks up to three nodes for the slot map every
 * second, and five times a second while something is wrong.
 *
 * <p>After connecting, the backend publishes a message to itself from a script. If it does not arrive, {@link #open}
 * fails, or, on a later connection, the client receives a warning. Connecting takes the {@linkplain
 * RedisOptions#withConnectTimeout connect timeout} at most, and after a failure up to 2 s more to end the threads.
 *
 * <p>A user with restricted rights needs at least the following (in the syntax of {@code ACL SETUSER}, with the default
 * prefix): {@code ~boltwork:* &boltwork:grants:* &boltwork:told:* +ping +info +time +eval +evalsha +hmget +hset +hget
 * +hdel +del +pexpire +publish +subscribe}. {@link io.boltwork.FencedLock#isLocked} also needs {@code +hgetall}.
 * Inspecting locks and clients needs {@code +hgetall +scan}; the latter reveals the names of all keys in the database.
 * Locks with replication need {@code +wait}, or {@code +waitaof} for {@link io.boltwork.Replication#onDisk(Duration)}.
 * A cluster needs {@code +cluster|slots +asking +hlen} and, from Redis 7 on,
 * {@code +spublish +ssubscribe +sunsubscribe}.
 *
 * <p>Thread-safe. Replies and grants are delivered on Lettuce's I/O threads. The backend creates these threads, unless
 * it was given a Lettuce client or client resources ({@link #connect(RedisClient, RedisURI)},
 * {@link RedisOptions#withClientResources}).
 *
 * @since 0.1.0
 */
public final class RedisBackend implements LockBackend {
    private final RedisDeployment deployment;
    private final String keyPrefix;
    private final @Nullable Bridge bridge;

    /** {@code null} if each attempt to connect creates its own. */
    private final @Nullable LettuceClient lettuce;

    private final Routing servers;
    private final AtomicBoolean opened = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();

    private RedisBackend(
            RedisDeployment deployment, RedisOptions options, @Nullable LettuceClient lettuce, Routing servers) {
        this.deployment = deployment;
        this.keyPrefix = options.keyPrefix();
        this.bridge = options.bridge().orElse(null);
        this.lettuce = lettuce;
        this.servers = servers;
    }

    /**
     * Connects to the servers that a URI names, with default options. Blocks for about the connect timeout at most.
     *
     * @param uri as in {@link #connect(String, RedisOptions)}
     * @return a backend for one client
     * @throws IllegalArgumentException if the URI is malformed
     * @throws BackendException as for {@link #connect(String, RedisOptions)}
     */
    public static LockBackend connect(String uri) {
        return connect(uri, RedisOptions.defaults());
    }

    /**
     * Connects to the servers that a URI names. Blocks for about the connect timeout at most.
     *
     * @param uri one of these forms, in which {@code …} stands for more hosts:
     *     <ul>
     *       <li>{@code redis://[[user:]password@]host[:port][/database][?timeout=2s]}: one server
     *       <li>{@code redis-sentinel://[[user:]password@]host[:port][,…][/database][?timeout=2s]#master}: the hosts
     *           are sentinels, and the part after {@code #} is their name for the master. The credentials are those of
     *           the servers that the sentinels watch; for those of the sentinels, see
     *           {@link RedisOptions#withSentinelCredentials}
     *       <li>{@code redis-replicated://[[user:]password@]host[:port][,…][/database][?timeout=2s]}: a master and its
     *           replicas, as in {@link #connectReplicated(List, RedisOptions)}
     *       <li>{@code redis-cluster://[[user:]password@]host[:port][,…][?timeout=2s]}: some nodes of a cluster, as in
     *           {@link #connectCluster(List, RedisOptions)}
     *       <li>{@code redis-quorum://[[user:]password@]host[:port],…[/database][?timeout=2s]}: 3 to 15 independent
     *           masters, as in {@link #connectQuorum(List, RedisOptions)}, and, like that, without waiting
     *     </ul>
     *     With {@code rediss} instead of {@code redis}, each of them uses TLS. User, password, database and timeout are
     *     those of each server. Defaults: port 6379 (26379 for sentinels), database 0, command timeout 2 s
     * @param options the options to use
     * @return a backend for one client: a {@code RedisBackend}, or for {@code redis-quorum} a {@link QuorumBackend}
     * @throws IllegalArgumentException if the URI does not have one of these forms
     * @throws BackendException if no master can be reached, or it refuses the credentials or is older than Redis 6.2
     */
    public static LockBackend connect(String uri, RedisOptions options) {
        Objects.requireNonNull(options, "options");
        Optional<ListedServers> listed = ListedServers.parse(uri);
        return listed.isPresent() && listed.get().form() == ListedServers.Form.QUORUM
                ? connectQuorum(listed.get().uris(), options)
                : connectOne(uri, options);
    }

    /** Connects to the servers that a URI of any form except a quorum names. */
    static RedisBackend connectOne(String uri, RedisOptions options) {
        return connect(RedisDeployment.parse(uri, options.sentinelCredentials()), options, ClientOptions.create());
    }

    /**
     * Connects to the server that a Lettuce URI describes, with default options. Blocks for about the connect timeout
     * at most.
     *
     * @param uri as in {@link #connect(RedisClient, RedisURI)}
     * @return a backend for one client
     * @throws IllegalArgumentException as for {@link #connect(RedisClient, RedisURI)}
     * @throws BackendException as for {@link #connect(String, RedisOptions)}
     */
    public static RedisBackend connect(RedisURI uri) {
        return connect(uri, RedisOptions.defaults());
    }

    /**
     * Connects to the server that a Lettuce URI describes. Blocks for about the connect timeout at most.
     *
     * @param uri as in {@link #connect(RedisClient, RedisURI)}
     * @param options the options to use
     * @return a backend for one client
     * @throws IllegalArgumentException as for {@link #connect(RedisClient, RedisURI)}
     * @throws BackendException as for {@link #connect(String, RedisOptions)}
     */
    public static RedisBackend connect(RedisURI uri, RedisOptions options) {
        Objects.requireNonNull(options, "options");
        return connect(RedisDeployment.of(uri, options.sentinelCredentials()), options, ClientOptions.create());
    }

    /**
     * Connects with the resources and options of an existing Lettuce client, and with default options for Boltwork.
     * Blocks for about the connect timeout at most.
     *
     * <p>The backend uses the client's resources (threads, DNS resolver, metrics) and a snapshot of its {@link
     * ClientOptions}, such as TLS and the protocol version. Boltwork sets the following itself, for its own connections
     * only: socket options, timeouts, the length of the request queue, the behavior on disconnection and reconnection,
     * and maintenance notifications. The client and its other connections are left unchanged. {@link #close()} shuts
     * down neither the client nor its resources; shut them down after the backend is closed. If the resources end
     * first, all calls fail at once. Listeners of the client receive no events from Boltwork's connections.
     *
     * <p>The URI is required because a client does not expose the URI that it was created with, and may have been
     * created without one. It can be the same {@link RedisURI}.
     *
     * @param client the client to take resources and options from
     * @param uri one server, or sentinels and their name for the master. The URI is copied, and its credentials
     *     provider is asked before each connection. Its timeout is the command timeout; Lettuce's default of 60 s,
     *     which cannot be distinguished from an unset timeout, counts as 2 s
     * @return a backend for one client
     * @throws IllegalArgumentException if the URI names a socket, lacks a host, port or timeout, or has sentinels
     *     without a name for the master
     * @throws IllegalStateException if the client's resources have been shut down, or if called on one of their threads
     * @throws BackendException as for {@link #connect(String, RedisOptions)}
     */
    public static RedisBackend connect(RedisClient client, RedisURI uri) {
        return connect(client, uri, RedisOptions.defaults());
    }

    /**
     * Connects with the resources and options of an existing Lettuce client. Blocks for about the connect timeout at
     * most.
     *
     * @param client the client to take resources and options from, as in {@link #connect(RedisClient, RedisURI)}
     * @param uri as in {@link #connect(RedisClient, RedisURI)}
     * @param options the options to use, without client resources
     * @return a backend for one client
     * @throws IllegalArgumentException as for {@link #connect(RedisClient, RedisURI)}, or if the options have client
     *     resources
     * @throws IllegalStateException if the client's resources have been shut down, or if called on one of their threads
     * @throws BackendException as for {@link #connect(String, RedisOptions)}
     */
    public static RedisBackend connect(RedisClient client, RedisURI uri, RedisOptions options) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(options, "options");
        if (options.clientResources().isPresent()) {
            throw new IllegalArgumentException(
                    "options must have no clientResources if a client is given: the client's resources are used");
        }
        return connect(
                RedisDeployment.of(uri, options.sentinelCredentials()),
                options.withClientResources(client.getResources()),
                client.getOptions());
    }

    /**
     * Connects to a master that has replicas, with default options. Blocks for about the connect timeout at most.
     *
     * @param uris as in {@link #connectReplicated(List, RedisOptions)}
     * @return a backend for one client
     * @throws IllegalArgumentException as for {@link #connectReplicated(List, RedisOptions)}
     * @throws BackendException as for {@link #connectReplicated(List, RedisOptions)}
     */
    public static RedisBackend connectReplicated(List<String> uris) {
        return connectReplicated(uris, RedisOptions.defaults());
    }

    /**
     * Connects to a master that has replicas, and follows when a replica is promoted. Use this for deployments without
     * sentinels, where an operator or a service promotes replicas. The backend asks the servers themselves, twice a
     * second, which of them is the master. It never writes to or reads from a replica. Blocks for about the connect
     * timeout at most.
     *
     * @param uris the master and its replicas in any order, each as in {@link #connect(String)}. A server that is not
     *     listed here can become the master only while listed servers name it as theirs
     * @param options the options to use
     * @return a backend for one client
     * @throws IllegalArgumentException if the list is empty, a URI is malformed, or the databases or timeouts differ
     * @throws BackendException if none of the servers is the master, or if the master cannot be used
     */
    public static RedisBackend connectReplicated(List<String> uris, RedisOptions options) {
        Objects.requireNonNull(options, "options");
        return connect(RedisDeployment.replicated(uris), options, ClientOptions.create());
    }

    /**
     * Connects to a Redis Cluster, with default options. Blocks for about the connect timeout at most.
     *
     * @param uris as in {@link #connectCluster(List, RedisOptions)}
     * @return a backend for one client
     * @throws IllegalArgumentException as for {@link #connectCluster(List, RedisOptions)}
     * @throws BackendException as for {@link #connectCluster(List, RedisOptions)}
     */
    public static RedisBackend connectCluster(List<String> uris) {
        return connectCluster(uris, RedisOptions.defaults());
    }

    /**
     * Connects to all masters of a Redis Cluster, at the addresses that one of its nodes reports. Locks are distributed
     * over the masters by name. The backend follows when a master is replaced or when slots move. It never writes to or
     * reads from a replica. Blocks for about the connect timeout at most.
     *
     * @param uris some of the cluster's nodes, masters or replicas, in any order, each as in {@link #connect(String)}
     *     without a database. User, password, TLS and timeout of the first URI apply to all nodes
     * @param options the options to use. If the addresses that the cluster reports cannot be reached from here, give
     *     client resources with a socket address resolver
     * @return a backend for one client
     * @throws IllegalArgumentException if the list is empty, a URI is malformed or names a database other than 0, or
     *     the timeouts differ
     * @throws BackendException if none of the nodes can be reached, if the node is not part of a cluster, if the
     *     cluster has slots without a master, or if one of its masters cannot be reached or used
     */
    public static RedisBackend connectCluster(List<String> uris, RedisOptions options) {
        Objects.requireNonNull(options, "options");
        return connect(RedisDeployment.cluster(uris), options, ClientOptions.create());
    }

    /**
     * Connects to several independent masters, with default options of Redis and of the quorum.
     *
     * @param uris as in {@link #connectQuorum(List, RedisOptions, QuorumOptions)}
     * @return a backend for one client
     * @throws IllegalArgumentException as for {@link #connectQuorum(List, RedisOptions, QuorumOptions)}
     */
    public static QuorumBackend connectQuorum(List<String> uris) {
        return connectQuorum(uris, RedisOptions.defaults());
    }

    /**
     * Connects to several independent masters, with default options of the quorum.
     *
     * @param uris as in {@link #connectQuorum(List, RedisOptions, QuorumOptions)}
     * @param options the options to use for each server
     * @return a backend for one client
     * @throws IllegalArgumentException as for {@link #connectQuorum(List, RedisOptions, QuorumOptions)}
     */
    public static QuorumBackend connectQuorum(List<String> uris, RedisOptions options) {
        return connectQuorum(uris, options, QuorumOptions.defaults());
    }

    /**
     * Connects to several independent masters, of which a majority must vote for each holder of a lock. Returns without
     * waiting: each server is connected in the background. The client that is created with this backend waits for a
     * majority, for about the connect timeout at most.
     *
     * @param uris 3 to 15 servers, best an odd number, each as in {@link #connect(String)}. They must not replicate
     *     each other
     * @param options the options to use for each server
     * @param quorum the options of the quorum
     * @return a backend for one client
     * @throws IllegalArgumentException if there are too few or too many servers, one is given twice, or a URI is
     *     malformed
     */
    public static QuorumBackend connectQuorum(List<String> uris, RedisOptions options, QuorumOptions quorum) {
        return QuorumConnector.connect(uris, options, quorum);
    }

    private static RedisBackend connect(RedisDeployment given, RedisOptions options, ClientOptions base) {
        RedisDeployment deployment =
                given.withCredentials(options.credentials()).withConnectTimeout(options.connectTimeout());
        InsecureTransport transport = new InsecureTransport(deployment);
        transport.check(options.sentinelCredentials() != null);
        // A fence must outlive commands that arrive late, which can take effect for one command timeout.
        long idleMillis = Math.max(
                options.idleLife().toMillis(), 2 * deployment.commandTimeout().toMillis());
        KeySpace keySpace = new KeySpace(
                options.keyPrefix(), idleMillis, bridged(options.bridge().orElse(null)));
        if (options.lazyConnect()) {
            Routing lazy = LazyRouting.connect(
                    deployment, keySpace, () -> connectNow(deployment, keySpace, options, base, transport));
            return new RedisBackend(deployment, options, null, lazy);
        }
        return connectNow(deployment, keySpace, options, base, transport);
    }

    /** Returns the locks that are shared with Redisson. */
    private static @Nullable Predicate<String> bridged(@Nullable Bridge bridge) {
        return bridge == null ? null : name -> bridge.covers(name) && KeySpace.isBridgeable(name);
    }

    private static RedisBackend connectNow(
            RedisDeployment deployment,
            KeySpace keySpace,
            RedisOptions options,
            ClientOptions base,
            InsecureTransport transport) {
        Thread caller = Thread.currentThread();
        return OwnThread.call(() -> connectNow(caller, deployment, keySpace, options, base, transport));
    }

    private static RedisBackend connectNow(
            Thread caller,
            RedisDeployment deployment,
            KeySpace keySpace,
            RedisOptions options,
            ClientOptions base,
            InsecureTransport transport) {
        ScriptCall.loadScripts(); // here and not at the first call, which may come on a thread that must not block
        LettuceClient lettuce = new LettuceClient(
                deployment,
                options.clientResources().orElse(null),
                options::ssl,
                base,
                transport,
                options.directConnections());
        try {
            lettuce.checkMayBlock(caller);
            RedisDeployment asking = lettuce.asking(deployment, ExpiringCredentials::end);
            Routing servers = deployment.kind() == RedisDeployment.Kind.CLUSTER
                    ? ClusterRouting.connect(lettuce, asking, keySpace)
                    : SingleMaster.connect(lettuce, asking, keySpace);
            return new RedisBackend(deployment, options, lettuce, BorrowedRouting.of(servers, deployment, lettuce));
        } catch (RuntimeException e) {
            lettuce.awaitEnd(lettuce.shutdown());
            throw e;
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Blocks for about the connect timeout at most. May be called again after a failure. Fails with a
     * {@link BackendException} that is not {@linkplain BackendException#isRetryable retryable} if the server does not
     * deliver what scripts publish.
     *
     * @throws IllegalArgumentException if the client's id is empty, contains whitespace or is not well-formed UTF-16
     * @throws IllegalStateException if this backend was opened or closed before, or if called on one of Lettuce's
     *     threads
     */
    @Override
    public void open(String client, BackendListener listener) {
        Objects.requireNonNull(listener, "listener");
        checkClient(client);
        if (lettuce != null) {
            lettuce.checkMayBlock(Thread.currentThread());
        }
        if (closed.get() || !opened.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "A backend belongs to one client; this one has already been opened or closed");
        }
        try {
            if (lettuce == null) {
                servers.open(client, listener);
            } else {
                OwnThread.call(() -> {
                    servers.open(client, listener);
                    return client;
                });
            }
        } catch (BackendException e) {
            opened.set(false);
            throw e;
        }
    }

    private static void checkClient(String client) {
        if (client.isEmpty() || client.chars().anyMatch(Character::isWhitespace)) {
            throw new IllegalArgumentException(
                    "client must not be empty or contain whitespace, but is '" + Printable.text(client) + "'");
        }
        Utf8.length("client", client);
    }

    /**
     * {@inheritDoc} Opens new connections for grants, without waiting for them.
     *
     * @throws IllegalArgumentException if the client's id is empty, contains whitespace or is not well-formed UTF-16
     */
    @Override
    public void rename(String client) {
        checkClient(client);
        if (!closed.get()) {
            servers.rename(client);
        }
    }

    @Override
    public void send(Command<?> command, Consumer<Reply> handler) {
        if (closed.get()) {
            Errors errors = new Errors(deployment);
            handler.accept(new Reply.Failed(false, errors.notConnected(errors.closed())));
            return;
        }
        String refusal = bridge == null ? null : bridge.refusal(command);
        if (refusal == null) {
            servers.send(command, handler);
        } else {
            handler.accept(new Reply.Failed(false, new BackendException(refusal, false, null)));
        }
    }

    @Override
    public @Nullable CallerRun offer(Command<?> command, Consumer<Reply> handler) {
        boolean mayBeRefused = bridge != null || closed.get();
        return mayBeRefused ? null : servers.offer(command, handler);
    }

    @Override
    public void together(Runnable sends) {
        servers.together(sends);
    }

    /** {@inheritDoc} Returns the prefix of the keys. */
    @Override
    public String namespace() {
        return keyPrefix;
    }

    @Override
    public int partitions() {
        return servers.partitions();
    }

    @Override
    public int partition(String lock) {
        return servers.partition(lock);
    }

    @Override
    public Duration commandTimeout() {
        return deployment.commandTimeout();
    }

    @Override
    public CompletionStage<List<NodeStatus>> nodes() {
        return servers.nodes();
    }

    /**
     * Returns the number of malformed messages that arrived on this client's channels. Only Boltwork's scripts may
     * publish there. The backend ignores all other messages, and {@linkplain io.boltwork.LockListener#backendWarning
     * warns} of the first one.
     *
     * @return the number since this backend was created
     */
    public long malformedMessages() {
        return servers.malformedMessages();
    }

    /** {@inheritDoc} Blocks for at most about 2 s, and not at all on one of Lettuce's threads. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            if (lettuce != null) {
                lettuce.awaitEnd(servers.close().thenCompose(ignored -> lettuce.shutdown()));
            } else {
                servers.close();
            }
        }
    }

    Routing servers() {
        return servers;
    }

    /**
     * {@inheritDoc} Returns the address of the server without the password, such as {@code redis://user@host:6379/0}.
     */
    @Override
    public String toString() {
        return deployment.toString();
    }
}
