// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import io.boltwork.BackendException;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.Login;
import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.address.RedisDeployment;
import io.boltwork.redis.call.Redirector;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.call.StaleMasterGuard;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.ServerInfo;
import io.boltwork.spi.ServerTime;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.netty.util.concurrent.EventExecutor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections to the master. Each of them is checked first: the server must be reachable, accept the credentials,
 * have version 6.2 or later, and call itself a master. If making the connection took long, other servers must confirm
 * that the server is still the master.
 */
public final class Connector {
    private static final int MIN_MAJOR = 6;
    private static final int MIN_MINOR = 2;

    /** The major version that introduced sharded channels. */
    private static final int SHARDED_SINCE = 7;

    /** The time that an attempt to connect has beyond the connect timeout, so that its parts end first. */
    private static final long GRACE_MILLIS = 250;

    /**
     * The time after which a master must be confirmed again, because another server may have taken its place. It is
     * longer than making a connection usually takes. It is shorter than a failover, which begins with at least a second
     * of silence.
     */
    static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** A connection that was just made, with a recent time of the server. */
    public record Made(ServerConnection connection, ServerTime time) {}

    private final LettuceClient lettuce;
    private final RedisDeployment deployment;
    private final KeySpace keySpace;
    private final Errors errors;
    private final EventExecutor loop;
    private final MasterFinder finder;
    private final Redirector redirector;

    /** Creates a connector to the only master, which the finder names. */
    public Connector(LettuceClient lettuce, RedisDeployment deployment, KeySpace keySpace, MasterFinder finder) {
        this(lettuce, deployment, keySpace, finder, new Errors(deployment), Redirector.NONE);
    }

    /** Creates a connector to one of several masters. */
    public Connector(
            LettuceClient lettuce,
            RedisDeployment deployment,
            KeySpace keySpace,
            MasterFinder finder,
            Errors errors,
            Redirector redirector) {
        this.lettuce = lettuce;
        this.deployment = deployment;
        this.keySpace = keySpace;
        this.errors = errors;
        this.loop = lettuce.loop();
        this.finder = finder;
        this.redirector = redirector;
    }

    LettuceClient lettuce() {
        return lettuce;
    }

    RedisDeployment deployment() {
        return deployment;
    }

    MasterFinder finder() {
        return finder;
    }

    public KeySpace keySpace() {
        return keySpace;
    }

    public Errors errors() {
        return errors;
    }

    /** Returns the maximum time for making a connection. */
    long limitMillis() {
        return deployment.connectTimeout().toMillis() + GRACE_MILLIS;
    }

    /** Returns the failure for a connection that could not be made in time. */
    BackendException silent() {
        return errors.silent(limitMillis());
    }

    /** Returns the loop thread, which maintains all connections and never blocks. */
    public EventExecutor loop() {
        return loop;
    }

    /** Makes a connection for commands to the master. */
    ConnectionAttempt connect() {
        return make(
                lettuce::connect,
                (made, connection) -> connection.time().thenApply(time -> new Made(connection, time)));
    }

    /**
     * Makes a listening connection to the master. The connection counts as made when the server has confirmed the
     * subscription.
     *
     * @param channel the channel for grants; not subscribed yet if the channels of the server are sharded
     * @param told the channel for all other messages
     * @param handler handles the messages
     */
    public ConnectionAttempt subscribe(String channel, String told, MessageHandler handler) {
        byte[] name = channel.getBytes(StandardCharsets.UTF_8);
        byte[] second = told.getBytes(StandardCharsets.UTF_8);
        return make(lettuce::connectPubSub, (made, connection) -> {
            made.addListener(new MessageAdapter(connection, second, handler));
            // first, because a connection that listens may send no other commands
            CompletionStage<ServerTime> time = mayPing(connection).thenCombine(connection.time(), (may, now) -> now);
            CompletionStage<?> listens = connection.isSharded()
                    ? made.async().subscribe(second)
                    : made.async().subscribe(name, second);
            return time.thenCombine(listens, (server, ignored) -> new Made(connection, server));
        });
    }

    /** The recipient of a connection's messages. */
    public interface MessageHandler {
        /** Called with the message of a grant. */
        void message(ServerConnection from, byte[] body);

        /** Called with a message for the owner of a lock, or about a latch or a vote. */
        void told(ServerConnection from, byte[] body);

        /** Called when a lock that is shared with Redisson may be free. */
        default void freed(ServerConnection from, String lock) {}

        /** Called at the end of a subscription to a sharded channel, perhaps because its slot has moved. */
        default void unsubscribed(ServerConnection from, String channel) {}
    }

    private static final class MessageAdapter extends RedisPubSubAdapter<byte[], byte[]> {
        private final ServerConnection connection;
        private final byte[] told;
        private final MessageHandler handler;

        MessageAdapter(ServerConnection connection, byte[] told, MessageHandler handler) {
            this.connection = connection;
            this.told = told;
            this.handler = handler;
        }

        @Override
        public void message(byte[] channel, byte[] body) {
            if (isAboutBridge(channel)) {
                return;
            }
            connection.heard(
                    new Message(connection, Arrays.equals(channel, told) ? handler::told : handler::message, body));
        }

        @Override
        public void smessage(byte[] channel, byte[] body) {
            if (isAboutBridge(channel)) {
                return;
            }
            connection.heard(new Message(connection, handler::message, body));
        }

        @Override
        public void sunsubscribed(byte[] channel, long count) {
            String name = new String(channel, StandardCharsets.UTF_8);
            if (connection.keySpace().bridgedLock(name) == null) {
                handler.unsubscribed(connection, name);
            }
        }

        /** Reports the lock of a message from Redisson as free. Returns whether the message was one of Redisson. */
        private boolean isAboutBridge(byte[] channel) {
            KeySpace keySpace = connection.keySpace();
            String lock =
                    keySpace.hasBridge() ? keySpace.bridgedLock(new String(channel, StandardCharsets.UTF_8)) : null;
            if (lock != null) {
                handler.freed(connection, lock);
            }
            return lock != null;
        }
    }

    private record Message(ServerConnection from, BiConsumer<ServerConnection, byte[]> hearer, byte[] body)
            implements StaleMasterGuard.Kept {
        @Override
        public void use() {
            hearer.accept(from, body);
        }

        @Override
        public void drop(Throwable cause) {
            // the former master had no right to grant locks; waiters ask the next master
        }
    }

    /** Pings, so that a missing right to ping is noticed now, and not when all later pings stay unanswered. */
    private static CompletionStage<Boolean> mayPing(ServerConnection connection) {
        return connection.ping().handle((pong, failure) -> {
            if (failure != null && !Errors.isAboutLoading(failure)) {
                throw new CompletionException(failure);
            }
            return true;
        });
    }

    private <L extends StatefulRedisConnection<byte[], byte[]>> ConnectionAttempt make(
            Function<RedisURI, CompletionStage<L>> connect,
            BiFunction<L, ServerConnection, CompletionStage<Made>> prepare) {
        ConnectionAttempt attempt = new ConnectionAttempt();
        finder.find(deployment.connectTimeout().toMillis()).whenComplete((master, failure) -> {
            if (failure != null) {
                attempt.made.completeExceptionally(errors.connecting(failure));
            } else if (!attempt.made.isDone()) {
                attempt.leadsTo(master);
                make(attempt, master, connect, prepare);
            }
        });
        loop.execute(
                () -> { // after the questions, if they run on this thread, because the first questions take long
                    TimeLimit limit = TimeLimit.begin(loop, limitMillis(), () -> attempt.fail(silent(attempt.where())));
                    attempt.made.whenComplete((ignored, why) -> limit.cancel());
                });
        return attempt;
    }

    private <L extends StatefulRedisConnection<byte[], byte[]>> void make(
            ConnectionAttempt attempt,
            RedisAddress server,
            Function<RedisURI, CompletionStage<L>> connect,
            BiFunction<L, ServerConnection, CompletionStage<Made>> prepare) {
        CompletableFuture<Made> made = attempt.made;
        Errors errors = this.errors.at(server.hostAndPort());
        long found = System.nanoTime();
        CompletionStage<LoggedIn<L>> connected = server.login()
                .thenCompose(login ->
                        this.lettuce.connect(login, connect).thenApply(lettuce -> new LoggedIn<>(lettuce, login)));
        connected.whenComplete((loggedIn, failure) -> {
            if (failure != null) {
                made.completeExceptionally(errors.connecting(failure));
            } else if (made.isDone()) { // the attempt took too long
                loggedIn.lettuce.closeAsync();
            } else {
                L lettuce = loggedIn.lettuce;
                CompletableFuture<Made> prepared = lettuce.async()
                        .info()
                        .thenCompose(info -> prepare.apply(lettuce, checked(loggedIn, info, server, errors)))
                        .thenCompose(ready -> stillMaster(ready, server, found, errors))
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

    private record LoggedIn<L extends StatefulRedisConnection<byte[], byte[]>>(L lettuce, Login login) {}

    /** Confirms the master again if it was not found recently. */
    private CompletionStage<Made> stillMaster(Made ready, RedisAddress server, long found, Errors errors) {
        return System.nanoTime() - found < FRESH_NANOS
                ? CompletableFuture.completedFuture(ready)
                : finder.confirm(server, errors).thenApply(confirmed -> ready);
    }

    private BackendException silent(@Nullable String where) {
        return where == null ? silent() : errors.at(where).silent(limitMillis());
    }

    private ServerConnection checked(LoggedIn<?> connection, String info, RedisAddress server, Errors errors) {
        String version = ServerInfo.field(info, "redis_version");
        String run = ServerInfo.field(info, "run_id");
        String garnet = ServerInfo.field(info, "garnet_version");
        if (!garnet.isEmpty()) {
            throw errors.unfit("it is Garnet " + garnet
                    + ", which may run other commands while a script runs, so two clients could"
                    + " get the same lock (see docs/run/servers.md)");
        }
        if (!ServerInfo.isAtLeast(version, MIN_MAJOR, MIN_MINOR)) {
            throw errors.unfit("its version is " + (version.isEmpty() ? "unknown" : version)
                    + "; Boltwork needs Redis 6.2 or later");
        }
        if (ServerInfo.field(info, "redis_mode").equals("sentinel")) {
            throw errors.unfit("it is a sentinel; use redis-sentinel:// and end with # and the master's name");
        }
        if (run.isEmpty()) {
            throw errors.unfit("it does not report its run_id (INFO server)");
        }
        boolean inCluster = ServerInfo.field(info, "cluster_enabled").equals("1");
        if (inCluster != (deployment.kind() == RedisDeployment.Kind.CLUSTER)) {
            throw errors.unfit(
                    inCluster
                            ? "it is a node of a Redis Cluster; use RedisBackend.connectCluster or redis-cluster://"
                            : "it is not a node of a Redis Cluster; use RedisBackend.connect with redis://");
        }
        if (ServerInfo.isReplica(info)) {
            throw errors.replica(ServerInfo.field(info, "master_host") + ":" + ServerInfo.field(info, "master_port"));
        }
        List<String> warnings = ServerInfo.warnings(info, finder.mayMove());
        Supplier<CompletionStage<?>> confirmation = () -> finder.confirm(server, errors);
        boolean sharded = inCluster && ServerInfo.isAtLeast(version, SHARDED_SINCE, 0);
        return new ServerConnection(
                connection.lettuce,
                connection.login,
                server.hostAndPort(),
                run,
                sharded,
                redirector,
                keySpace,
                errors,
                warnings,
                finder.mayBeReplaced() ? confirmation : null,
                loop,
                this.lettuce.direct().to(server, AsyncClient.peer(connection.lettuce), run));
    }
}
