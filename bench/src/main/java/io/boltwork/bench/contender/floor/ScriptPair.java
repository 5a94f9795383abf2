// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.floor;

import io.boltwork.bench.contender.BenchLock;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.Setting;
import io.boltwork.redis.call.Script;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Floors: Boltwork's own two scripts, sent with Lettuce alone, for locks without contention. */
public final class ScriptPair implements Contender {
    private static final String GRANTED = "1";
    /** The lifetime of an unused lock's key, in milliseconds. */
    private static final String LIFE = "600000";

    private static final String FAR_AWAY = "9999999999999";

    private record Digests(String acquire, String release) {}

    /** A way to send commands and to wait for their answers. */
    interface Calls {
        String load(String script);

        List<Object> call(String digest, String[] key, String... arguments);
    }

    /** The source of the calls. */
    interface Source extends AutoCloseable {
        /** Returns the calls for the current thread to the master of a key's slot. */
        Calls of(String key);

        @Override
        void close();
    }

    private final Source source;
    private final Map<Calls, Digests> loaded = new ConcurrentHashMap<>();
    private final String lease;
    private final AtomicLong requests = new AtomicLong();

    private ScriptPair(Setting setting, Source source) {
        this.source = source;
        lease = Long.toString(setting.lease().toMillis());
    }

    /** The caller sleeps until a thread of Lettuce has the answer. */
    public static ScriptPair parked(Setting setting) {
        Masters masters = new Masters(setting);
        Map<StatefulRedisConnection<String, String>, Calls> calls = new ConcurrentHashMap<>();
        return new ScriptPair(setting, new Source() {
            @Override
            public Calls of(String key) {
                return calls.computeIfAbsent(masters.of(key), connection -> new Parked(connection.sync()));
            }

            @Override
            public void close() {
                masters.close();
            }
        });
    }

    /** The caller runs the event loop of its connection until it has the answer. */
    public static ScriptPair led(Setting setting) {
        return new ScriptPair(setting, new LedConnections(setting));
    }

    /** The usual way. */
    private record Parked(RedisCommands<String, String> redis) implements Calls {
        @Override
        public String load(String script) {
            return redis.scriptLoad(script);
        }

        @Override
        public List<Object> call(String digest, String[] key, String... arguments) {
            return redis.evalsha(digest, ScriptOutputType.MULTI, key, arguments);
        }
    }

    @Override
    public BenchLock lock(String name) {
        return new Pair("boltwork:{" + name + "}");
    }

    @Override
    public void close() {
        source.close();
    }

    private static Digests load(Calls calls) {
        return new Digests(calls.load(text(Script.ACQUIRE)), calls.load(text(Script.RELEASE)));
    }

    private static String text(Script script) {
        return new String(script.text(), StandardCharsets.UTF_8);
    }

    private final class Pair implements BenchLock {
        private final Calls calls;
        private final Digests digests;
        private final String[] key;
        private final String request = "00000000-0000-0000-0000-000000000000:" + requests.incrementAndGet();
        private String token = "0";

        Pair(String name) {
            key = new String[] {name};
            calls = source.of(name);
            digests = loaded.computeIfAbsent(calls, ScriptPair::load);
        }

        @Override
        public void lock() {
            List<Object> answer = calls.call(digests.acquire, key, request, lease, "0", "1", FAR_AWAY, "", LIFE);
            if (!answer.get(1).toString().equals(GRANTED)) {
                throw new IllegalStateException("The script pair needs a lock per thread; the reply was: " + answer);
            }
            token = answer.get(3).toString();
        }

        @Override
        public boolean tryLock(Duration wait) {
            lock();
            return true;
        }

        @Override
        public void unlock() {
            calls.call(digests.release, key, request, token, token, "0", "", "0", "0", "0", "", "", LIFE);
        }
    }
}
