// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.Login;
import io.boltwork.redis.wire.GrantMessage;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.ServerInfo;
import io.boltwork.redis.wire.Slots;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one run of one server.
 *
 * <p>Lettuce does not reconnect it, so the connection is a single socket. When it breaks, all calls under way on it
 * fail, and nothing more is sent on it. Its successor is a new object with its own run id. This binds each reply and
 * message to the server run that it came from, without any bookkeeping per command.
 */
public final class ServerConnection {
    private static final Runnable NOBODY = () -> {};

    private final StatefulRedisConnection<byte[], byte[]> lettuce;
    private final Login login;
    private final String where;
    private final String run;
    private final boolean sharded;
    private final Redirector redirector;
    private final String origin;

    private final KeySpace keySpace;
    private final Errors errors;
    private final Executor loop;
    private final CallPipeline pipeline;
    private final DirectConnections direct;
    private final List<String> warnings;
    private final @Nullable StaleMasterGuard guard;
    private volatile Runnable demoted = NOBODY;

    /** True if answers could be mistaken for those of other commands. */
    private volatile boolean condemned;

    private volatile Consumer<Throwable> replaced = why -> {};
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();

    /**
     * Wraps a connection of Lettuce.
     *
     * @param confirmation asks whether the server is still the master, and fails if not; {@code null} if no other
     *     server can take its place
     */
    public ServerConnection(
            StatefulRedisConnection<byte[], byte[]> lettuce,
            Login login,
            String where,
            String run,
            boolean sharded,
            Redirector redirector,
            KeySpace keySpace,
            Errors errors,
            List<String> warnings,
            @Nullable Supplier<CompletionStage<?>> confirmation,
            Executor loop,
            DirectConnections direct) {
        this.direct = direct;
        this.lettuce = lettuce;
        this.login = login;
        this.where = where;
        this.run = run;
        this.sharded = sharded;
        this.redirector = redirector;
        this.origin = GrantMessage.origin(run);
        this.keySpace = keySpace;
        this.errors = errors;
        this.loop = loop;
        this.pipeline = new CallPipeline(this, call -> lettuce.dispatch(call), loop, redirector == Redirector.NONE);
        this.warnings = List.copyOf(warnings);
        this.guard = confirmation == null
                ? null
                : new StaleMasterGuard(confirmation, why -> replaced.accept(why), System::nanoTime);
    }

    /** Returns host and port of the server. */
    public String where() {
        return where;
    }

    /** Returns warnings about settings of this server that make guarantees weaker than a user may expect. */
    public List<String> warnings() {
        return warnings;
    }

    /** Returns the id of the run of the server. */
    public String run() {
        return run;
    }

    /** Returns whether grants arrive on one channel per slot, instead of one channel for all locks. */
    public boolean isSharded() {
        return sharded;
    }

    /**
     * Returns the origin that scripts put into messages: enough of the run id to tell servers apart, and the hash tag
     * of the slot if channels are sharded.
     */
    public String origin(int slot) {
        return sharded ? origin + ':' + Slots.tag(slot) : origin;
    }

    Redirector redirector() {
        return redirector;
    }

    public KeySpace keySpace() {
        return keySpace;
    }

    public Errors errors() {
        return errors;
    }

    public RedisAsyncCommands<byte[], byte[]> lettuce() {
        return lettuce.async();
    }

    /** Sends a call. If the connection is broken, the call fails at once. */
    public void send(Call call) {
        pipeline.send(call);
    }

    /**
     * Offers a call to its caller if that is quicker than sending it: while hardly any other call is under way, and
     * there is a connection for the caller.
     */
    public @Nullable CallerRun offer(Supplier<ScriptCall<?>> call) {
        return direct.mayServe(pipeline.underWay()) && !condemned && !keySpace.hasBridge()
                ? direct.offer(call.get())
                : null;
    }

    /** Runs an action, and sends the calls that it sends on this thread as groups. */
    public void together(Runnable sends) {
        pipeline.together(sends);
    }

    /**
     * Sends a call to a node that is about to get the slot of its key. For connections on which only the loop thread
     * sends, because no other command may come between ASKING and the call.
     */
    void sendAsking(Call call) {
        loop.execute(() -> {
            lettuce.async().asking();
            call.dispatch(lettuce::dispatch);
        });
    }

    /** Listens on a sharded channel. For connections that were made to listen. */
    public CompletionStage<?> ssubscribe(String channel, boolean asking) {
        if (asking) {
            lettuce.async().asking();
        }
        return pubSub().ssubscribe(channel.getBytes(StandardCharsets.UTF_8));
    }

    /** Listens on channels. For connections that were made to listen. */
    public CompletionStage<?> subscribe(String... channels) {
        return pubSub().subscribe(bytes(channels));
    }

    /** Stops listening on channels. */
    public void unsubscribe(String... channels) {
        pubSub().unsubscribe(bytes(channels));
    }

    private static byte[][] bytes(String... channels) {
        return Stream.of(channels)
                .map(channel -> channel.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
    }

    /** Stops listening on a sharded channel. */
    public void sunsubscribe(String channel) {
        pubSub().sunsubscribe(channel.getBytes(StandardCharsets.UTF_8));
    }

    private RedisPubSubAsyncCommands<byte[], byte[]> pubSub() {
        return ((StatefulRedisPubSubConnection<byte[], byte[]>) lettuce).async();
    }

    /** Reads the server's clock. */
    public CompletionStage<ServerTime> time() {
        return lettuce.async().time().thenApply(time -> new ServerTime(millis(time), run));
    }

    /** Pings the server. */
    public CompletionStage<String> ping() {
        return lettuce.async().ping().whenComplete((pong, failure) -> heard(StaleMasterGuard.SIGN));
    }

    /** Asks the server whether it has become a replica. This also serves as a ping. */
    public CompletionStage<Boolean> isReplica() {
        return lettuce.async()
                .info("replication")
                .whenComplete((info, failure) -> heard(StaleMasterGuard.SIGN))
                .thenApply(ServerInfo::isReplica);
    }

    /** Uses an answer or message: at once, after the server has been confirmed as the master, or never. */
    public void heard(StaleMasterGuard.Kept what) {
        if (guard == null) {
            what.use();
        } else {
            guard.heard(what);
        }
    }

    /**
     * Closes the connection and ignores all answers, because they may no longer match their commands after an error.
     */
    void condemn(Throwable why) {
        condemned = true; // first, because it needs neither stack nor memory
        try {
            replaced.accept(why);
            close();
        } catch (Throwable e) {
            // the owner of the connection finds it condemned and gives it up
        }
    }

    public boolean isCondemned() {
        return condemned;
    }

    /**
     * Returns the number of consecutive checks during which calls were under way and none of them ended. The loop
     * thread calls this once a second.
     */
    public int stands() {
        direct.closeUnused();
        return pipeline.stands();
    }

    /** Returns the reply to a command that the server answered with an error. */
    Reply.Failed refused(String error, String about) {
        if (Errors.isAboutReplica(error)) {
            demoted.run();
        }
        return errors.refused(error, about, login.mayExplain(error));
    }

    /** Sets the callback for a command that is refused because the server is a replica. May be called often. */
    public void onDemoted(Runnable callback) {
        demoted = callback;
    }

    /**
     * Sets the callback for a server that was silent and is not confirmed as the master, or for a condemned connection.
     * May be called twice.
     */
    public void onReplaced(Consumer<Throwable> callback) {
        replaced = callback;
    }

    /**
     * Sets the callback for the loss of the connection. It is called at once if the connection is already broken, and
     * may be called twice.
     */
    public void onLost(Runnable callback) {
        lettuce.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
                callback.run();
            }
        });
        if (!lettuce.isOpen()) {
            callback.run();
        }
    }

    /** Closes the connection without waiting. Calls under way fail. Idempotent. */
    public CompletableFuture<@Nullable Void> close() {
        if (closing.compareAndSet(false, true)) {
            direct.close();
            if (guard != null) {
                guard.end(new IllegalStateException("The connection was closed"));
            }
            lettuce.closeAsync().whenComplete((ignored, failure) -> closed.complete(null));
        }
        return closed;
    }

    /** Returns the milliseconds since the epoch in a reply to TIME. */
    private static long millis(List<byte[]> time) {
        return number(time.get(0)) * 1_000 + number(time.get(1)) / 1_000;
    }

    private static long number(byte[] digits) {
        return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
    }
}
