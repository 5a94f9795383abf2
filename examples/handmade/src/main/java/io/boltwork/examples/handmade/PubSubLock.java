// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Waits for a message of the release in place of polling. */
final class PubSubLock {
    private static final String RELEASE = """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            redis.call('DEL', KEYS[1])
            return redis.call('PUBLISH', KEYS[1] .. ':released', '')
            """;

    private final RedisCommands<String, String> redis;
    private final String key;
    private final BlockingQueue<String> released = new LinkedBlockingQueue<>();

    /** Subscribes first, so that no release is missed between an attempt and the wait. */
    PubSubLock(
            RedisCommands<String, String> redis, StatefulRedisPubSubConnection<String, String> messages, String key) {
        this.redis = redis;
        this.key = key;
        messages.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                released.add(message);
            }
        });
        messages.sync().subscribe(key + ":released");
    }

    void lock(String owner, Duration lease) throws InterruptedException {
        while (!"OK".equals(redis.set(key, owner, SetArgs.Builder.nx().px(lease)))) {
            released.take(); // a message for each release, if it arrives
        }
    }

    /** Returns the number of clients that have got the message. */
    long unlock(String owner) {
        return redis.eval(RELEASE, ScriptOutputType.INTEGER, new String[] {key}, owner);
    }
}
