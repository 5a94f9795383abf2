// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.redis.Bridge;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;
import org.redisson.config.ShardedSubscriptionMode;

/** Locks that Redisson 4.7.0 and Boltwork share on a Redis Cluster, whichever kind of channel Redisson uses. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedissonBridgeClusterTest {
    private static final int NAMES = 6;

    private ClusterGroup cluster;
    private LockClient here;

    @BeforeAll
    void open() {
        cluster = ClusterGroup.start();
        here = LockClient.create(RedisBackend.connectCluster(
                cluster.uris(), RedisOptions.defaults().withBridge(Bridge.redisson())));
    }

    @AfterAll
    void close() {
        here.close();
        cluster.close();
    }

    private RedissonClient redisson(ShardedSubscriptionMode mode) {
        Config config = new Config();
        config.setThreads(2).setNettyThreads(4);
        config.useClusterServers()
                .setShardedSubscriptionMode(mode)
                .setMasterConnectionMinimumIdleSize(1)
                .setMasterConnectionPoolSize(8)
                .setSlaveConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionMinimumIdleSize(1)
                .addNodeAddress(cluster.uris().toArray(String[]::new));
        return Redisson.create(config);
    }

    @ParameterizedTest
    @EnumSource(ShardedSubscriptionMode.class)
    void bothSidesExcludeAndWakeEachOther(ShardedSubscriptionMode mode) {
        RedissonClient redisson = redisson(mode);
        try {
            for (int i = 0; i < NAMES; i++) { // on several masters
                String name = "orders:" + mode + ":" + i;
                RLock old = redisson.getLock(name);
                FencedLock lock = here.lock(name);
                old.lock();
                assertThat(lock.tryLock()).isFalse();
                Task<Boolean> ours = Task.start("boltwork", () -> {
                    lock.lock();
                    lock.unlock();
                    return true;
                });
                Await.until(
                        "it waits",
                        () -> here.inspector().describe(name).queue().size() == 1);
                old.unlock();
                assertThat(ours.get(Slack.seconds(3))).isTrue();

                Lease lease = lock.acquire();
                Task<Boolean> theirs = Task.start("redisson", () -> {
                    old.lock();
                    old.unlock();
                    return true;
                });
                Await.until("Redisson listens", () -> isAwaitedByRedisson(name));
                lease.release();
                assertThat(theirs.get(Slack.seconds(3))).isTrue();
            }
        } finally {
            redisson.shutdown();
        }
    }

    /** Returns whether there are more listeners for a lock than those of Boltwork, which listen in both ways. */
    private boolean isAwaitedByRedisson(String name) {
        return listeners("redisson_lock__channel:{" + name + "}") > 2 * listeners("boltwork:bridge:{" + name + "}");
    }

    /** Returns the number of clients that listen on a channel, in either way, at any node. */
    private long listeners(String channel) {
        return cluster.nodes().stream()
                .flatMap(node ->
                        Stream.of("NUMSUB", "SHARDNUMSUB").map(way -> (List<?>) node.command("PUBSUB", way, channel)))
                .mapToLong(counted -> (Long) counted.get(1))
                .sum();
    }

    @Test
    void aHoldSurvivesThatItsSlotMoves() {
        RedissonClient redisson = redisson(ShardedSubscriptionMode.AUTO);
        try {
            String name = "moving";
            FencedLock lock = here.lock(name, LockOptions.renewedLease(Duration.ofSeconds(6)));
            Lease lease = lock.acquire();
            Task<Boolean> theirs = Task.start("redisson", () -> {
                redisson.getLock(name).lock();
                redisson.getLock(name).unlock();
                return true;
            });
            Await.until("Redisson listens", () -> isAwaitedByRedisson(name));
            int slot = SlotHash.getSlot(name);
            RedisServer from = cluster.masterOf(slot);
            RedisServer to = cluster.masters().stream()
                    .filter(master -> master != from)
                    .findFirst()
                    .orElseThrow();
            cluster.moveSlot(slot, from, to);
            Await.within(Duration.ofSeconds(10), "it goes on", lease::isValid);
            assertThat(triedAtTheNewMaster(redisson.getLock(name))).isFalse();
            lease.release();
            assertThat(theirs.get(Slack.seconds(15))).isTrue(); // Redisson may sleep for the rest of the lease
            lock.lock(); // a try may be refused in the moment that the lock is left to Redisson
            lock.unlock();
        } finally {
            redisson.shutdown();
        }
    }

    /**
     * Tries a lock once Redisson knows the new master of its slot. Until then, it fails with a NullPointerException of
     * its own.
     */
    private static boolean triedAtTheNewMaster(RLock lock) {
        AtomicBoolean granted = new AtomicBoolean();
        Await.until("Redisson knows the new master", () -> {
            try {
                granted.set(lock.tryLock());
                return true;
            } catch (RedisException failure) {
                if (failure.getCause() instanceof NullPointerException) {
                    return false;
                }
                throw failure;
            }
        });
        return granted.get();
    }
}
