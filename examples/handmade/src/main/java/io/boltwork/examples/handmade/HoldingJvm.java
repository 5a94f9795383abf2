// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.redis.RedisBackend;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A JVM that acquires a lock, prints a line, and then waits to be killed or frozen. Arguments: the kind of lock, and
 * the addresses of its servers.
 */
final class HoldingJvm {
    private HoldingJvm() {}

    public static void main(String[] args) throws IOException {
        Logger.getLogger("").setLevel(Level.OFF);
        switch (args[0]) {
            case "setnx" -> setnx(args[1]);
            case "template" -> template(args[1]);
            case "redlock" -> redlock(List.of(args).subList(1, args.length));
            case "boltwork" -> boltwork(args[1]);
            default -> throw new IllegalArgumentException(args[0]);
        }
        System.in.read();
    }

    private static void setnx(String uri) {
        RedisCommands<String, String> redis = RedisClient.create(uri).connect().sync();
        SetnxThenExpireLock lock = new SetnxThenExpireLock(
                PausedCommands.before(redis, "expire", HoldingJvm::stopBeforeExpire), TrapServers.KEY);
        lock.tryLock("A", TrapServers.LEASE);
    }

    private static void stopBeforeExpire() {
        System.out.println("before EXPIRE");
        try {
            System.in.read();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void template(String uri) {
        int port = Integer.parseInt(uri.substring(uri.lastIndexOf(':') + 1));
        StringRedisTemplate redis = new StringRedisTemplate(TrapServers.connectionFactory("127.0.0.1", port));
        TemplateLock lock = TemplateLock.ofThreads(redis, TrapServers.KEY, TrapServers.LEASE);
        System.out.println(lock.tryLock());
    }

    /** Writes to a row after the check of its validity, and after a line on standard input. */
    private static void redlock(List<String> uris) throws IOException {
        List<RedisCommands<String, String>> nodes = new ArrayList<>();
        uris.forEach(uri -> nodes.add(RedisClient.create(uri).connect().sync()));
        boolean valid = new HandRedlock(nodes, TrapServers.KEY, "A")
                .tryLock(TrapServers.LEASE)
                .isPresent();
        System.out.println(valid);
        System.in.read();
        nodes.get(0).set("row", "A");
        System.out.println("written");
    }

    private static void boltwork(String uri) {
        LockClient locks = LockClient.create(RedisBackend.connect(uri));
        System.out.println(locks.lock(TrapServers.KEY, LockOptions.renewedLease(Duration.ofMillis(500)))
                .tryLock());
    }
}
