// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.LockKind;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several JVMs take locks of a cluster in turns while masters die, freeze and come back, slots move, and the cluster
 * is down. If a replica takes over before Redis has replicated everything, two clients may believe that they hold a
 * lock. These cases are counted and printed, as in {@link FailoverHistoriesTest}. Nothing else may happen: tokens
 * distinguish the holds and grow, a holder that was told of a loss does not hold afterwards, every call is answered,
 * and the turns go on. If no data is lost, no two holds overlap.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class ClusterHistoriesTest {
    private static final String PROOF = "boltwork.proof";
    private static final Duration PROMISE = Duration.ofSeconds(2);
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration SHORT_LEASE = Duration.ofSeconds(2);

    /**
     * A failover of three seconds and the promised time after it, or a safety poll of five seconds in a migrating
     * slot.
     */
    private static final Duration WAIT = Duration.ofMillis(6_500);

    /** A lease that is longer than a failover. */
    private static final Duration LONG = Duration.ofSeconds(4);

    @TempDir
    Path directory;

    private static void pass(Duration time) throws InterruptedException {
        Thread.sleep(time.toMillis()); // the duration of the fault is part of the test
    }

    // ================================================================ 1. killed

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void aMasterIsKilledAndItsReplicaPromoted() throws Exception {
        aMasterIsKilled(ClusterGroup.start(), "master killed");
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void aMasterOfRedis62IsKilledAndItsReplicaPromoted() throws Exception {
        aMasterIsKilled(ClusterGroup.startEmbedded(), "master killed, 6.2");
    }

    /** The dining philosophers: all eat, and no fork is used by two, except if its last holds are lost. */
    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void aMasterOfForksIsKilledAndItsReplicaPromoted() throws Exception {
        aMasterIsKilled(ClusterTurns.ofPhilosophers(ClusterGroup.start(), directory, LEASE), "master of forks killed");
    }

    private void aMasterIsKilled(ClusterGroup group, String what) throws Exception {
        aMasterIsKilled(new ClusterTurns(group, directory, LEASE), what);
    }

    private static void aMasterIsKilled(ClusterTurns started, String what) throws Exception {
        try (ClusterTurns turns = started) {
            ClusterGroup group = turns.group;
            RedisServer old = group.masters().get(1);
            List<Integer> affected = turns.locksOf(old);
            int slot = ClusterTurns.slot(turns.locks.get(affected.get(0)));
            List<Integer> others = turns.numbers(lock -> !affected.contains(lock));
            group.kill(old);
            turns.awaitTurns(others, 20);
            group.awaitFailover(slot, old);
            turns.usable(affected, System.nanoTime(), PROMISE);
            turns.check(what, WAIT);
        }
    }

    // ================================================================ 2. frozen

    @Test
    void aMasterIsFrozenAndReplacedAndComesBackStale() throws Exception {
        aMasterIsFrozen(ClusterGroup.start(), "master frozen and back", ClusterTurns.PLAIN);
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void aMasterOfSharedLocksIsFrozenAndReplacedAndComesBackStale() throws Exception {
        aMasterIsFrozen(ClusterGroup.start(), "master of shared locks frozen and back", ClusterTurns.SHARED);
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void aMasterOfRedis62IsFrozenAndReplacedAndComesBackStale() throws Exception {
        aMasterIsFrozen(ClusterGroup.startEmbedded(), "master frozen and back, 6.2", ClusterTurns.PLAIN);
    }

    private void aMasterIsFrozen(ClusterGroup group, String what, List<LockKind> kinds) throws Exception {
        try (ClusterTurns turns = new ClusterTurns(group, directory, LEASE, kinds)) {
            RedisServer old = group.masters().get(0);
            List<Integer> affected = turns.locksOf(old);
            int slot = ClusterTurns.slot(turns.locks.get(affected.get(0)));
            group.freeze(old);
            RedisServer next = group.awaitFailover(slot, old);
            turns.usable(affected, System.nanoTime(), PROMISE);
            group.thaw(old);
            turns.awaitTurns(20);
            Await.until("the old one is a replica", () -> group.replicasOf(next).contains(old));
            turns.check(what, WAIT);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void aMasterComesBackStaleAtTheMomentItIsReplaced() throws Exception {
        try (ClusterTurns turns = new ClusterTurns(ClusterGroup.start(), directory, LEASE)) {
            RedisServer old = turns.group.masters().get(0);
            List<Integer> affected = turns.locksOf(old);
            int slot = ClusterTurns.slot(turns.locks.get(affected.get(0)));
            turns.group.freeze(old);
            turns.group.awaitFailover(slot, old);
            turns.group.thaw(old); // it now executes the commands that were sent while it was frozen
            turns.usable(affected, System.nanoTime(), PROMISE);
            turns.awaitTurns(20);
            turns.check("master frozen and back at once", WAIT);
        }
    }

    // ================================================================ 3. slots move

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void slotsMoveBackAndForthUnderLoad() throws Exception {
        slotsMove(ClusterGroup.start(), "slots moved there and back", 4);
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void slotsOfRedis62MoveBackAndForthUnderLoad() throws Exception {
        slotsMove(ClusterGroup.startEmbedded(), "slots moved there and back, 6.2", 4);
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void manySlotsMoveBackAndForthUnderLoad() throws Exception {
        slotsMove(ClusterGroup.start(), "many slots moved there and back", 100);
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void slotsOfForksMoveBackAndForthUnderLoad() throws Exception {
        slotsMove(
                ClusterTurns.ofPhilosophers(ClusterGroup.start(), directory, LEASE),
                "slots of forks moved there and back",
                4);
    }

    private void slotsMove(ClusterGroup group, String what, int range) throws Exception {
        slotsMove(new ClusterTurns(group, directory, LEASE), what, range);
    }

    private static void slotsMove(ClusterTurns started, String what, int range) throws Exception {
        try (ClusterTurns turns = started) {
            ClusterGroup group = turns.group;
            List<RedisServer> masters = group.masters();
            int[] slots = turns.locks.stream().mapToInt(ClusterTurns::slot).toArray();
            int[] homes = IntStream.of(slots)
                    .map(slot -> masters.indexOf(group.masterOf(slot)))
                    .toArray();
            for (boolean away : new boolean[] {true, false}) {
                for (int i = 0; i < slots.length; i++) {
                    group.beginMove(slots[i], at(masters, homes[i], !away), at(masters, homes[i], away));
                }
                turns.awaitTurns(5); // the keys have not moved yet
                for (int i = 0; i < slots.length; i++) {
                    group.moveKeys(slots[i], at(masters, homes[i], !away), at(masters, homes[i], away));
                }
                turns.awaitTurns(5); // the keys have moved, the slots have not
                for (int i = 0; i < slots.length; i++) {
                    group.endMove(slots[i], at(masters, homes[i], away));
                }
                turns.awaitTurns(5);
            }
            for (boolean away : new boolean[] {true, false}) {
                for (int i = 0; i < slots.length; i += 2) {
                    int first = Math.max(slots[i] - range / 2, homes[i] * 5_462);
                    int last = Math.min(slots[i] + range / 2, homes[i] * 5_462 + 5_460);
                    group.reshard(
                            IntStream.range(first, last), at(masters, homes[i], !away), at(masters, homes[i], away));
                }
            }
            turns.checkStrictly(what, WAIT);
        }
    }

    private static RedisServer at(List<RedisServer> masters, int home, boolean away) {
        return masters.get(away ? (home + 1) % masters.size() : home);
    }

    // ================================================================ 4. half of the cluster

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void twoOfThreeMastersAreFrozenAndResume() throws Exception {
        try (ClusterTurns turns = new ClusterTurns(ClusterGroup.start(), directory, LEASE)) {
            List<RedisServer> frozen = turns.group.masters().subList(0, 2);
            long since = System.nanoTime();
            frozen.forEach(turns.group::freeze);
            pass(LONG);
            frozen.forEach(turns.group::thaw);
            isBack(turns, since, "two of three masters frozen");
        }
    }

    /** Without a majority no replica is promoted: the same masters resume with the data that they had stored. */
    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void twoOfThreeMastersAreKilledAndComeBack() throws Exception {
        ClusterGroup group = ClusterGroup.start("--appendonly", "yes", "--appendfsync", "always");
        try (ClusterTurns turns = new ClusterTurns(group, directory, LEASE)) {
            List<RedisServer> killed = group.masters().subList(0, 2);
            long since = System.nanoTime();
            killed.forEach(group::kill);
            pass(LONG);
            killed.forEach(group::restart);
            isBack(turns, since, "two of three masters killed");
        }
    }

    /**
     * Checks that no call waits longer than the cluster is down plus the promised time. The length of the outage is
     * Redis's own: a restarted master serves no client for two seconds (CLUSTER_WRITABLE_DELAY in Redis's cluster.c).
     */
    private static void isBack(ClusterTurns turns, long since, String what) throws InterruptedException {
        turns.group.awaitOk();
        Duration down = Duration.ofNanos(System.nanoTime() - since);
        turns.usable(turns.numbers(lock -> true), System.nanoTime(), PROMISE);
        turns.check(what + " for " + down.toMillis() + " ms", down.plus(PROMISE));
    }

    // ================================================================ 5. clients

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void clientsAreKilledAndFrozenWhileSlotsMove() throws Exception {
        clientsDie(ClusterGroup.start(), "clients killed and frozen while slots move", 1, ClusterTurns.PLAIN);
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void clientsOfSharedLocksAreKilledAndFrozenWhileSlotsMove() throws Exception {
        clientsDie(ClusterGroup.start(), "the same with shared locks", 1, ClusterTurns.SHARED);
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void philosophersAreKilledAndFrozenWhileSlotsOfForksMove() throws Exception {
        clientsDie(
                ClusterTurns.ofPhilosophers(ClusterGroup.start(), directory, SHORT_LEASE),
                "philosophers killed and frozen while slots move",
                1);
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void clientsAreKilledAndFrozenRepeatedlyWhileSlotsMove() throws Exception {
        clientsDie(
                ClusterGroup.start(), "clients killed and frozen three times while slots move", 3, ClusterTurns.PLAIN);
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void clientsOfRedis62AreKilledAndFrozenWhileSlotsMove() throws Exception {
        clientsDie(
                ClusterGroup.startEmbedded(), "clients killed and frozen while slots move, 6.2", 1, ClusterTurns.PLAIN);
    }

    private void clientsDie(ClusterGroup group, String what, int times, List<LockKind> kinds) throws Exception {
        clientsDie(new ClusterTurns(group, directory, SHORT_LEASE, kinds), what, times);
    }

    private static void clientsDie(ClusterTurns started, String what, int times) throws Exception {
        try (ClusterTurns turns = started) {
            CompletableFuture<Boolean> stop = new CompletableFuture<>();
            Task<Integer> moves = Task.start("moves", () -> moveAllTheTime(turns, stop));
            for (int i = 0; i < times; i++) {
                turns.kill(0);
                turns.awaitTurns(5);
                turns.jvm(0).freeze();
                pass(SHORT_LEASE.plusMillis(500));
                turns.awaitTurnsWithout(0, 5);
                turns.jvm(0).thaw();
                turns.awaitTurns(5);
                turns.launch();
                turns.awaitTurns(5);
            }
            stop.complete(true);
            System.out.println("cluster: " + moves.get() + " slots moved");
            turns.checkStrictly(what, WAIT);
        }
    }

    /** Moves each lock's slot from master to master until it is stopped. */
    private static int moveAllTheTime(ClusterTurns turns, CompletableFuture<Boolean> stop) {
        List<RedisServer> masters = turns.group.masters();
        int moved = 0;
        while (!stop.isDone()) {
            for (String lock : turns.locks) {
                int slot = ClusterTurns.slot(lock);
                RedisServer from = turns.group.masterOf(slot);
                turns.group.moveSlot(slot, from, masters.get((masters.indexOf(from) + 1) % masters.size()));
                moved++;
            }
        }
        return moved;
    }
}
