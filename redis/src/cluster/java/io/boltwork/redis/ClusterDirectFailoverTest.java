// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Masters of a cluster that are replaced while a caller reads from its own connection to them. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class ClusterDirectFailoverTest {
    private static final String LOCK = "direct";
    private static final int SLOT = ClusterTurns.slot(LOCK);

    private static LockClient client(ClusterGroup group) {
        List<String> uris = group.uris().stream()
                .map(uri -> uri + RedisSite.timeout(Duration.ofSeconds(30))) // so it is not the timeout that helps
                .toList();
        return LockClient.create(RedisBackend.connectCluster(uris));
    }

    private static long lastToken(FencedLock lock) {
        long token = 0;
        for (int i = 0; i < 100; i++) {
            Lease lease = lock.acquire();
            token = lease.fencingToken();
            lease.release();
        }
        return token;
    }

    @Test
    void aCallerWhoseMasterIsKilledGoesToItsReplica() {
        aCallerGoesToTheReplica(true);
    }

    @Test
    void aCallerWhoseMasterIsFrozenGoesToItsReplica() {
        aCallerGoesToTheReplica(false);
    }

    private static void aCallerGoesToTheReplica(boolean killed) {
        try (ClusterGroup group = ClusterGroup.start();
                LockClient client = client(group)) {
            FencedLock lock = client.lock(LOCK);
            long token = lastToken(lock);
            RedisServer old = group.masterOf(SLOT);
            assertThat(ClusterDirectConnectionsTest.direct(old)).isEqualTo(1);
            Await.until(
                    "the replica has all data",
                    () -> String.valueOf(ReplicaGroup.field(old, "master_repl_offset"))
                            .equals(ReplicaGroup.field(group.replicasOf(old).get(0), "slave_repl_offset")));
            group.freeze(old);
            Thread[] caller = new Thread[1];
            Task<Lease> asked = Task.start("asks", () -> {
                caller[0] = Thread.currentThread();
                return lock.acquire();
            });
            Await.until("the caller reads", () -> caller[0] != null && DirectConnectionsTest.isReading(caller[0]));
            if (killed) {
                group.kill(old);
            }
            RedisServer next = group.awaitFailover(SLOT, old);
            Lease held = asked.get(Duration.ofSeconds(10));
            assertThat(held.fencingToken()).isGreaterThan(token);
            if (!killed) {
                group.thaw(old);
                Await.until("it is a replica", () -> "slave".equals(ReplicaGroup.field(old, "role")));
                Await.until("callers have left it", () -> ClusterDirectConnectionsTest.direct(old) == 0);
            }
            assertThat(next.command("HGET", "boltwork:{" + LOCK + "}", "owner")).isNotIn(null, "");
            assertThat(held.isValid()).isTrue();
            held.release();
            assertThat(lastToken(lock)).isGreaterThan(held.fencingToken());
            assertThat(ClusterDirectConnectionsTest.direct(next)).isEqualTo(1);
        }
    }
}
