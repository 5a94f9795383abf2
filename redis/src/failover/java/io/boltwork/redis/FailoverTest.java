// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.server.SentinelGroup;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that clients follow when another server becomes the master. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class FailoverTest {
    private static final Duration PROMISE = Duration.ofSeconds(2);

    private static final LockOptions LEASE = LockOptions.renewedLease(Duration.ofMinutes(5));

    /** Holds a lock in one client and waits for it in another one. */
    private static final class Scene implements AutoCloseable {
        final LockClient holder;
        final LockClient waiter;
        final Lease held;
        final CompletableFuture<Lease> waiting;
        final BlockingQueue<LockListener.BackendRecovered> recovered = new LinkedBlockingQueue<>();

        Scene(LockBackend first, LockBackend second) {
            ClientOptions patient = ClientOptions.defaults().withOutagePatience(Duration.ofMinutes(5));
            holder = LockClient.create(first, patient); // sentinels may need several elections
            waiter = LockClient.create(second, patient);
            LockListener listener = new LockListener() {
                @Override
                public void backendRecovered(BackendRecovered event) {
                    recovered.add(event);
                }
            };
            holder.addListener(listener);
            waiter.addListener(listener);
            held = holder.lock("l", LEASE).acquire();
            waiting = waiter.lock("l", LEASE).acquireAsync().toCompletableFuture();
            Await.until(
                    "it waits", () -> !holder.inspector().describe("l").queue().isEmpty());
        }

        /** Waits until the replicas have hold and queue, because data that they lack can be lost. */
        Scene inStep(ReplicaGroup group) {
            Await.until(
                    "the replicas have the queue",
                    () -> group.servers().stream()
                                    .map(server -> server.command("HLEN", "boltwork:{l}"))
                                    .distinct()
                                    .count()
                            == 1);
            return this;
        }

        /** Passes the lock on at the new master and takes other locks. Returns how long that took. */
        void worksAt(RedisServer master, long since) throws Exception {
            assertThat(holder.lock("other").tryLock(10, TimeUnit.SECONDS)).isTrue();
            Duration took = Duration.ofNanos(System.nanoTime() - since);
            System.out.println("usable " + took.toMillis() + " ms after the new master took writes");
            assertThat(took).isLessThan(Slack.of(PROMISE));
            holder.lock("other").unlock();
            assertThat(held.isValid()).isTrue();
            Await.until(
                    "the hold is at the new master",
                    () -> master.command("HGET", "boltwork:{l}", "owner") != null
                            && !"".equals(master.command("HGET", "boltwork:{l}", "owner")));
            LockListener.BackendRecovered one = recovered.take();
            LockListener.BackendRecovered other = recovered.take();
            System.out.println(one + "\n" + other);
            assertThat(one.anotherServer() && other.anotherServer()).isTrue();
            assertThat(one.kept() + one.restored() + other.kept() + other.restored())
                    .isEqualTo(1);
            assertThat(one.lost() + other.lost()).isZero();
            // the waiter, and perhaps a try in the meantime
            assertThat(one.askedAgain() + other.askedAgain()).isBetween(1, 2);
            long token = held.fencingToken();
            held.release();
            Lease next = waiting.get(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
            assertThat(next.fencingToken()).isGreaterThan(token);
            next.release();
            FencedLock last = waiter.lock("l");
            assertThat(last.tryLock()).isTrue();
            last.unlock();
        }

        @Override
        public void close() {
            holder.close();
            waiter.close();
        }
    }

    private static long acceptsWrites(RedisServer server) {
        Await.until("it takes writes", () -> "master".equals(ReplicaGroup.field(server, "role")));
        return System.nanoTime();
    }

    @Test
    void aManuallyPromotedReplicaIsFollowedAfterTheMasterDied() throws Exception {
        try (ReplicaGroup group = ReplicaGroup.start(2);
                Scene scene = new Scene(
                                RedisBackend.connectReplicated(group.uris()),
                                RedisBackend.connectReplicated(group.uris()))
                        .inStep(group)) {
            group.servers().get(0).kill();
            RedisServer next = group.servers().get(1);
            group.promote(next);
            long since = acceptsWrites(next);
            group.servers().get(2).command("REPLICAOF", next.host(), Integer.toString(next.port()));
            scene.worksAt(next, since);
        }
    }

    @Test
    void aManuallyPromotedReplicaIsFollowedThoughTheOldMasterRuns() throws Exception {
        try (ReplicaGroup group = ReplicaGroup.start(2);
                Scene scene = new Scene(
                                RedisBackend.connectReplicated(group.uris()),
                                RedisBackend.connectReplicated(group.uris()))
                        .inStep(group)) {
            RedisServer next = group.servers().get(2);
            group.promote(next);
            long since = acceptsWrites(next);
            Await.within(PROMISE, "both clients listen at the new master", () -> channels(next) == 2);
            scene.worksAt(next, since);
            assertThat(channels(group.servers().get(0))).isZero();
        }
    }

    @Test
    void aManuallyPromotedReplicaOfRedis62IsFollowed() throws Exception {
        try (ReplicaGroup group = ReplicaGroup.startEmbedded(2);
                Scene scene = new Scene(
                                RedisBackend.connectReplicated(group.uris()),
                                RedisBackend.connectReplicated(group.uris()))
                        .inStep(group)) {
            group.servers().get(0).kill();
            RedisServer next = group.servers().get(1);
            group.promote(next);
            scene.worksAt(next, acceptsWrites(next));
        }
    }

    private static int channels(RedisServer server) {
        return ((java.util.List<?>)
                        java.util.Objects.requireNonNull(server.command("PUBSUB", "CHANNELS", "boltwork:grants:*")))
                .size();
    }

    @Test
    void clientsDoNotReturnToAFrozenMasterThatWasReplaced() throws Exception {
        try (ReplicaGroup group = ReplicaGroup.start(2);
                Scene scene = new Scene(
                                RedisBackend.connectReplicated(group.uris()),
                                RedisBackend.connectReplicated(group.uris()))
                        .inStep(group)) {
            RedisServer old = group.servers().get(0);
            RedisServer next = group.servers().get(1);
            old.freeze();
            group.promote(next);
            long since = acceptsWrites(next);
            Await.within(PROMISE, "both clients listen at the new master", () -> channels(next) == 2);
            old.thaw();
            scene.worksAt(next, since);
            assertThat(channels(old)).isZero();
        }
    }

    @Test
    void sentinelsAreFollowedWhenTheMasterIsKilled() throws Exception {
        masterIsKilled(SentinelGroup.start());
    }

    @Test
    void sentinelsOfRedis62AreFollowedWhenTheMasterIsKilled() throws Exception {
        masterIsKilled(SentinelGroup.startEmbedded());
    }

    private static void masterIsKilled(SentinelGroup started) throws Exception {
        try (SentinelGroup group = started;
                Scene scene = new Scene(RedisBackend.connect(group.uri()), RedisBackend.connect(group.uri()))
                        .inStep(group.data())) {
            RedisServer old = group.data().servers().get(0);
            old.kill();
            Await.within(
                    Duration.ofMinutes(3),
                    "a replica is promoted",
                    () -> group.data().servers().stream()
                            .skip(1)
                            .anyMatch(s -> "master".equals(ReplicaGroup.field(s, "role"))));
            long since = System.nanoTime();
            RedisServer next = group.data().servers().stream()
                    .skip(1)
                    .filter(s -> "master".equals(ReplicaGroup.field(s, "role")))
                    .findFirst()
                    .orElseThrow();
            scene.worksAt(next, since);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true")
    void sentinelsAreFollowedWhenTheMasterIsFrozenAndComesBack() throws Exception {
        try (SentinelGroup group = SentinelGroup.start();
                Scene scene = new Scene(RedisBackend.connect(group.uri()), RedisBackend.connect(group.uri()))
                        .inStep(group.data())) {
            RedisServer old = group.data().servers().get(0);
            old.freeze();
            RedisServer next = group.awaitOther(old);
            long since = System.nanoTime();
            Await.within(PROMISE, "both clients listen at the new master", () -> channels(next) == 2);
            old.thaw();
            scene.worksAt(next, since);
            assertThat(channels(old)).isZero();
        }
    }
}
