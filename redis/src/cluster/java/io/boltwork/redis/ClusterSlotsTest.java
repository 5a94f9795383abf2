// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that waiters are woken although slots of a cluster are scattered or move away and back. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class ClusterSlotsTest {
    /** The limit for a wake-up by message, much less than the safety poll. */
    private static final Duration WOKEN = Duration.ofSeconds(1);

    private static ClusterGroup group;

    @BeforeAll
    static void start() {
        group = ClusterGroup.start(3, 0, ClusterSite.PATIENT);
    }

    @AfterAll
    static void stop() {
        group.close();
    }

    private static LockClient client() {
        return LockClient.create(RedisBackend.connectCluster(group.uris()));
    }

    private static String lockIn(int first, int last) {
        for (int i = 0; ; i++) {
            String name = "slots:" + i;
            if (ClusterTurns.slot(name) >= first && ClusterTurns.slot(name) <= last) {
                return name;
            }
        }
    }

    private static CompletableFuture<Lease> waits(LockClient client, String lock) {
        CompletableFuture<Lease> waiting = client.lock(lock).acquireAsync().toCompletableFuture();
        Await.until("it waits", () -> client.inspector().describe(lock).queue().size() == 1);
        return waiting;
    }

    /** Passes the lock on and checks how long that takes. */
    private static void isWoken(Lease held, CompletableFuture<Lease> waiting) throws Exception {
        long since = System.nanoTime();
        held.release();
        waiting.get(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS).release();
        assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Slack.of(WOKEN));
    }

    @Test
    void waitersOfAMasterWithScatteredSlotsAreWoken() throws Exception {
        RedisServer master = group.masters().get(0);
        RedisServer other = group.masters().get(1);
        group.moveSlot(5_000, master, other);
        int before = connections(master);
        try (LockClient holder = client();
                LockClient waiter = client()) {
            for (String lock : new String[] {lockIn(0, 4_999), lockIn(5_001, 5_460)}) {
                for (int i = 0; i < 3; i++) {
                    Lease held = holder.lock(lock).acquire();
                    isWoken(held, waits(waiter, lock));
                }
            }
        } finally {
            group.moveSlot(5_000, other, master);
        }
        Await.until("the connections are closed", () -> connections(master) == before);
    }

    private static int connections(RedisServer server) {
        return (int) String.valueOf(server.command("CLIENT", "LIST")).lines().count();
    }

    @Test
    void aWaiterIsWokenAfterItsSlotMovedAwayAndBack() throws Exception {
        RedisServer master = group.masters().get(2);
        RedisServer other = group.masters().get(0);
        String lock = lockIn(10_923, 16_383);
        int slot = ClusterTurns.slot(lock);
        try (LockClient holder = client();
                LockClient waiter = client()) {
            for (int i = 0; i < 10; i++) {
                Lease held = holder.lock(lock).acquire();
                CompletableFuture<Lease> waiting = waits(waiter, lock);
                group.moveSlot(slot, master, other);
                group.moveSlot(slot, other, master);
                TimeUnit.MILLISECONDS.sleep(i * 30); // less or more time than clients need to read the map
                isWoken(held, waiting);
            }
        }
    }
}
