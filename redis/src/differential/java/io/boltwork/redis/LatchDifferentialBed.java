// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A Redis whose clock stands still, with clients that wait for a latch, for one run after the other. */
final class LatchDifferentialBed implements AutoCloseable {
    static final String LATCH = "a {latch}: 100 %";
    static final List<String> CLIENTS = List.of("client", "another", "client-2");

    private static final String KEY = "boltwork:latch:{a %7Blatch%7D: 100 %25}";

    private final SteppedRedis redis;
    private final Duration patience;
    private final Map<String, BlockingQueue<LatchOpened>> heard = new LinkedHashMap<>();
    private final List<LockBackend> backends = new ArrayList<>();
    private final RedisAsyncCommands<byte[], byte[]> raw;

    /** Hears the messages of one client. */
    private record Recorder(BlockingQueue<LatchOpened> heard) implements BackendListener {
        @Override
        public void granted(Grant grant) {}

        @Override
        public void opened(LatchOpened opened) {
            heard.add(timeless(opened));
        }

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}
    }

    /** Connects to a server; {@code patience} is how long it waits for an answer or a message. */
    LatchDifferentialBed(SteppedRedis redis, Duration patience) {
        this.redis = redis;
        this.patience = patience;
        for (String client : CLIENTS) {
            heard.put(client, new LinkedBlockingQueue<>());
            LockBackend backend = RedisBackend.connect(redis.uri() + "?timeout=30s");
            backends.add(backend);
            backend.open(client, new Recorder(heard.get(client)));
        }
        raw = DifferentialBed.connection(backends.get(0)).lettuce();
    }

    /** Returns a message without the server, which the rules do not know. */
    static LatchOpened timeless(LatchOpened opened) {
        return new LatchOpened(
                opened.latch(),
                opened.generation(),
                new ServerTime(opened.server().millis(), ""));
    }

    SteppedRedis clock() {
        return redis;
    }

    /** Sends a command over the connection of one of the clients. */
    Reply send(LatchCommand command, int client) throws Exception {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        backends.get(client).send(command, answer::complete);
        return await(answer);
    }

    /** Loads a script into the server. */
    void load(byte[] script) throws Exception {
        await(raw.scriptLoad(script));
    }

    /** Empties the server, and forgets the messages that a failed run has left. */
    void flush() throws Exception {
        await(raw.flushall());
        heard.values().forEach(BlockingQueue::clear);
    }

    /** Returns the next message to a client, or {@code null} if there is none. */
    LatchOpened next(String client) throws InterruptedException {
        return heard.get(client).poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Returns the messages to a client that have arrived. */
    List<LatchOpened> others(String client) {
        return List.copyOf(heard.get(client));
    }

    /** Returns the hash of the latch. */
    Map<String, String> fields() throws Exception {
        Map<String, String> fields = new TreeMap<>();
        await(raw.hgetall(bytes(KEY))).forEach((name, value) -> fields.put(text(name), text(value)));
        return fields;
    }

    /** Returns how long the key of the latch still lives, in milliseconds. */
    long timeToLive() throws Exception {
        return await(raw.pttl(bytes(KEY)));
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
        backends.forEach(LockBackend::close);
    }
}
