package io.boltwork.bench;

import io.boltwork.redis.PairScripts;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Floor: Boltwork's own two scripts sent with Lettuce alone, for locks that nobody contends for. */
final class ScriptPair implements Contender {
    private static final String GRANTED = "1";
    private static final String FAR_AWAY = "9999999999999";

    private final RedisClient lettuce;
    private final StatefulRedisConnection<String, String> connection;
    private final String acquire;
    private final String release;
    private final String lease;
    private final AtomicLong requests = new AtomicLong();

    ScriptPair(Setting setting) {
        lettuce = RedisClient.create(setting.uri());
        connection = lettuce.connect();
        acquire = connection.sync().scriptLoad(PairScripts.acquire());
        release = connection.sync().scriptLoad(PairScripts.release());
        lease = Long.toString(setting.lease().toMillis());
    }

    @Override
    public BenchLock lock(String name) {
        return new Pair(name);
    }

    @Override
    public void close() {
        lettuce.shutdown();
    }

    private final class Pair implements BenchLock {
        private final RedisCommands<String, String> redis = connection.sync();
        private final String[] key;
        private final String request = "00000000-0000-0000-0000-000000000000:" + requests.incrementAndGet();
        private String token = "0";

        Pair(String name) {
            key = new String[] {"boltwork:{" + name + "}"};
        }

        @Override
        public void lock() {
            List<Object> answer =
                    redis.evalsha(acquire, ScriptOutputType.MULTI, key, request, lease, "0", "1", FAR_AWAY);
            if (!answer.get(1).toString().equals(GRANTED)) {
                throw new IllegalStateException("The script pair is for locks of one thread each; answered: " + answer);
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
            redis.evalsha(release, ScriptOutputType.MULTI, key, request, token, token, "0", "", "0", "0", "0");
        }
    }
}
