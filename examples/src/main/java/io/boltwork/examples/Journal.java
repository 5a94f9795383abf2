// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;

/** A resource that checks fencing tokens, here a list in Redis. Refuses late writers. Thread-safe. */
final class Journal implements AutoCloseable {
    private static final String KEY = "boltwork-example:journal";

    /** Tokens are below 2^53, so Lua's numbers represent them exactly. */
    private static final String APPEND = """
            local largest = tonumber(redis.call('GET', KEYS[1] .. ':token') or '0')
            if tonumber(ARGV[1]) < largest then
              return 0
            end
            redis.call('SET', KEYS[1] .. ':token', ARGV[1], 'EX', 3600)
            redis.call('RPUSH', KEYS[1], ARGV[1] .. ' ' .. ARGV[2])
            redis.call('EXPIRE', KEYS[1], 3600)
            return 1
            """;

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    Journal(String redisUri) {
        client = RedisClient.create(redisUri);
        connection = client.connect();
    }

    /** Writes an entry, unless a writer with a larger token has written before. */
    boolean append(long fencingToken, String entry) {
        Long written = connection
                .sync()
                .eval(APPEND, ScriptOutputType.INTEGER, new String[] {KEY}, Long.toString(fencingToken), entry);
        return written == 1;
    }

    /** Returns all entries: a token, a blank, and the text. */
    List<String> entries() {
        return connection.sync().lrange(KEY, 0, -1);
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }
}
