package io.boltwork.redis.call;

import io.boltwork.redis.address.Errors;
import io.boltwork.redis.wire.GrantMessage;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.ServerInfo;
import io.boltwork.redis.wire.Slots;
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
import org.jspecify.annotations.Nullable;

/**
 * One connection to one run of one server, and its end.
 *
 * <p>Lettuce's own reconnecting is off, so this is one socket: when it breaks, everything under way on it fails, nothing is
 * ever sent again, and what takes its place is a new object with a run id of its own. That binds each reply and each message
 * to the server run that it came from, without any bookkeeping per command.
 */
public final class ServerConnection {
    private static final Runnable NOBODY = () -> {};

    private final StatefulRedisConnection<byte[], byte[]> lettuce;
    private final String where;
    private final String run;
    private final boolean sharded;
    private final Redirector redirector;
    private final String origin;

    private final KeySpace keySpace;
    private final Errors errors;
    private final Executor loop;
    private final CallPipeline pipeline;
    private final List<String> warnings;
    private final @Nullable StaleMasterGuard guard;
    private volatile Runnable demoted = NOBODY;

    /** Whether answers may be mistaken for those of other commands. */
    private volatile boolean condemned;

    private volatile Consumer<Throwable> replaced = why -> {};
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();

    /**
     * A connection that has been made.
     *
     * @param confirmation asks whether the server is the master still, and fails if not; {@code null} if no other server can take
     *     its place
     */
    public ServerConnection(
            StatefulRedisConnection<byte[], byte[]> lettuce,
            String where,
            String run,
            boolean sharded,
            Redirector redirector,
            KeySpace keySpace,
            Errors errors,
            List<String> warnings,
            @Nullable Supplier<CompletionStage<?>> confirmation,
            Executor loop) {
        this.lettuce = lettuce;
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

    /** Host and port of the server. */
    public String where() {
        return where;
    }

    /** What about the server makes promises weaker than they may seem. */
    public List<String> warnings() {
        return warnings;
    }

    /** Which run of which server this leads to. */
    public String run() {
        return run;
    }

    /** Whether grants come on channels of their slots, and not on one for all. */
    public boolean isSharded() {
        return sharded;
    }

    /**
     * What scripts there are told for their messages: which run of the server they come from, enough of it to tell servers
     * apart, and the hash tag of the slot if that has channels of its own.
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

    /** Sends a call; it is told the outcome, here and now if the connection is broken. */
    public void send(Call call) {
        pipeline.send(call);
    }

    /**
     * Sends a call to a node that is to get the slot of its key, and has not got it yet. Only on a connection on which nobody but
     * the clerk sends: nothing may come between.
     */
    void sendAsking(Call call) {
        loop.execute(() -> {
            lettuce.async().asking();
            call.dispatch(lettuce::dispatch);
        });
    }

    /** Listens on a sharded channel; on a connection that was made to listen. */
    public CompletionStage<?> ssubscribe(String channel, boolean asking) {
        if (asking) {
            lettuce.async().asking();
        }
        return pubSub().ssubscribe(channel.getBytes(StandardCharsets.UTF_8));
    }

    /** Does not listen on a sharded channel any more. */
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

    /** Asks for a sign of life. */
    public CompletionStage<String> ping() {
        return lettuce.async().ping().whenComplete((pong, failure) -> heard(StaleMasterGuard.SIGN));
    }

    /** Asks for a sign of life, and whether the server has become a replica. */
    public CompletionStage<Boolean> isReplica() {
        return lettuce.async()
                .info("replication")
                .whenComplete((info, failure) -> heard(StaleMasterGuard.SIGN))
                .thenApply(ServerInfo::isReplica);
    }

    /** Something came: it counts at once, or when it is certain that the server is the master still, or not at all. */
    public void heard(StaleMasterGuard.Kept what) {
        if (guard == null) {
            what.use();
        } else {
            guard.heard(what);
        }
    }

    /** An error has come between commands and answers, so no answer counts any more. Closes the connection. */
    void condemn(Throwable why) {
        condemned = true; // first: it needs neither stack nor memory
        try {
            replaced.accept(why);
            close();
        } catch (Throwable e) {
            // whoever keeps the connection finds it condemned, and gives it up
        }
    }

    public boolean isCondemned() {
        return condemned;
    }

    /** For how many looks in a row calls have been under way and none of them was over. By the clerk, once a second. */
    public int stands() {
        return pipeline.stands();
    }

    /** What it means that the server answered a command with an error. */
    Reply.Failed refused(String error, String about) {
        if (Errors.isAboutReplica(error)) {
            demoted.run();
        }
        return errors.refused(error, about);
    }

    /** Calls back when a command is refused because the server is a replica; perhaps often. */
    public void onDemoted(Runnable callback) {
        demoted = callback;
    }

    /** Calls back when the server was silent, and those who know do not say that it is the master still; perhaps twice. */
    public void onReplaced(Consumer<Throwable> callback) {
        replaced = callback;
    }

    /** Calls back when the connection breaks, at once if it has; perhaps twice. */
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

    /** Closes the connection without waiting; calls under way fail. Idempotent. */
    public CompletableFuture<@Nullable Void> close() {
        if (closing.compareAndSet(false, true)) {
            if (guard != null) {
                guard.end(new IllegalStateException("The connection was closed"));
            }
            lettuce.closeAsync().whenComplete((ignored, failure) -> closed.complete(null));
        }
        return closed;
    }

    /** Milliseconds since the epoch, of a reply to TIME. */
    private static long millis(List<byte[]> time) {
        return number(time.get(0)) * 1_000 + number(time.get(1)) / 1_000;
    }

    private static long number(byte[] digits) {
        return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
    }
}
