// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.Leadership;
import io.boltwork.LeadershipListener;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * One of several JVMs that stand for election. The leader writes its token to a resource on another server, which
 * refuses old tokens. The resource also has the order in which all JVMs were elected and revoked.
 */
final class LeaderJvm {
    static final String LOCK = "leader";
    static final Duration LEASE = Duration.ofSeconds(2);
    static final String EVENTS = "leader:events";
    static final String ACCEPTED = "leader:accepted";
    static final String REFUSED = "leader:refused";

    /** An old leader has this time to stop after its lease, even on a slow machine. */
    static final Duration DELAY = Duration.ofSeconds(2);

    private static final String WRITE = "if tonumber(ARGV[1]) < tonumber(redis.call('GET', 'leader:token') or '0') then"
            + " return redis.call('RPUSH', KEYS[2], ARGV[1]) end"
            + " redis.call('SET', 'leader:token', ARGV[1]) return redis.call('RPUSH', KEYS[1], ARGV[1])";

    private LeaderJvm() {}

    /** Arguments: the addresses of the lock and of the resource, and a name. */
    public static void main(String[] args) throws Exception {
        RedisClient resource = RedisClient.create(args[1]);
        try (LockClient client = LockClient.create(RedisBackend.connect(args[0]))) {
            RedisCommands<String, String> redis = resource.connect().sync();
            LockOptions options = LockOptions.renewedLease(LEASE).withTakeoverDelay(DELAY);
            Leadership leadership = Leadership.of(client.lock(LOCK, options), listener(args[2], redis));
            System.out.println("ready");
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); !"stop".equals(line); line = in.readLine()) {
                leadership.yieldFor(Duration.ZERO);
            }
            leadership.close();
        } finally {
            resource.shutdown();
        }
    }

    private static LeadershipListener listener(String name, RedisCommands<String, String> redis) {
        return new LeadershipListener() {
            @Override
            public void elected(Lease lease) throws InterruptedException {
                String token = Long.toString(lease.fencingToken());
                redis.rpush(EVENTS, name + " elected " + token);
                for (; lease.isValid(); Thread.sleep(5)) {
                    redis.eval(WRITE, ScriptOutputType.INTEGER, new String[] {ACCEPTED, REFUSED}, token);
                }
            }

            @Override
            public void revoked(Revocation revocation) {
                redis.rpush(EVENTS, name + " revoked " + revocation.fencingToken() + " " + revocation.reason());
            }
        };
    }
}
