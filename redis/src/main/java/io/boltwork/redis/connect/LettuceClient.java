// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.BackendException;
import io.boltwork.redis.address.ChangingCredentials;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.InsecureTransport;
import io.boltwork.redis.address.Login;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.call.ServerConnection;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolVersion;
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
import java.time.Duration;
import java.time.Instant;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The Lettuce client of a backend, and its threads unless they belong to the user. */
public final class LettuceClient {
    private static final long SHUTDOWN_MILLIS = 2_000;

    /** The time between two looks of a connection at whether the credentials have changed. */
    private static final long RENEW_MILLIS = 1_000;

    /** The number of attempts to connect if the server closes the connection before Lettuce has read the reason. */
    private static final int TRIES = 3;

    private final ClientResources resources;
    private final RedisClient client;
    private final EventExecutor loop;
    private final Errors errors;
    private final InsecureTransport transport;
    private final DirectSockets direct;
    private volatile List<ChangingCredentials> changing = List.of();
    private volatile boolean shutDown;

    /**
     * The I/O threads. Lettuce counts their users, and this object counts as one, so that the shutdown of the client
     * does not end them.
     */
    private final EventLoopGroup loops;

    private final boolean areUsers;

    /**
     * Creates a client. Does not connect.
     *
     * @param given the user's resources, or {@code null} to create some
     * @param tls applies the user's TLS options on top of those of {@code base}
     * @param base the user's options for connections
     * @param transport checks the address of each connection
     * @param directConnections the most connections to a server that callers use by themselves
     * @throws IllegalStateException if the user's resources have been shut down
     */
    public LettuceClient(
            RedisDeployment deployment,
            @Nullable ClientResources given,
            UnaryOperator<SslOptions> tls,
            ClientOptions base,
            InsecureTransport transport,
            int directConnections) {
        this.errors = new Errors(deployment);
        this.transport = transport;
        if (given == null) {
            this.resources = ownResources();
        } else {
            if (given.eventExecutorGroup().isShuttingDown()) {
                throw new IllegalStateException("The client resources have been shut down");
            }
            if (!(given.eventExecutorGroup().next() instanceof OrderedEventExecutor)) {
                throw new IllegalArgumentException(
                        "clientResources must have an eventExecutorGroup of executors with one thread each");
            }
            this.resources = given;
        }
        this.areUsers = given != null;
        // the same threads that the client below gets; they are counted, and shut down when the count is 0
        this.loops = resources.eventLoopGroupProvider().allocate(Transports.eventLoopGroupClass());
        this.client = new AsyncClient(resources);
        ClientOptions wanted = clientOptions(base, deployment);
        SslOptions ssl = tls.apply(wanted.getSslOptions());
        this.client.setOptions(wanted.mutate().sslOptions(ssl).build());
        this.direct = new DirectSockets(resources, ssl, directConnections);
        this.loop = resources.eventExecutorGroup().next();
    }

    /** Makes a connection for commands. */
    public CompletionStage<StatefulRedisConnection<byte[], byte[]>> connect(RedisURI uri) {
        transport.connecting(uri);
        return client.connectAsync(ByteArrayCodec.INSTANCE, uri);
    }

    /** Makes connections for callers. */
    DirectSockets direct() {
        return direct;
    }

    /** Makes a connection that listens. */
    CompletionStage<StatefulRedisPubSubConnection<byte[], byte[]>> connectPubSub(RedisURI uri) {
        transport.connecting(uri);
        return client.connectPubSubAsync(ByteArrayCodec.INSTANCE, uri);
    }

    /** Makes a connection for asking for the master or the slots. */
    public CompletionStage<StatefulRedisConnection<String, String>> connectText(RedisAddress where) {
        if (shutDown) {
            return CompletableFuture.failedFuture(errors.closed());
        }
        transport.connecting(where.lettuce());
        return where.login().thenCompose(login -> connect(login, uri -> client.connectAsync(StringCodec.UTF8, uri)));
    }

    /** Connects, and logs in anew from then on if the credentials change. */
    <L extends StatefulRedisConnection<?, ?>> CompletionStage<L> connect(
            Login login, Function<RedisURI, CompletionStage<L>> connect) {
        return connected(() -> connect.apply(login.uri()), TRIES).whenComplete((made, failure) -> {
            if (made != null && !login.isFixed()) {
                renewLater(made, login);
            } else if (failure != null && Errors.isAboutLogin(failure)) {
                login.refused();
            }
        });
    }

    private void renewLater(StatefulRedisConnection<?, ?> made, Login login) {
        try {
            loop.schedule(() -> renew(made, login), RENEW_MILLIS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // the threads have ended, and so has the connection
        }
    }

    private void renew(StatefulRedisConnection<?, ?> made, Login login) {
        if (made.isOpen()) {
            login.renew(made);
            renewLater(made, login);
        }
    }

    /**
     * Returns the deployment with the credentials of its providers, which this client asks until it is shut down.
     *
     * @param end tells when credentials end; {@code null} if that is not known
     */
    public RedisDeployment asking(RedisDeployment given, Function<RedisCredentials, @Nullable Instant> end) {
        Duration limit = given.connectTimeout().dividedBy(2); // so that the attempt can tell the reason
        Map<RedisCredentialsProvider, ChangingCredentials> known = new IdentityHashMap<>();
        Function<Runnable, Runnable> timer = late -> TimeLimit.begin(loop, limit.toMillis(), late)::cancel;
        RedisDeployment asking = given.withProviders(provider -> known.computeIfAbsent(
                provider, its -> new ChangingCredentials(its, given.describe(), loop, limit, timer, end)));
        changing = List.copyOf(known.values());
        return asking;
    }

    /** Connects. Tries again if the server closed the connection before Lettuce had read the server's reason. */
    public static <L> CompletionStage<L> connected(Supplier<CompletionStage<L>> connect, int tries) {
        CompletableFuture<L> connected = connect.get().toCompletableFuture();
        return connected
                .handle((lettuce, failure) -> failure != null && tries > 1 && Errors.isUnseen(failure)
                        ? connected(connect, tries - 1)
                        : connected)
                .thenCompose(Function.identity());
    }

    private static ClientResources ownResources() {
        return ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .build();
    }

    /** Returns the user's options, with the settings that {@link ServerConnection} and {@link Reconnector} need. */
    private static ClientOptions clientOptions(ClientOptions base, RedisDeployment deployment) {
        SocketOptions.Builder socket = SocketOptions.builder()
                .connectTimeout(deployment.connectTimeout())
                .keepAlive(true)
                .tcpNoDelay(true);
        if (EpollProvider.isAvailable() || IOUringProvider.isAvailable()) { // sockets of the JDK do not support it
            socket.tcpUserTimeout(TcpUserTimeoutOptions.builder()
                    .enable()
                    .tcpUserTimeout(deployment.commandTimeout().plusSeconds(1))
                    .build());
        }
        ClientOptions.Builder options = base.mutate();
        if (deployment.kind() == RedisDeployment.Kind.CLUSTER) {
            options.protocolVersion(ProtocolVersion.RESP3); // see ShardChannels
        }
        return options.autoReconnect(false) // see ServerConnection
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .reauthenticateBehavior(ClientOptions.ReauthenticateBehavior.DEFAULT) // see Login
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .useHashIndexQueue(false)
                .requestQueueSize(
                        ClientOptions.DEFAULT_REQUEST_QUEUE_SIZE) // a full queue would look like a lost connection
                .socketOptions(socket.build())
                .build();
    }

    /** Returns the loop thread, which maintains all connections and never blocks. */
    public EventExecutor loop() {
        return loop;
    }

    /**
     * Calls an action when the user has ended the threads before the client, unless the threads are the client's own.
     *
     * @return whether they are the user's
     */
    public boolean whenThreadsEnd(Runnable action) {
        if (areUsers) {
            loop.terminationFuture().addListener(ended -> {
                if (!shutDown) {
                    action.run();
                }
            });
        }
        return areUsers;
    }

    /** Shuts down the client, and its threads unless they belong to the user. */
    public CompletableFuture<@Nullable Void> shutdown() {
        shutDown = true;
        changing.forEach(ChangingCredentials::close);
        if (loop.isTerminated()) { // Lettuce would wait for it in vain; the end of the I/O threads closes the
            // connections
            return letThreadsGo();
        }
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        client.shutdownAsync(0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
                .whenComplete((ignored, failure) -> letThreadsGo().whenComplete((down, never) -> done.complete(null)));
        return done;
    }

    /*
     * Lettuce's timer keeps the timeout of each refused connection. If such a timeout passes after the I/O threads have
     * ended, but before the timer and the other threads have ended, Netty logs an error. Therefore the I/O threads end
     * last.
     */
    private CompletableFuture<@Nullable Void> letThreadsGo() {
        CompletableFuture<@Nullable Void> gone = new CompletableFuture<>();
        if (areUsers) {
            resources
                    .eventLoopGroupProvider()
                    .release(loops, 0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
                    .addListener(down -> gone.complete(null));
            return gone;
        }
        resources.timer().stop();
        resources
                .eventExecutorGroup()
                .shutdownGracefully(0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
                .addListener(ended -> resources
                        .shutdown(0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
                        .addListener(down -> gone.complete(null)));
        return gone;
    }

    /** Returns whether a thread serves connections, and so must not wait for them. */
    private boolean isLettuces(Thread thread) {
        return isOneOf(resources.eventExecutorGroup(), thread) || isOneOf(loops, thread);
    }

    private static boolean isOneOf(EventExecutorGroup threads, Thread sought) {
        for (EventExecutor thread : threads) {
            if (thread.inEventLoop(sought)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Awaits an end for a bounded time. Does not wait on a thread of Lettuce, which would wait for itself. If
     * interrupted, continues to wait and then restores the interrupt status.
     */
    public void awaitEnd(CompletableFuture<?> end) {
        if (Thread.currentThread() instanceof FastThreadLocalThread || isLettuces(Thread.currentThread())) {
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
     * Throws if a thread would wait for itself.
     *
     * @throws IllegalStateException if the thread serves connections
     */
    public void checkMayBlock(Thread caller) {
        if (isLettuces(caller)) {
            throw new IllegalStateException("Connecting blocks and must not be done on one of Lettuce's threads");
        }
    }

    /** Awaits a future that fails with a {@link BackendException} within the connect timeout. */
    public static <T> T await(CompletableFuture<T> made) {
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
}
