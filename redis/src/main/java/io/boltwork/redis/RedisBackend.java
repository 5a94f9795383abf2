package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.spi.BackendListener;
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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Locks on Redis 6.2 or later: on a single master ({@code redis://}), one that sentinels watch ({@code redis-sentinel://}), one
 * that has replicas ({@link #connectReplicated}), or on the masters of a Redis Cluster ({@link #connectCluster}); with TLS, too.
 * When another server becomes the master, the backend follows it by itself; nothing is ever written to a replica, or read from one.
 *
 * <p>A lock is one key, {@code boltwork:{name}}; each command that changes it is one Lua script and one round trip. Who a
 * client is stands in another, {@code boltwork:client:id}, that expires. The backend keeps two
 * connections to the master, one for commands and one for grants (and a third once a lock with {@link
 * io.boltwork.Replication} is used), pings them every second and makes them anew when they
 * break. Where another server may become the master, it keeps one more to each sentinel or server, and asks there twice a
 * second who the master is. In a cluster it keeps these connections to each master, and asks up to three nodes every second, five times a
 * second while something is wrong, who has which slots. When connections are made, a script publishes to the client itself: a server that does
 * not deliver that refuses the client in {@link #open}, and later makes a warning. It never repeats a command. Connecting takes 5 s at most; if it fails, its threads are awaited for
 * 2 s more.
 *
 * <p>A user with few rights needs these (in the words of {@code ACL SETUSER}, with the default prefix): {@code ~boltwork:*
 * &boltwork:grants:* &boltwork:told:* +ping +info +time +eval +evalsha +hmget +hset +hget +hdel +del +pexpire +publish +subscribe}.
 * Whoever looks at locks and clients needs {@code +hgetall +scan} too: {@link io.boltwork.FencedLock#isLocked} the former
 * alone; the latter shows the names of all keys of the database. Locks with replication need {@code +wait}, a cluster {@code
 * +cluster|slots +asking +hlen} and, from Redis 7 on, {@code +spublish +ssubscribe +sunsubscribe}.
 *
 * <p>Thread-safe. Replies and grants are delivered on Lettuce's I/O threads. These are the backend's own, unless a Lettuce
 * client or client resources are brought ({@link #connect(RedisClient, RedisURI)}, {@link RedisOptions#clientResources}).
 *
 * <pre>{@code
 * try (LockClient locks = LockClient.create(RedisBackend.connect("redis://localhost:6379"))) {
 *     ...
 * }
 * }</pre>
 */
public final class RedisBackend implements LockBackend {
    private final Deployment deployment;

    /** {@code null} if each attempt to connect has its own. */
    private final @Nullable Lettuce lettuce;

    private final Servers servers;
    private final AtomicBoolean opened = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();

    private RedisBackend(Deployment deployment, @Nullable Lettuce lettuce, Servers servers) {
        this.deployment = deployment;
        this.lettuce = lettuce;
        this.servers = servers;
    }

    /**
     * Connects to a server with default options. Blocks, for about 5 s at most.
     *
     * @param uri {@code redis://[[user:]password@]host[:port][/database][?timeout=2s]}, or {@code
     *     redis-sentinel://[[user:]password@]host[:port][,host[:port]…][/database][?timeout=2s]#master}, where the hosts are
     *     sentinels, the credentials those of the servers that they watch (for their own see {@link
     *     RedisOptions#sentinelCredentials}), and what follows {@code #} is their name for the master. {@code rediss} instead of
     *     {@code redis} is for TLS. By default the port is 6379, of sentinels 26379, the database 0 and the command timeout 2 s
     * @return a backend for one client
     * @throws IllegalArgumentException if the URI is not of that form
     * @throws BackendException if no master can be reached, or it refuses the credentials or is older than Redis 6.2
     */
    public static RedisBackend connect(String uri) {
        return connect(uri, RedisOptions.defaults());
    }

    /**
     * Connects to a server. Blocks, for about 5 s at most.
     *
     * @param uri as in {@link #connect(String)}
     * @param options how to use the server
     * @return a backend for one client
     * @throws IllegalArgumentException if the URI is not of that form
     * @throws BackendException if no master can be reached, or it refuses the credentials or is older than Redis 6.2
     */
    public static RedisBackend connect(String uri, RedisOptions options) {
        Objects.requireNonNull(options, "options");
        return connect(Deployment.parse(uri, options), options, ClientOptions.create());
    }

    /**
     * Connects to a server that is described in Lettuce's terms, with default options. Blocks, for about 5 s at most.
     *
     * @param uri as in {@link #connect(RedisClient, RedisURI)}
     * @return a backend for one client
     * @throws IllegalArgumentException if the URI has a socket, no host, port or timeout, or sentinels
     *     without a name for the master
     * @throws BackendException if no master can be reached, or it refuses the credentials or is older than Redis 6.2
     */
    public static RedisBackend connect(RedisURI uri) {
        return connect(uri, RedisOptions.defaults());
    }

    /**
     * Connects to a server that is described in Lettuce's terms. Blocks, for about 5 s at most.
     *
     * @param uri as in {@link #connect(RedisClient, RedisURI)}
     * @param options how to use the server
     * @return a backend for one client
     * @throws IllegalArgumentException if the URI has a socket, no host, port or timeout, or sentinels
     *     without a name for the master
     * @throws BackendException if no master can be reached, or it refuses the credentials or is older than Redis 6.2
     */
    public static RedisBackend connect(RedisURI uri, RedisOptions options) {
        Objects.requireNonNull(options, "options");
        return connect(Deployment.of(uri, options), options, ClientOptions.create());
    }

    /**
     * Connects as an application's own Lettuce client does, with default options. Blocks, for about 5 s at most.
     *
     * <p>The backend uses the client's resources (threads, DNS resolver, metrics) and its {@link ClientOptions} as they are
     * now: TLS, protocol version, and so on. Boltwork's own are the socket options, time-outs, the length of the request queue,
     * what happens on disconnection and reconnection, and maintenance notifications; they apply to its own two connections
     * only. The client and its other connections stay as they are, and {@link #close()} shuts neither the client nor its
     * resources down; do that after the backend was closed. Listeners of the client hear nothing of Boltwork's connections.
     *
     * <p>The URI must be given because a client does not say which one it was created with, and may have been created with
     * none; it can be the same {@link RedisURI}.
     *
     * @param client whose resources and options to use
     * @param uri one server, or sentinels and their name for the master; it is copied, and its credentials provider is asked before each connection. Its timeout is how
     *     long a command may take, but Lettuce's default of 60 s, which cannot be told from a timeout that was not set,
     *     counts as 2 s
     * @return a backend for one client
     * @throws IllegalArgumentException if the URI has a socket, no host, port or timeout, or sentinels
     *     without a name for the master
     * @throws IllegalStateException if the client's resources have been shut down, or on one of their threads
     * @throws BackendException if no master can be reached, or it refuses the credentials or is older than Redis 6.2
     */
    public static RedisBackend connect(RedisClient client, RedisURI uri) {
        return connect(client, uri, RedisOptions.defaults());
    }

    /**
     * Connects as an application's own Lettuce client does. Blocks, for about 5 s at most.
     *
     * @param client whose resources and options to use, as in {@link #connect(RedisClient, RedisURI)}
     * @param uri as in {@link #connect(RedisClient, RedisURI)}
     * @param options how to use the server, without client resources
     * @return a backend for one client
     * @throws IllegalArgumentException if the URI has a socket, or no host, port or timeout, or if the options
     *     have client resources, because the client's are used
     * @throws IllegalStateException if the client's resources have been shut down, or on one of their threads
     * @throws BackendException if no master can be reached, or it refuses the credentials or is older than Redis 6.2
     */
    public static RedisBackend connect(RedisClient client, RedisURI uri, RedisOptions options) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(options, "options");
        if (options.clientResources() != null) {
            throw new IllegalArgumentException(
                    "options must have no clientResources if a client is given, because the client's own are used");
        }
        return connect(
                Deployment.of(uri, options), options.clientResources(client.getResources()), client.getOptions());
    }

    /**
     * Connects to a master that has replicas, with default options. Blocks, for about 5 s at most.
     *
     * @param uris as in {@link #connectReplicated(List, RedisOptions)}
     * @return a backend for one client
     * @throws IllegalArgumentException if the list is empty or a URI is not of that form
     * @throws BackendException if none of the servers is the master, or it cannot be used
     */
    public static RedisBackend connectReplicated(List<String> uris) {
        return connectReplicated(uris, RedisOptions.defaults());
    }

    /**
     * Connects to a master that has replicas, and follows the master when another one takes its place: for deployments without
     * sentinels, where a person or a service promotes replicas. Who the master is is asked of the servers themselves, twice a
     * second. Nothing is ever written to or read from a replica. Blocks, for about 5 s at most.
     *
     * @param uris where the master and its replicas are, in any order, each as in {@link #connect(String)}; one that is not
     *     named here can become the master only while others name it as theirs
     * @param options how to use the servers
     * @return a backend for one client
     * @throws IllegalArgumentException if the list is empty, a URI is not of that form, or their databases or timeouts differ
     * @throws BackendException if none of the servers is the master, or it cannot be used
     */
    public static RedisBackend connectReplicated(List<String> uris, RedisOptions options) {
        Objects.requireNonNull(options, "options");
        return connect(Deployment.replicated(uris), options, ClientOptions.create());
    }

    /**
     * Connects to a Redis Cluster, with default options. Blocks, for about 5 s at most.
     *
     * @param uris as in {@link #connectCluster(List, RedisOptions)}
     * @return a backend for one client
     * @throws IllegalArgumentException if the list is empty or a URI is not of that form
     * @throws BackendException if none of the nodes can be reached, or the cluster cannot be used
     */
    public static RedisBackend connectCluster(List<String> uris) {
        return connectCluster(uris, RedisOptions.defaults());
    }

    /**
     * Connects to a Redis Cluster: to all of its masters, whose addresses one of the nodes tells. The locks are spread over them by
     * their names. When a master is replaced or slots move to another one, the backend follows. Nothing is ever written to or
     * read from a replica. Blocks, for about 5 s at most.
     *
     * @param uris some of the cluster's nodes, masters or replicas, in any order, each as in {@link #connect(String)} without a
     *     database; user, password, TLS and timeout of the first count for all nodes
     * @param options how to use the servers; its client resources may have a socket address resolver, where clients do not reach
     *     the nodes at the addresses that the cluster tells
     * @return a backend for one client
     * @throws IllegalArgumentException if the list is empty, a URI is not of that form, or their timeouts differ
     * @throws BackendException if none of the nodes can be reached, it is not a node of a cluster, the cluster has slots without a
     *     master, or one of its masters cannot be reached or used
     */
    public static RedisBackend connectCluster(List<String> uris, RedisOptions options) {
        Objects.requireNonNull(options, "options");
        return connect(Deployment.cluster(uris), options, ClientOptions.create());
    }

    private static RedisBackend connect(Deployment deployment, RedisOptions options, ClientOptions base) {
        InsecureTransport.warn(deployment, options);
        // A fence must outlive what may still come late, which has effect for a command timeout.
        long idleMillis =
                Math.max(options.idleMillis(), 2 * deployment.commandTimeout().toMillis());
        KeySpace keySpace = new KeySpace(options.keyPrefix(), idleMillis);
        if (options.lazyConnect()) {
            Servers lazy =
                    LazyServers.connect(deployment, keySpace, () -> connectNow(deployment, keySpace, options, base));
            return new RedisBackend(deployment, null, lazy);
        }
        return connectNow(deployment, keySpace, options, base);
    }

    private static RedisBackend connectNow(
            Deployment deployment, KeySpace keySpace, RedisOptions options, ClientOptions base) {
        Lettuce lettuce = new Lettuce(deployment, options, base);
        try {
            Servers servers = deployment.kind() == Deployment.Kind.CLUSTER
                    ? Cluster.connect(lettuce, deployment, keySpace)
                    : OneMaster.connect(lettuce, deployment, keySpace);
            return new RedisBackend(deployment, lettuce, servers);
        } catch (RuntimeException e) {
            lettuce.awaitEnd(lettuce.shutdown());
            throw e;
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Blocks for about 5 s at most. May be called again after it has failed. Fails with a {@link BackendException} that is not
     * {@linkplain BackendException#isRetryable retryable} if the server does not deliver what scripts publish.
     *
     * @throws IllegalArgumentException if the client's id is empty, has blanks in it or is not well-formed UTF-16
     * @throws IllegalStateException if this backend was opened or closed before, or on a thread of Lettuce's
     */
    @Override
    public void open(String client, BackendListener listener) {
        Objects.requireNonNull(listener, "listener");
        checkClient(client);
        if (lettuce != null) {
            lettuce.checkMayBlock();
        }
        if (closed.get() || !opened.compareAndSet(false, true)) {
            throw new IllegalStateException(
                    "A backend belongs to one client; this one has been opened or closed before");
        }
        try {
            servers.open(client, listener);
        } catch (BackendException e) {
            opened.set(false);
            throw e;
        }
    }

    private static void checkClient(String client) {
        if (client.isEmpty() || client.chars().anyMatch(Character::isWhitespace)) {
            throw new IllegalArgumentException(
                    "client must not be empty and have no blanks, but is '" + Printable.text(client) + "'");
        }
        Utf8.length("client", client);
    }

    /**
     * {@inheritDoc} Makes new connections for grants.
     *
     * @throws IllegalArgumentException if there are blanks in the client's id
     */
    @Override
    public void rename(String client) {
        checkClient(client);
        if (!closed.get()) {
            servers.rename(client);
        }
    }

    @Override
    public void send(Command command, Consumer<Reply> handler) {
        if (closed.get()) {
            Errors errors = new Errors(deployment);
            handler.accept(new Reply.Failed(false, errors.notConnected(errors.closed())));
        } else {
            servers.send(command, handler);
        }
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
     * Returns how many messages came on the channels of this client's grants that were no grants. Only the scripts of Boltwork
     * may publish there; others are ignored, and {@linkplain io.boltwork.LockListener#backendWarning warned of} once.
     *
     * @return how many since the backend was made
     */
    public long malformedMessages() {
        return servers.malformedMessages();
    }

    /** {@inheritDoc} Blocks for about 2 s at most, and not at all on a thread of Lettuce's. */
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

    Servers servers() {
        return servers;
    }

    /**
     * Where the server is.
     *
     * @return such as {@code redis://user@host:6379/0}, never the password
     */
    @Override
    public String toString() {
        return deployment.toString();
    }
}
