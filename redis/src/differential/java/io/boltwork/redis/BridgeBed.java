// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.redis.call.GroupCall;
import io.boltwork.redis.call.ScriptCall;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A Redis whose clock stands still, with a lock that is shared with Redisson, for one run after the other. Clients are
 * names in requests only: two of them listen for grants, and a client may listen on Redisson's channel.
 */
final class BridgeBed implements AutoCloseable {
    static final String LOCK = "shared 1";

    /** A lock that is not shared. */
    static final String OTHER = "other";

    static final String COUNTER = "redisson_lock_token:{" + LOCK + "}";
    static final String FAIR_QUEUE = "redisson_lock_queue:{" + LOCK + "}";
    static final String CHANNEL = "redisson_lock__channel:{" + LOCK + "}";

    private static final KeySpace KEYS = new KeySpace("boltwork");
    static final String KEY = KEYS.key(LOCK);
    private static final List<String> LISTENERS = List.of("a", "b");
    private static final String BARRIER = "barrier";

    /** Reads all keys at once, and publishes a barrier. */
    private static final String LOOK = """
        redis.call('PUBLISH', 'barrier', 'barrier')
        local hash = redis.pcall('HGETALL', KEYS[2])
        return {redis.call('HGETALL', KEYS[1]), redis.call('PTTL', KEYS[1]), not hash.err and hash,
          redis.call('PTTL', KEYS[2]), redis.call('GET', KEYS[3]), redis.call('PTTL', KEYS[3]),
          redis.call('EXISTS', KEYS[4])}
        """;

    /** A command that changes nothing. */
    private static final Command.Acquire STALE = new Command.Acquire(OTHER, "none:1", true, 1_000, 0, 0);

    private final SteppedRedis redis;
    private final Duration patience;
    private final LockBackend bridged;
    private final LockBackend plain;
    private final RedisAsyncCommands<byte[], byte[]> raw;
    private final String look;
    private final byte[][] keys =
            Stream.of(KEY, LOCK, COUNTER, FAIR_QUEUE).map(BridgeBed::bytes).toArray(byte[][]::new);
    private final RedisClient ears;
    private final StatefulRedisPubSubConnection<String, String> listening;
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    /** Connects to a server; {@code patience} is how long it waits for an answer or a message. */
    BridgeBed(SteppedRedis redis, Duration patience) throws Exception {
        this.redis = redis;
        this.patience = patience;
        String uri = redis.uri() + "?timeout=30s";
        bridged = RedisBackend.connect(
                uri, RedisOptions.defaults().withBridge(Bridge.redisson().withNames("shared*")));
        plain = RedisBackend.connect(uri);
        raw = DifferentialBed.connection(bridged).lettuce();
        LuaMutant.bridgedScripts().forEach(script -> raw.scriptLoad(script.text()));
        look = await(raw.scriptLoad(bytes(LOOK)));
        ears = RedisClient.create(redis.uri());
        listening = ears.connectPubSub();
        listening.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String body) {
                told.add(textOf(channel, body));
            }
        });
        listening.sync().subscribe(BARRIER);
        for (String client : LISTENERS) {
            listening.sync().subscribe(KEYS.channel(client), KEYS.told(client));
        }
        listening.sync().subscribe(KEYS.told("dead"), KEYS.told("p"), KEYS.told("-"), KEYS.told(""));
    }

    private static String textOf(String channel, String body) {
        String[] words = body.split(" ");
        if (channel.startsWith("boltwork:grants:")) {
            return "grant " + words[4];
        }
        return channel.startsWith("boltwork:told:") ? "taken " + words[3] : body;
    }

    SteppedRedis clock() {
        return redis;
    }

    RedisAsyncCommands<byte[], byte[]> raw() {
        return raw;
    }

    /** Empties the server, and forgets the messages that a failed run has left. */
    void flush() throws Exception {
        await(raw.flushall());
        told.clear();
    }

    /** Sets whether a client listens on Redisson's channel. */
    void listen(boolean isHeard) {
        if (isHeard) {
            listening.sync().subscribe(CHANNEL);
        } else {
            listening.sync().unsubscribe(CHANNEL);
        }
    }

    /** Starts a command of a client with the bridge. */
    CompletableFuture<Reply> start(Command<?> command) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        ServerConnection connection = DifferentialBed.connection(bridged);
        connection.send(ScriptCall.of(connection, command, reply::complete));
        return reply;
    }

    /** Executes a command of a client without the bridge, alone or together with others. */
    Reply executePlain(Command<?> command, boolean inGroup) throws Exception {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        ServerConnection connection = DifferentialBed.connection(plain);
        ScriptCall<?> call = ScriptCall.of(connection, command, reply::complete);
        if (inGroup && !call.inGroup().isEmpty()) {
            ScriptCall<?> stale = ScriptCall.acquire(connection, STALE, ignored -> {});
            connection.send(new GroupCall(connection, List.of(stale, call, stale)));
        } else {
            connection.send(call);
        }
        return await(reply);
    }

    /** Reads the keys, after all commands that were started before. Their messages can be fetched afterwards. */
    BridgeState look(long now) throws Exception {
        List<Object> found = await(raw.evalsha(look, ScriptOutputType.MULTI, keys));
        return new BridgeState(
                textOf((List<?>) found.get(0)),
                end(found.get(1), now),
                found.get(2) == null ? null : textOf((List<?>) found.get(2)),
                end(found.get(3), now),
                found.get(4) == null ? null : text(found.get(4)),
                end(found.get(5), now),
                (Long) found.get(6) == 1);
    }

    /** Returns the end of the lease of the lock that is not shared. */
    long endOfOther() throws Exception {
        byte[] end = await(raw.hget(bytes(KEYS.key(OTHER)), bytes("until")));
        return end == null ? 0 : Long.parseLong(new String(end, StandardCharsets.UTF_8));
    }

    private static long end(Object left, long now) {
        long millis = (Long) left;
        return millis < 0 ? millis : now + millis;
    }

    private static Map<String, String> textOf(List<?> flat) {
        Map<String, String> fields = new TreeMap<>();
        for (int i = 0; i < flat.size(); i += 2) {
            fields.put(text(flat.get(i)), text(flat.get(i + 1)));
        }
        return fields;
    }

    private static String text(Object bytes) {
        return new String((byte[]) bytes, StandardCharsets.UTF_8);
    }

    /** Returns the messages that were sent before the last look. */
    List<String> messages() throws Exception {
        List<String> messages = new ArrayList<>();
        while (true) {
            String next = told.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (next == null) {
                throw new AssertionError("No barrier after " + messages);
            } else if (next.equals(BARRIER)) {
                return messages;
            }
            messages.add(next);
        }
    }

    <T> T await(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        ears.shutdown(Duration.ZERO, Slack.seconds(2));
        Stream.of(bridged, plain).forEach(LockBackend::close);
    }
}
