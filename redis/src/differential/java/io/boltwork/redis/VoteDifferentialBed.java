// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.redis.wire.FreedMessage;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.redis.wire.OwnerMessage;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.testkit.wait.Slack;
import io.lettuce.core.RedisClient;
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

/** A Redis whose clock stands still, with clients that ask for its vote, for one run after the other. */
final class VoteDifferentialBed implements AutoCloseable {
    static final String LOCK = "a {vote}: 100 %";
    static final Duration LIFE = IdleLife.SHORTEST;

    /** The clients that listen for grants. */
    static final List<String> LISTENERS = List.of("a", "b");

    private static final KeySpace KEYS = new KeySpace("boltwork");
    /** The time to live of a key that does not exist, and of one that does not expire. */
    private static final long NO_KEY = -2;

    private static final long FOR_EVER = -1;

    private static final String BARRIER = "barrier";

    /** The reply to a command, and what was found afterwards. */
    record Done(Reply reply, Reply lock, Map<String, String> fields, long ttl, long uptimeTtl, List<String> told) {}

    private record Told(String client, String body) {}

    private final SteppedRedis redis;
    private final Duration patience;
    private final List<LockBackend> backends = new ArrayList<>();
    private final RedisAsyncCommands<byte[], byte[]> raw;
    private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();
    private final RedisClient ears;
    private final String run;
    private long timeOfAnotherRun;

    private static final class Deaf implements BackendListener {
        @Override
        public void granted(Grant grant) {}

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}
    }

    /** Connects to a server; {@code patience} is how long it waits for an answer or a message. */
    VoteDifferentialBed(SteppedRedis redis, Duration patience) {
        this.redis = redis;
        this.patience = patience;
        for (String client : LISTENERS) {
            LockBackend backend = RedisBackend.connect(
                    redis.uri() + "?timeout=30s", RedisOptions.defaults().withIdleLife(LIFE));
            backends.add(backend);
            backend.open(client, listener());
        }
        raw = DifferentialBed.connection(backends.get(0)).lettuce();
        run = DifferentialBed.connection(backends.get(0)).run();
        Stream.concat(LuaMutant.scripts().stream(), LuaMutant.voteScripts().stream())
                .forEach(script -> raw.scriptLoad(script.text()));
        ears = RedisClient.create(redis.uri());
        StatefulRedisPubSubConnection<String, String> listening = ears.connectPubSub();
        listening.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String pattern, String channel, String body) {
                told.add(new Told(channel.substring(KEYS.told("").length()), body));
            }
        });
        listening.sync().psubscribe(KEYS.told("*"));
    }

    /** Returns a listener that ignores all messages. */
    static BackendListener listener() {
        return new Deaf();
    }

    SteppedRedis clock() {
        return redis;
    }

    /** Returns the run of the server. */
    String run() {
        return run;
    }

    /**
     * Empties the server, and forgets the messages that a failed run has left.
     *
     * @param remembers whether the server has a record of the uptime of another run
     */
    void flush(boolean remembers) throws Exception {
        await(raw.flushall());
        if (remembers) {
            await(raw.hset(
                    bytes(KEYS.uptimeKey()),
                    Map.of(bytes("run"), bytes("0123456789"), bytes("watched"), bytes("10000"))));
        }
        timeOfAnotherRun = remembers ? FOR_EVER : NO_KEY;
        told.clear();
    }

    /** Returns how long the record of the uptime lives until this run is witnessed. */
    long timeOfAnotherRun() {
        return timeOfAnotherRun;
    }

    /** Loads a script into the server. */
    void load(byte[] script) throws Exception {
        await(raw.scriptLoad(script));
    }

    /** Sends a command, and reads the lock and the messages afterwards. */
    Done execute(Command<?> command) throws Exception {
        CompletableFuture<Reply> reply = send(command); // the others follow at once, because the server has the scripts
        CompletableFuture<Reply> lock = send(new Query.Inspect(LOCK));
        CompletionStage<Map<byte[], byte[]>> hash = raw.hgetall(bytes(KEYS.key(LOCK)));
        CompletionStage<Long> ttl = raw.pttl(bytes(KEYS.key(LOCK)));
        CompletionStage<Long> uptimeTtl = raw.pttl(bytes(KEYS.uptimeKey()));
        raw.publish(bytes(KEYS.told(BARRIER)), bytes(""));
        Map<String, String> fields = new TreeMap<>();
        await(hash).forEach((name, value) -> fields.put(text(name), text(value)));
        return new Done(await(reply), await(lock), fields, await(ttl), await(uptimeTtl), messages());
    }

    private CompletableFuture<Reply> send(Command<?> command) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        backends.get(0).send(command, reply::complete);
        return reply;
    }

    /** Returns the messages that were sent before the barrier, each with its client. */
    private List<String> messages() throws InterruptedException {
        List<String> messages = new ArrayList<>();
        while (true) {
            Told next = told.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (next == null) {
                throw new AssertionError("No barrier after " + messages);
            } else if (next.client.equals(BARRIER)) {
                return messages;
            }
            byte[] body = bytes(next.body);
            Object message = FreedMessage.isOne(body)
                    ? FreedMessage.parse(body, run, KEYS)
                    : OwnerMessage.parse(body, run, KEYS);
            messages.add(next.client + ": " + message);
        }
    }

    private <T> T await(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        ears.shutdown(Duration.ZERO, Slack.seconds(2));
        backends.forEach(LockBackend::close);
    }
}
