package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.spi.ServerTime;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.IOUringProvider;
import io.lettuce.core.resource.Transports;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.OrderedEventExecutor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections to the master, each of them checked before it is handed out: reachable, credentials accepted, version 6.2
 * or later, a master in its own eyes. Owns the Lettuce client, and its threads unless they are the user's.
 */
final class Connector {
    private static final int MIN_MAJOR = 6;
    private static final int MIN_MINOR = 2;
    private static final long SHUTDOWN_MILLIS = 2_000;

    /** How often a connection is tried that a server has refused before Lettuce could see why. */
    private static final int TRIES = 3;

    /** How long a connection may take; if it is still Lettuce that waits, it gives up a moment earlier. */
    static final long LIMIT_MILLIS = RedisAddress.CONNECT_TIMEOUT.toMillis() + 250;

    /** A connection that has just been made, and the server's clock a moment ago. */
    record Made(ServerConnection connection, ServerTime time) {}

    private final Deployment deployment;
    private final KeySpace keySpace;
    private final Errors errors;
    private final ClientResources resources;
    private final RedisClient client;
    private final EventExecutor clerk;
    private final MasterFinder finder;
    private volatile boolean shutDown;

    /** The user's I/O threads, {@code null} if they are our own. */
    private final @Nullable EventLoopGroup usersLoops;

    /**
     * A connector that has not connected.
     *
     * @param base the user's options for connections
     * @throws IllegalStateException if the user's resources have been shut down
     */
    Connector(Deployment deployment, RedisOptions options, ClientOptions base) {
        this.deployment = deployment;
        this.keySpace = new KeySpace(options.keyPrefix());
        this.errors = new Errors(deployment.describe(), deployment.isTls());
        ClientResources given = options.clientResources();
        if (given == null) {
            this.resources = ownResources();
            this.usersLoops = null;
        } else {
            if (given.eventExecutorGroup().isShuttingDown()) {
                throw new IllegalStateException("The client resources have been shut down");
            }
            if (!(given.eventExecutorGroup().next() instanceof OrderedEventExecutor)) {
                throw new IllegalArgumentException(
                        "clientResources must have an eventExecutorGroup of executors with one thread each");
            }
            this.resources = given;
            // the same that the client below gets; they are counted, and shut down when nobody has them any more
            this.usersLoops = given.eventLoopGroupProvider().allocate(Transports.eventLoopGroupClass());
        }
        this.client = RedisClient.create(resources);
        ClientOptions wanted = clientOptions(base, deployment.commandTimeout());
        this.client.setOptions(
                wanted.mutate().sslOptions(options.ssl(wanted.getSslOptions())).build());
        this.clerk = resources.eventExecutorGroup().next();
        this.finder = switch (deployment.kind()) {
            case STANDALONE -> MasterFinder.fixed(deployment.node());
            case SENTINEL -> new SentinelFinder(deployment, clerk, this::scout);
            case REPLICATED -> new ReplicaFinder(deployment, clerk, this::scout);
        };
    }

    private CompletionStage<StatefulRedisConnection<String, String>> scout(RedisAddress where) {
        if (shutDown) {
            return CompletableFuture.failedFuture(errors.closed());
        }
        return where.resolved().thenCompose(uri -> connected(() -> client.connectAsync(StringCodec.UTF8, uri), TRIES));
    }

    private static ClientResources ownResources() {
        return ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .build();
    }

    /** The user's options, but for what {@link ServerConnection} and {@link Keeper} rely on. */
    private static ClientOptions clientOptions(ClientOptions base, Duration commandTimeout) {
        SocketOptions.Builder socket = SocketOptions.builder()
                .connectTimeout(RedisAddress.CONNECT_TIMEOUT)
                .keepAlive(true)
                .tcpNoDelay(true);
        if (EpollProvider.isAvailable() || IOUringProvider.isAvailable()) { // Java's own sockets do not know it
            socket.tcpUserTimeout(TcpUserTimeoutOptions.builder()
                    .enable()
                    .tcpUserTimeout(commandTimeout.plusSeconds(1))
                    .build());
        }
        return base.mutate()
                .autoReconnect(false) // see ServerConnection
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .useHashIndexQueue(false)
                .requestQueueSize(
                        ClientOptions.DEFAULT_REQUEST_QUEUE_SIZE) // a full one would look like a lost connection
                .socketOptions(socket.build())
                .build();
    }

    Deployment deployment() {
        return deployment;
    }

    MasterFinder finder() {
        return finder;
    }

    KeySpace keySpace() {
        return keySpace;
    }

    Errors errors() {
        return errors;
    }

    /** What it means if no connection could be made in time. */
    BackendException silent() {
        return errors.silent(LIMIT_MILLIS);
    }

    /** The one thread on which connections are looked after; it never blocks. */
    EventExecutor clerk() {
        return clerk;
    }

    /** Makes a connection for commands to the master. */
    Attempt connect() {
        return make(
                uri -> client.connectAsync(ByteArrayCodec.INSTANCE, uri),
                (lettuce, connection) -> connection.time().thenApply(time -> new Made(connection, time)));
    }

    /**
     * Makes a connection to the master that listens on a channel. It is made when the server has confirmed that it does.
     *
     * @param listener gets each message, and the server run that it came from
     */
    Attempt subscribe(String channel, BiConsumer<String, byte[]> listener) {
        byte[] name = channel.getBytes(StandardCharsets.UTF_8);
        Function<RedisURI, CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>>> connect =
                uri -> client.connectPubSubAsync(ByteArrayCodec.INSTANCE, uri);
        return make(connect, (lettuce, connection) -> {
            lettuce.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(byte[] from, byte[] body) {
                    listener.accept(connection.run(), body);
                }
            });
            // first: a connection that listens may ask no more
            CompletionStage<ServerTime> time = mayPing(connection).thenCombine(connection.time(), (may, now) -> now);
            return time.thenCombine(lettuce.async().subscribe(name), (server, ignored) -> new Made(connection, server));
        });
    }

    /** A missing right to ping shows here, and not when all pings stay unanswered. */
    private static CompletionStage<Boolean> mayPing(ServerConnection connection) {
        return connection.ping().handle((pong, failure) -> {
            if (failure != null && !Errors.isAboutLoading(failure)) {
                throw new CompletionException(failure);
            }
            return true;
        });
    }

    /** Shuts the client down, and its threads unless they are the user's. */
    CompletableFuture<@Nullable Void> shutdown() {
        shutDown = true;
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        client.shutdownAsync(0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
                .whenComplete((ignored, failure) -> letThreadsGo().addListener(down -> done.complete(null)));
        return done;
    }

    private io.netty.util.concurrent.Future<Boolean> letThreadsGo() {
        return usersLoops == null
                ? resources.shutdown(0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
                : resources.eventLoopGroupProvider().release(usersLoops, 0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Whether this is a thread that connections live on, which must not wait for them. */
    private boolean isOnLettucesThread() {
        return isOneOf(resources.eventExecutorGroup()) || (usersLoops != null && isOneOf(usersLoops));
    }

    private static boolean isOneOf(EventExecutorGroup threads) {
        for (EventExecutor thread : threads) {
            if (thread.inEventLoop()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Awaits an end for a bounded time, whether it comes or not; not at all on a thread of Lettuce's, which would wait for
     * itself. An interrupt waits too.
     */
    void awaitEnd(CompletableFuture<?> end) {
        if (Thread.currentThread() instanceof FastThreadLocalThread || isOnLettucesThread()) {
            return;
        }
        boolean interrupted = false;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SHUTDOWN_MILLIS);
        while (!end.isDone() && deadline - System.nanoTime() > 0) {
            try {
                end.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException | TimeoutException e) {
                break;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Refuses to go on if this thread could only wait for itself.
     *
     * @throws IllegalStateException if it is a thread that connections live on
     */
    void checkMayBlock() {
        if (isOnLettucesThread()) {
            throw new IllegalStateException("Connecting blocks and must not be done on one of Lettuce's threads");
        }
    }

    /** Awaits something that fails with a {@link BackendException} within the connect timeout. */
    static <T> T await(CompletableFuture<T> made) {
        try {
            return made.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BackendException failure) {
                throw new BackendException(String.valueOf(failure.getMessage()), failure.isRetryable(), failure);
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            made.cancel(false);
            Thread.currentThread().interrupt();
            throw new BackendException("Interrupted while connecting", true, e);
        }
    }

    private <L extends StatefulRedisConnection<byte[], byte[]>> Attempt make(
            Function<RedisURI, CompletionStage<L>> connect,
            BiFunction<L, ServerConnection, CompletionStage<Made>> prepare) {
        Attempt attempt = new Attempt();
        finder.find(RedisAddress.CONNECT_TIMEOUT.toMillis()).whenComplete((master, failure) -> {
            if (failure != null) {
                attempt.made.completeExceptionally(errors.connecting(failure));
            } else if (!attempt.made.isDone()) {
                attempt.leadsTo(master);
                make(attempt, master, connect, prepare);
            }
        });
        clerk.execute(
                () -> { // behind the questions, should they be asked there: their first time takes long
                    Future<?> timeout = clerk.schedule(
                            () -> attempt.fail(silent(attempt.where())), LIMIT_MILLIS, TimeUnit.MILLISECONDS);
                    attempt.made.whenComplete((ignored, why) -> timeout.cancel(false));
                });
        return attempt;
    }

    private <L extends StatefulRedisConnection<byte[], byte[]>> void make(
            Attempt attempt,
            RedisAddress server,
            Function<RedisURI, CompletionStage<L>> connect,
            BiFunction<L, ServerConnection, CompletionStage<Made>> prepare) {
        CompletableFuture<Made> made = attempt.made;
        Errors errors = Errors.of(server);
        CompletionStage<L> connected = server.resolved().thenCompose(uri -> connected(() -> connect.apply(uri), TRIES));
        connected.whenComplete((lettuce, failure) -> {
            if (failure != null) {
                made.completeExceptionally(errors.connecting(failure));
            } else if (made.isDone()) { // it took too long
                lettuce.closeAsync();
            } else {
                CompletableFuture<Made> prepared = lettuce.async()
                        .info()
                        .thenCompose(info -> prepare.apply(lettuce, checked(lettuce, info, server, errors)))
                        .toCompletableFuture();
                attempt.waitsFor(prepared);
                prepared.whenComplete((ready, why) -> {
                    if (why != null) {
                        BackendException unfit = errors.connecting(why);
                        lettuce.closeAsync().whenComplete((x, y) -> made.completeExceptionally(unfit));
                    } else if (!made.complete(ready)) {
                        lettuce.closeAsync();
                    }
                });
            }
        });
    }

    /** Connects; once more if the server closed the connection before Lettuce had looked at its answer, which says why. */
    static <L> CompletionStage<L> connected(Supplier<CompletionStage<L>> connect, int tries) {
        CompletableFuture<L> connected = connect.get().toCompletableFuture();
        return connected
                .handle((lettuce, failure) -> failure != null && tries > 1 && Errors.isUnseen(failure)
                        ? connected(connect, tries - 1)
                        : connected)
                .thenCompose(Function.identity());
    }

    private BackendException silent(@Nullable String where) {
        return where == null ? silent() : new Errors("Redis at " + where, deployment.isTls()).silent(LIMIT_MILLIS);
    }

    private ServerConnection checked(
            StatefulRedisConnection<byte[], byte[]> lettuce, String info, RedisAddress server, Errors errors) {
        String version = ServerInfo.field(info, "redis_version");
        String run = ServerInfo.field(info, "run_id");
        if (!ServerInfo.isAtLeast(version, MIN_MAJOR, MIN_MINOR)) {
            throw errors.unfit("its version is " + (version.isEmpty() ? "unknown" : version)
                    + "; Boltwork needs Redis 6.2 or later");
        }
        if (ServerInfo.field(info, "redis_mode").equals("sentinel")) {
            throw errors.unfit("it is a sentinel; use redis-sentinel:// and end with # and the master's name");
        }
        if (run.isEmpty()) {
            throw errors.unfit("it does not say its run_id (INFO server)");
        }
        if (ServerInfo.isReplica(info)) {
            throw errors.replica(ServerInfo.field(info, "master_host") + ":" + ServerInfo.field(info, "master_port"));
        }
        List<String> warnings = ServerInfo.warnings(info, finder.mayMove());
        return new ServerConnection(lettuce, server.hostAndPort(), run, keySpace, errors, warnings, clerk);
    }
}
