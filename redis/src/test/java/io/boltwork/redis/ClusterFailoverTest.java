package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.testkit.Await;
import io.boltwork.testkit.ClusterGroup;
import io.boltwork.testkit.RedisServer;
import io.boltwork.testkit.ReplicaGroup;
import io.boltwork.testkit.Slack;
import io.boltwork.testkit.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A replica takes over from a master of a cluster: clients follow it, and the locks at other masters are not disturbed. */
@Tag("load")
class ClusterFailoverTest {
    private static final String PROOF = "boltwork.proof";
    private static final Duration PROMISE = Duration.ofSeconds(2);

    /** Else all masters stop when one is gone, until its replica has taken over. */
    private static final String[] NO_FULL_COVERAGE = {"--cluster-require-full-coverage", "no"};

    /** Longer than the outage. */
    private static final LockOptions LONG = LockOptions.renewedLease(Duration.ofMinutes(5));

    /** Shorter than the outage: who is not renewed meanwhile is lost. */
    private static final Duration SHORT = Duration.ofSeconds(3);

    /** A command to a master that is well, on a busy machine. */
    private static final Duration PROMPT = Duration.ofMillis(500);

    /** What a client heard of its backend. */
    private static final class Heard implements LockListener {
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

        /** One outage, and what became of holds and waiters. */
        void one(int held, int waiting) {
            Await.until("all is verified", () -> !recoveries.isEmpty());
            System.out.println("cluster: " + downs.get(0).cause().getMessage() + "\n  " + recoveries);
            assertThat(downs).as("%s", downs).hasSize(1);
            assertThat(ups).as("%s", ups).hasSize(1);
            assertThat(recoveries).as("%s", recoveries).hasSize(1);
            BackendRecovered counts = recoveries.get(0);
            assertThat(ups.get(0).anotherServer() && counts.anotherServer()).isTrue();
            assertThat(counts.kept() + counts.restored()).isEqualTo(held);
            assertThat(counts.lost()).isZero();
            // who waits, and perhaps who tries in the meantime
            assertThat(counts.askedAgain()).isBetween(waiting, waiting + 1);
            assertThat(losses).isEmpty();
        }
    }

    /** At each master somebody holds a lock and somebody else waits for it, in two clients. */
    private static final class Scene implements AutoCloseable {
        final ClusterGroup group;
        final RedisServer old;
        final LockClient holder;
        final LockClient waiter;
        final Heard holderHeard = new Heard();
        final Heard waiterHeard = new Heard();
        final List<Lease> held = new ArrayList<>();
        final List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        final List<String> free = new ArrayList<>();

        /** The second master is the one to which something will happen. */
        Scene(ClusterGroup group) {
            this.group = group;
            ClientOptions patient = ClientOptions.defaults().withOutagePatience(Duration.ofMinutes(5));
            holder = LockClient.create(RedisBackend.connectCluster(group.uris()), patient);
            waiter = LockClient.create(RedisBackend.connectCluster(group.uris()), patient);
            holder.addListener(holderHeard);
            waiter.addListener(waiterHeard);
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
                    "the replica knows it all",
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
         * Takes and gives back the free lock at a healthy master until it is told to stop, and looks whether the hold there is
         * renewed on time; the longest pair.
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
                    Thread.sleep(5); // a holder who looks now and then
                }
                return longest;
            });
        }

        /** The locks of the new master can be had. */
        void isUsable(long since) throws InterruptedException {
            FencedLock other = holder.lock(free.get(1));
            assertThat(other.tryLock(10, TimeUnit.SECONDS)).isTrue();
            Duration took = Duration.ofNanos(System.nanoTime() - since);
            System.out.println("cluster: usable " + took.toMillis() + " ms after the new master took writes");
            assertThat(took).isLessThan(Slack.of(PROMISE));
            other.unlock();
        }

        /** Hold and waiter are at the new master, and those at the others have heard of nothing. */
        void isFollowed(RedisServer next) {
            holderHeard.one(1, 0);
            waiterHeard.one(0, 1);
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
            assertThat(holderHeard.downs).hasSize(1);
            assertThat(waiterHeard.downs).hasSize(1);
        }

        @Override
        public void close() {
            holder.close();
            waiter.close();
            group.close();
        }
    }

    /** The locks of one master cannot be had for a while; those of the others can all the time. */
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
            System.out.println("cluster: the longest pair at a master that is well: " + longest.toMillis() + " ms");
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
