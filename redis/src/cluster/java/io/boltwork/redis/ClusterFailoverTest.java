// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests that clients follow a replica that replaces a master of a cluster, without disturbing the locks at other
 * masters.
 */
@Tag("load")
class ClusterFailoverTest {
    private static final String PROOF = "boltwork.proof";
    private static final Duration PROMISE = Duration.ofSeconds(2);

    /** Keeps the other masters running while one is gone and its replica has not taken over. */
    private static final String[] NO_FULL_COVERAGE = {"--cluster-require-full-coverage", "no"};

    /** A lease that is longer than the outage. */
    private static final LockOptions LONG = LockOptions.renewedLease(Duration.ofMinutes(5));

    /** A lease that is shorter than the outage: it is lost if it is not renewed meanwhile. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    /** The time for a command to a healthy master on a busy machine. */
    private static final Duration PROMPT = Duration.ofMillis(500);

    /** Records the events of a client's backend. */
    private static final class Events implements LockListener {
        final List<BackendDown> downs = new CopyOnWriteArrayList<>();
        final List<BackendUp> ups = new CopyOnWriteArrayList<>();
        final List<BackendRecovered> recoveries = new CopyOnWriteArrayList<>();
        final List<Lost> losses = new CopyOnWriteArrayList<>();

        @Override
        public void backendDown(BackendDown event) {
            downs.add(event);
        }

        @Override
        public void backendUp(BackendUp event) {
            ups.add(event);
        }

        @Override
        public void backendRecovered(BackendRecovered event) {
            recoveries.add(event);
        }

        @Override
        public void lost(Lost event) {
            losses.add(event);
        }

        /** One outage, and its effects on holds and waiters. */
        void one(int held, int waiting) {
            Await.until("all is verified", () -> !recoveries.isEmpty());
            System.out.println("cluster: " + downs.get(0).cause().getMessage() + "\n  " + recoveries);
            assertThat(downs).as("%s", downs).hasSize(1);
            assertThat(ups).as("%s", ups).hasSize(1);
            assertThat(recoveries).as("%s", recoveries).hasSize(1);
            BackendRecovered counts = recoveries.get(0);
            assertThat(ups.get(0).anotherServer() && counts.anotherServer()).isTrue();
            assertThat(counts.lost()).isZero();
            // and perhaps the lock that is tried meanwhile
            assertThat(counts.kept() + counts.restored()).isBetween(held, held + 1);
            assertThat(counts.askedAgain()).isBetween(waiting, waiting + 1);
            assertThat(losses).isEmpty();
        }
    }

    /** Takes one lock at each master in one client, and waits for it in another client. */
    private static final class Scene implements AutoCloseable {
        final ClusterGroup group;
        final RedisServer old;
        final LockClient holder;
        final LockClient waiter;
        final Events holderEvents = new Events();
        final Events waiterEvents = new Events();
        final List<Lease> held = new ArrayList<>();
        final List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        final List<String> free = new ArrayList<>();

        /** Returns the second master, which the fault will hit. */
        Scene(ClusterGroup group) {
            this.group = group;
            ClientOptions patient = ClientOptions.defaults().withOutagePatience(Duration.ofMinutes(5));
            holder = LockClient.create(RedisBackend.connectCluster(group.uris()), patient);
            waiter = LockClient.create(RedisBackend.connectCluster(group.uris()), patient);
            holder.addListener(holderEvents);
            waiter.addListener(waiterEvents);
            old = group.masters().get(1);
            for (RedisServer master : group.masters()) {
                LockOptions options = master == old ? LONG : LockOptions.renewedLease(SHORT);
                String name = at(master, "held");
                held.add(holder.lock(name, options).acquire());
                waiting.add(waiter.lock(name, options).acquireAsync().toCompletableFuture());
                Await.until(
                        "it waits",
                        () -> holder.inspector().describe(name).queue().size() == 1);
                free.add(at(master, "free"));
            }
            Await.until(
                    "the replica has all data",
                    () -> offset(old, "master_repl_offset")
                            .equals(offset(group.replicasOf(old).get(0), "slave_repl_offset")));
        }

        private static String offset(RedisServer server, String field) {
            return String.valueOf(ReplicaGroup.field(server, field));
        }

        private String at(RedisServer master, String what) {
            for (int i = 0; ; i++) {
                String name = what + i;
                if (group.masterOf(ClusterTurns.slot(name)) == master) {
                    return name;
                }
            }
        }

        int slot() {
            return ClusterTurns.slot(free.get(1));
        }

        /**
         * Takes and releases the free lock at a healthy master until it is stopped, and checks that the hold there is
         * renewed on time. Returns the longest pair.
         */
        Task<Duration> tries(int number, CompletableFuture<Boolean> stop) {
            RedisServer master = group.masters().get(number);
            return Task.start("tries", () -> {
                FencedLock lock = holder.lock(free.get(number));
                Duration longest = Duration.ZERO;
                while (!stop.isDone()) {
                    long since = System.nanoTime();
                    assertThat(lock.tryLock()).isTrue();
                    lock.unlock();
                    Duration took = Duration.ofNanos(System.nanoTime() - since);
                    longest = took.compareTo(longest) > 0 ? took : longest;
                    assertThat(held.get(number).isValid()).isTrue();
                    ClusterLeases.at(master, "held*").areRenewedOnTime(1, SHORT);
                    Thread.sleep(5); // a holder that checks its lease now and then
                }
                return longest;
            });
        }

        /** Checks that the locks at the new master can be taken. */
        void isUsable(long since) throws InterruptedException {
            FencedLock other = holder.lock(free.get(1));
            assertThat(other.tryLock(10, TimeUnit.SECONDS)).isTrue();
            Duration took = Duration.ofNanos(System.nanoTime() - since);
            System.out.println("cluster: usable " + took.toMillis() + " ms after the new master took writes");
            assertThat(took).isLessThan(Slack.of(PROMISE));
            other.unlock();
        }

        /** Checks that hold and waiter are at the new master, and that clients of the other masters saw no event. */
        void isFollowed(RedisServer next) {
            holderEvents.one(1, 0);
            waiterEvents.one(0, 1);
            assertThat(next.command("HGET", "boltwork:{" + held.get(1).lockName() + "}", "owner"))
                    .isNotIn(null, "");
            assertThat(held).allMatch(Lease::isValid);
        }

        void goesFromHandToHand() throws Exception {
            for (int i = 0; i < held.size(); i++) {
                long token = held.get(i).fencingToken();
                held.get(i).release();
                Lease next = waiting.get(i).get(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
                assertThat(next.fencingToken()).isGreaterThan(token);
                next.release();
            }
            assertThat(holderEvents.downs).hasSize(1);
            assertThat(waiterEvents.downs).hasSize(1);
        }

        @Override
        public void close() {
            holder.close();
            waiter.close();
            group.close();
        }
    }

    /** Checks that the locks of one master are unavailable for a while, and those of the others never. */
    private static void outage(Scene scene, Runnable fault, Runnable afterwards) throws Exception {
        CompletableFuture<Boolean> stop = new CompletableFuture<>();
        List<Task<Duration>> tries = new ArrayList<>();
        for (int healthy : new int[] {0, 2}) {
            tries.add(scene.tries(healthy, stop));
        }
        try {
            fault.run();
            RedisServer next = scene.group.awaitFailover(scene.slot(), scene.old);
            scene.isUsable(System.nanoTime());
            afterwards.run();
            scene.isFollowed(next);
        } finally {
            stop.complete(true);
        }
        for (Task<Duration> each : tries) {
            Duration longest = each.get();
            System.out.println("cluster: the longest pair at a healthy master: " + longest.toMillis() + " ms");
            assertThat(longest).isLessThan(Slack.of(PROMPT));
        }
        scene.goesFromHandToHand();
    }

    private static void masterIsKilled(ClusterGroup group) throws Exception {
        try (Scene scene = new Scene(group)) {
            outage(scene, () -> group.kill(scene.old), () -> {});
        }
    }

    private static void masterIsFrozen(ClusterGroup group) throws Exception {
        try (Scene scene = new Scene(group)) {
            outage(scene, () -> group.freeze(scene.old), () -> {
                group.thaw(scene.old);
                Await.until("it is a replica", () -> "slave".equals(ReplicaGroup.field(scene.old, "role")));
            });
        }
    }

    @Test
    void aReplicaIsFollowedWhenItsMasterIsKilled() throws Exception {
        masterIsKilled(ClusterGroup.start(NO_FULL_COVERAGE));
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void aReplicaOfRedis62IsFollowedWhenItsMasterIsKilled() throws Exception {
        masterIsKilled(ClusterGroup.startEmbedded(NO_FULL_COVERAGE));
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void clientsDoNotReturnToAFrozenMasterThatWasReplaced() throws Exception {
        masterIsFrozen(ClusterGroup.start(NO_FULL_COVERAGE));
    }

    @Test
    @EnabledIfSystemProperty(named = PROOF, matches = "true")
    void clientsDoNotReturnToAFrozenRedis62MasterThatWasReplaced() throws Exception {
        masterIsFrozen(ClusterGroup.startEmbedded(NO_FULL_COVERAGE));
    }
}
