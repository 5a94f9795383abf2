package io.boltwork.examples;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The stock, in Redis, as any application would keep it: a number that is read, and written back a little later. Beside it
 * a log with the fencing token of each turn. Both expire by themselves. Thread-safe, as far as a number can be that is read
 * and written in two steps.
 */
final class Warehouse implements AutoCloseable {
    private static final Duration KEPT = Duration.ofHours(2);
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

    /** Gets the item ready for a sale; the log begins with a 0, below any token. */
    void open(String item, int stock) {
        clear(item);
        writeStock(item, stock);
        redis.rpush(log(item), "0");
        redis.expire(log(item), KEPT);
    }

    int readStock(String item) {
        String value = redis.get(stock(item));
        return value == null ? 0 : Integer.parseInt(value);
    }

    void writeStock(String item, int left) {
        redis.set(stock(item), Integer.toString(left), SetArgs.Builder.ex(KEPT));
    }

    void logTurn(String item, long token) {
        redis.rpush(log(item), Long.toString(token));
    }

    /** The tokens of all turns, in the order of the turns. */
    List<Long> turns(String item) {
        return redis.lrange(log(item), 1, -1).stream().map(Long::valueOf).toList();
    }

    void clear(String item) {
        redis.del(stock(item), log(item));
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

    private static String log(String item) {
        return item + ":turns";
    }
}
