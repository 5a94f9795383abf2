// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.LockKind;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A Redis whose clock stands still, with clients that listen to it, for one run after the other. */
final class ShareDifferentialBed implements AutoCloseable {
    private static final KeySpace KEYS = new KeySpace("boltwork");
    private static final String BARRIER = "barrier";
    private static final String EXPIRE = """
        if redis.call('EXISTS', KEYS[1]) == 1 then
          redis.call('HSET', KEYS[1], 'x', ARGV[1])
          redis.call('PEXPIREAT', KEYS[1], ARGV[1])
        end
        return 0
        """;

    private final SteppedRedis redis;
    private final Duration patience;
    private final Map<String, Recorder> ears = new LinkedHashMap<>();
    private final List<LockBackend> backends = new ArrayList<>();
    private final RedisAsyncCommands<byte[], byte[]> raw;
    private final String origin;
    private long barriers;
    private int started;

    /** Hears the messages of one client. */
    final class Recorder implements BackendListener {
        final BlockingQueue<Object> heard = new LinkedBlockingQueue<>();

        /** Returns the next message, or {@code null} if there is none. */
        Object next() throws InterruptedException {
            return heard.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public void granted(Grant grant) {
            heard.add(Timeless.of(grant));
        }

        @Override
        public void told(HolderMessage message) {
            heard.add(ShareDifferentialRun.timeless(message));
        }

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}
    }

    /** Connects to a server; {@code patience} is how long it waits for an answer or a message. */
    ShareDifferentialBed(SteppedRedis redis, Duration patience) {
        this.redis = redis;
        this.patience = patience;
        for (String client : ShareDifferentialCommands.LISTENERS) {
            Recorder ear = new Recorder();
            LockBackend backend = RedisBackend.connect(redis.uri() + "?timeout=30s");
            backends.add(backend);
            backend.open(client, ear);
            ears.put(client, ear);
        }
        raw = DifferentialBed.connection(backends.get(0)).lettuce();
        origin = DifferentialBed.connection(backends.get(0)).origin(0);
    }

    SteppedRedis clock() {
        return redis;
    }

    Map<String, Recorder> ears() {
        return ears;
    }

    /** Sends commands alternately alone and in a group. */
    Reply send(Command<?> command) throws Exception {
        return await(DifferentialBed.start(backends.get(0), command, ++started % 2 == 1));
    }

    /** Loads a script into the server. */
    void load(byte[] script) throws Exception {
        await(raw.scriptLoad(script));
    }

    /** Empties the server. */
    void flush() throws Exception {
        raw.flushall();
        for (LockKind kind : List.of(LockKind.SEMAPHORE, LockKind.READ_WRITE)) {
            await(raw.set(bytes(KEYS.key(kind, ShareDifferentialRun.BROKEN)), bytes("no lock")));
        }
        awaitMessages();
        ears.values().forEach(ear -> ear.heard.clear());
    }

    void delete(LockKind kind, String lock) throws Exception {
        await(raw.del(bytes(KEYS.key(kind, lock))));
    }

    /** Sets whether the server has no memory left. */
    void full(boolean full) throws Exception {
        await(raw.configSet("maxmemory", full ? "1" : "0"));
    }

    /** Returns the hash of a lock. */
    Map<String, String> fields(LockKind kind, String lock) throws Exception {
        Map<String, String> fields = new HashMap<>();
        await(raw.hgetall(bytes(KEYS.key(kind, lock)))).forEach((name, value) -> fields.put(text(name), text(value)));
        return fields;
    }

    /** Sets when the hash of a lock expires, if it exists, in milliseconds of the server's clock. */
    void expire(LockKind kind, String lock, long expiresAt) throws Exception {
        await(raw.eval(
                EXPIRE,
                ScriptOutputType.INTEGER,
                new byte[][] {bytes(KEYS.key(kind, lock))},
                bytes(Long.toString(expiresAt))));
    }

    /** Returns how long the key of a lock still lives, in milliseconds. */
    long timeToLive(LockKind kind, String lock) throws Exception {
        return await(raw.pttl(bytes(KEYS.key(kind, lock))));
    }

    /** Waits until all messages so far have arrived. */
    void awaitMessages() throws Exception {
        long barrier = ++barriers;
        for (Map.Entry<String, Recorder> each : ears.entrySet()) {
            String client = each.getKey();
            raw.publish(
                    bytes(KEYS.channel(client)),
                    bytes(origin + " " + barrier + " 0 1 " + client + ":0 " + KEYS.key(BARRIER)));
            List<Object> before = new ArrayList<>();
            Object next = each.getValue().next();
            while (!(next instanceof Grant grant && grant.lock().equals(BARRIER) && grant.token() == barrier)) {
                if (next == null) {
                    throw new AssertionError("A message to " + client + " was lost");
                }
                before.add(next);
                next = each.getValue().next();
            }
            each.getValue().heard.addAll(before);
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
        backends.forEach(LockBackend::close);
    }
}
