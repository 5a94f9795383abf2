// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The stock, in Redis, as any application would keep it: a number that is read, and written back a little later. Beside
 * it are a log with the fencing token of each turn, and the largest token so far. A buyer with a smaller token has lost
 * the lock without knowing it, and changes nothing. All keys expire. Thread-safe, as far as this is possible for a
 * number that is read and written in two steps.
 */
final class Warehouse implements AutoCloseable {
    private static final Duration KEPT = Duration.ofHours(2);

    /** The result if a turn with a larger token has begun. */
    static final int STALE = -1;

    private static final String BEGIN = """
            if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[3]) or '0') then
              return -1
            end
            redis.call('SET', KEYS[3], ARGV[1], 'EX', ARGV[2])
            redis.call('RPUSH', KEYS[2], ARGV[1])
            return tonumber(redis.call('GET', KEYS[1]) or '0')
            """;

    private static final String WRITE = """
            if tonumber(ARGV[1]) < tonumber(redis.call('GET', KEYS[2]) or '0') then
              return 0
            end
            redis.call('SET', KEYS[1], ARGV[3], 'EX', ARGV[2])
            return 1
            """;

    private static final Pattern VERSION = Pattern.compile("redis_version:(\\S+)");

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisCommands<String, String> redis;

    private Warehouse(RedisURI uri) {
        client = RedisClient.create(uri);
        try {
            connection = client.connect();
        } catch (RuntimeException e) {
            client.shutdown(Duration.ZERO, Duration.ZERO);
            throw e;
        }
        redis = connection.sync();
    }

    static Warehouse connect(RedisURI uri) {
        return new Warehouse(uri);
    }

    /** Prepares the item for a sale. The log begins with 0, which is below any token. */
    void open(String item, int stock) {
        clear(item);
        redis.set(stock(item), Integer.toString(stock), SetArgs.Builder.ex(KEPT));
        redis.rpush(log(item), "0");
        redis.expire(log(item), KEPT);
    }

    /** Begins a turn. Returns the remaining stock, or {@link #STALE} if a turn with a larger token has begun. */
    int readStock(String item, long token) {
        String[] keys = {stock(item), log(item), token(item)};
        Long left = redis.eval(BEGIN, ScriptOutputType.INTEGER, keys, Long.toString(token), seconds());
        return Math.toIntExact(left);
    }

    /** Ends a turn. Returns {@code false}, and writes nothing, if a turn with a larger token has begun. */
    boolean writeStock(String item, int left, long token) {
        String[] keys = {stock(item), token(item)};
        Long written = redis.eval(
                WRITE, ScriptOutputType.INTEGER, keys, Long.toString(token), seconds(), Integer.toString(left));
        return written == 1;
    }

    private static String seconds() {
        return Long.toString(KEPT.toSeconds());
    }

    /** Returns the tokens of all turns, in the order of the turns. */
    List<Long> turns(String item) {
        return redis.lrange(log(item), 1, -1).stream().map(Long::valueOf).toList();
    }

    void clear(String item) {
        redis.del(stock(item), log(item), token(item));
    }

    String serverVersion() {
        Matcher version = VERSION.matcher(redis.info("server"));
        return version.find() ? version.group(1) : "of unknown version";
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    private static String stock(String item) {
        return item + ":stock";
    }

    private static String token(String item) {
        return item + ":token";
    }

    private static String log(String item) {
        return item + ":turns";
    }
}
