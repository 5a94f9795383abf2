package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.spi.ServerTime;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.TcpUserTimeoutOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.IOUringProvider;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections to a server, each of them checked before it is handed out: reachable, credentials accepted, version 6.2
 * or later. Owns the Lettuce client and its threads.
 */
final class Connector {
    private static final int MIN_MAJOR = 6;
    private static final int MIN_MINOR = 2;
    private static final long SHUTDOWN_MILLIS = 2_000;

    /** How long a connection may take; if it is still Lettuce that waits, it gives up a moment earlier. */
    static final long LIMIT_MILLIS = RedisAddress.CONNECT_TIMEOUT.toMillis() + 250;

    /** A connection that has just been made, and the server's clock a moment ago. */
    record Made(ServerConnection connection, ServerTime time) {}

    private final RedisAddress address;
    private final KeySpace keySpace;
    private final Errors errors;
    private final ClientResources resources;
    private final RedisClient client;
    private final EventExecutor clerk;

    Connector(RedisAddress address, RedisOptions options) {
        this.address = address;
        this.keySpace = new KeySpace(options.keyPrefix());
        this.errors = new Errors("Redis at " + address.hostAndPort());
        this.resources = ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .build();
        this.client = RedisClient.create(resources);
        this.client.setOptions(clientOptions(address.commandTimeout()));
        this.clerk = resources.eventExecutorGroup().next();
    }

    private static ClientOptions clientOptions(Duration commandTimeout) {
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
        return ClientOptions.builder()
                .autoReconnect(false) // see ServerConnection
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .maintNotificationsConfig(MaintNotificationsConfig.disabled())
                .useHashIndexQueue(false)
                .socketOptions(socket.build())
                .build();
    }

    RedisAddress address() {
        return address;
    }

    KeySpace keySpace() {
        return keySpace;
    }

    Errors errors() {
        return errors;
    }

    /** What it means if no connection could be made in time. */
    BackendException silent() {
        return errors.silent(LIMIT_MILLIS, address.lettuce().isSsl());
    }

    /** The one thread on which connections are looked after; it never blocks. */
    EventExecutor clerk() {
        return clerk;
    }

    /** Makes a connection for commands. The future fails with a {@link BackendException}. */
    CompletableFuture<Made> connect() {
        return make(
                client.connectAsync(ByteArrayCodec.INSTANCE, address.lettuce()),
                (lettuce, connection) -> connection.time().thenApply(time -> new Made(connection, time)));
    }

    /**
     * Makes a connection that listens on a channel. The future completes when the server has confirmed that it does, and
     * fails with a {@link BackendException}.
     *
     * @param listener gets each message, and the server run that it came from
     */
    CompletableFuture<Made> subscribe(String channel, BiConsumer<String, byte[]> listener) {
        byte[] name = channel.getBytes(StandardCharsets.UTF_8);
        return make(client.connectPubSubAsync(ByteArrayCodec.INSTANCE, address.lettuce()), (lettuce, connection) -> {
            lettuce.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(byte[] from, byte[] body) {
                    listener.accept(connection.run(), body);
                }
            });
            CompletionStage<ServerTime> time = connection.time(); // first: a connection that listens may ask no more
            return time.thenCombine(lettuce.async().subscribe(name), (server, ignored) -> new Made(connection, server));
        });
    }

    /** Shuts the client and its threads down. */
    CompletableFuture<@Nullable Void> shutdown() {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        client.shutdownAsync(0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
                .whenComplete((ignored, failure) -> resources
                        .shutdown(0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
                        .addListener(down -> done.complete(null)));
        return done;
    }

    /**
     * Awaits an end for a bounded time, whether it comes or not; not at all on a thread of Lettuce's, which would wait for
     * itself. An interrupt waits too.
     */
    static void awaitEnd(CompletableFuture<?> end) {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
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

    private <L extends StatefulRedisConnection<byte[], byte[]>> CompletableFuture<Made> make(
            CompletionStage<L> connecting, BiFunction<L, ServerConnection, CompletionStage<Made>> prepare) {
        CompletableFuture<Made> made = new CompletableFuture<>();
        Attempt attempt = new Attempt(made);
        Future<?> timeout = clerk.schedule(
                () -> attempt.stage.completeExceptionally(silent()), LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        made.whenComplete((ignored, why) -> timeout.cancel(false));
        connecting.whenComplete((lettuce, failure) -> {
            if (failure != null) {
                made.completeExceptionally(errors.connecting(failure));
            } else if (made.isDone()) { // it took too long
                lettuce.closeAsync();
            } else {
                CompletableFuture<Made> prepared = lettuce.async()
                        .info("server")
                        .thenCompose(info -> prepare.apply(lettuce, checked(lettuce, info)))
                        .toCompletableFuture();
                attempt.stage = prepared;
                prepared.whenComplete((ready, why) -> {
                    if (why == null) {
                        made.complete(ready);
                    } else {
                        BackendException unfit = errors.connecting(why);
                        lettuce.closeAsync().whenComplete((x, y) -> made.completeExceptionally(unfit));
                    }
                });
            }
        });
        return made;
    }

    /** What a connection that is being made waits for: Lettuce at first, then the server's answers. */
    private static final class Attempt {
        volatile CompletableFuture<Made> stage;

        Attempt(CompletableFuture<Made> stage) {
            this.stage = stage;
        }
    }

    private ServerConnection checked(StatefulRedisConnection<byte[], byte[]> lettuce, String info) {
        String version = ServerInfo.field(info, "redis_version");
        String run = ServerInfo.field(info, "run_id");
        if (!ServerInfo.isAtLeast(version, MIN_MAJOR, MIN_MINOR)) {
            throw errors.unfit("its version is " + (version.isEmpty() ? "unknown" : version)
                    + "; Boltwork needs Redis 6.2 or later");
        }
        if (run.isEmpty()) {
            throw errors.unfit("it does not say its run_id (INFO server)");
        }
        return new ServerConnection(lettuce, run, keySpace, errors);
    }
}
