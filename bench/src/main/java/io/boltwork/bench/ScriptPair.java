// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench;

import io.boltwork.redis.PairScripts;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Floor: Boltwork's own two scripts, sent with Lettuce alone, for locks without contention. */
final class ScriptPair implements Contender {
    private static final String GRANTED = "1";
    /** The lifetime of an unused lock's key, in milliseconds. */
    private static final String LIFE = "600000";

    private static final String FAR_AWAY = "9999999999999";

    private record Digests(String acquire, String release) {}

    private final Masters masters;
    private final Map<StatefulRedisConnection<String, String>, Digests> loaded = new ConcurrentHashMap<>();
    private final String lease;
    private final AtomicLong requests = new AtomicLong();

    ScriptPair(Setting setting) {
        masters = new Masters(setting);
        lease = Long.toString(setting.lease().toMillis());
    }

    @Override
    public BenchLock lock(String name) {
        return new Pair("boltwork:{" + name + "}");
    }

    @Override
    public void close() {
        masters.close();
    }

    private static Digests load(StatefulRedisConnection<String, String> connection) {
        RedisCommands<String, String> redis = connection.sync();
        return new Digests(redis.scriptLoad(PairScripts.acquire()), redis.scriptLoad(PairScripts.release()));
    }

    private final class Pair implements BenchLock {
        private final RedisCommands<String, String> redis;
        private final Digests digests;
        private final String[] key;
        private final String request = "00000000-0000-0000-0000-000000000000:" + requests.incrementAndGet();
        private String token = "0";

        Pair(String name) {
            key = new String[] {name};
            StatefulRedisConnection<String, String> connection = masters.of(name);
            redis = connection.sync();
            digests = loaded.computeIfAbsent(connection, ScriptPair::load);
        }

        @Override
        public void lock() {
            List<Object> answer = redis.evalsha(
                    digests.acquire, ScriptOutputType.MULTI, key, request, lease, "0", "1", FAR_AWAY, "", LIFE);
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
            redis.evalsha(
                    digests.release,
                    ScriptOutputType.MULTI,
                    key,
                    request,
                    token,
                    token,
                    "0",
                    "",
                    "0",
                    "0",
                    "0",
                    "",
                    "",
                    LIFE);
        }
    }
}
