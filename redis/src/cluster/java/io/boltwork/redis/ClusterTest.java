// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.LockSummary;
import io.boltwork.Replication;
import io.boltwork.redis.cluster.ClusterRouting;
import io.boltwork.redis.wire.Slots;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests locks on a real cluster of Redis 7 whose masters are healthy. */
class ClusterTest {
    private static ClusterGroup group;

    private final List<LockClient> clients = new ArrayList<>();

    @BeforeAll
    static void start() {
        group = ClusterGroup.start(3, 1, ClusterSite.PATIENT);
    }

    @AfterAll
    static void stop() {
        group.close();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(LockClient::close);
        group.masters().forEach(master -> master.command("FLUSHALL"));
    }

    private LockClient client() {
        LockClient client = LockClient.create(RedisBackend.connectCluster(group.uris()));
        clients.add(client);
        return client;
    }

    private static int slot(String lock) {
        return Slots.of("boltwork:{" + lock + "}");
    }

    private static RedisServer other(RedisServer master) {
        return group.masters().stream()
                .filter(each -> each != master)
                .findFirst()
                .orElseThrow();
    }

    private static <T> T get(CompletableFuture<T> future) {
        assertThat(future).succeedsWithin(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
        return future.join();
    }

    private static void queued(LockClient looks, String lock, int waiting) {
        Await.until(
                waiting + " wait for " + lock,
                () -> looks.inspector().describe(lock).queue().size() == waiting);
    }

    /** Returns names in the slot of the first one. */
    private static List<String> inOneSlot(int count) {
        return Stream.concat(
                        Stream.of("stock"), IntStream.iterate(0, i -> i + 1).mapToObj(i -> "stock-" + i))
                .filter(name -> slot(name) == slot("stock"))
                .limit(count)
                .toList();
    }

    private static Set<String> channels(RedisServer master) {
        Set<String> channels = new HashSet<>();
        ((List<?>) Objects.requireNonNull(master.command("PUBSUB", "SHARDCHANNELS")))
                .forEach(channel -> channels.add(String.valueOf(channel)));
        return channels;
    }

    @Test
    void locksAreSpreadOverAllMastersAndListedTogether() {
        LockClient client = client();
        LockClient waiting = client();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 90; i++) {
            names.add("lock-" + i);
            client.lock("lock-" + i).lock();
        }
        for (RedisServer master : group.masters()) {
            assertThat((Long) master.command("DBSIZE")).as("keys at " + master).isBetween(15L, 60L);
        }
        waiting.lock("lock-7").acquireAsync();
        queued(client, "lock-7", 1);
        List<LockSummary> seen = client.inspector().list("lock-*", 1_000);
        assertThat(seen).extracting(LockSummary::name).containsExactlyInAnyOrderElementsOf(names);
        assertThat(client.inspector().clients()).hasSize(2);
        assertThat(client.inspector().describe("lock-7").holders()).hasSize(1);
        assertThat(client.health().nodes()).hasSize(3).allMatch(node -> node.reachable());
        names.forEach(name -> client.lock(name).unlock());
    }

    @Test
    void aWaiterListensOnOneChannelPerSlotUntilItIsUnused() throws Exception {
        LockClient holder = client();
        RedisBackend backend = RedisBackend.connectCluster(group.uris());
        LockClient waiter = LockClient.create(backend);
        clients.add(waiter);
        List<String> names = new ArrayList<>(inOneSlot(20));
        IntStream.range(0, Boolean.getBoolean("boltwork.proof") ? 10_000 : 200).forEach(i -> names.add("lock-" + i));
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        List<Lease> held = new ArrayList<>();
        for (String name : names) {
            held.add(holder.lock(name).acquire());
            waiting.add(waiter.lock(name).acquireAsync().toCompletableFuture());
        }
        names.forEach(name -> queued(holder, name, 1));
        Set<Integer> slots = new HashSet<>();
        names.forEach(name -> slots.add(slot(name)));
        assertThat(listened()).isEqualTo(slots);
        held.forEach(Lease::release);
        waiting.forEach(future -> get(future).release());
        sweep(backend);
        assertThat(listened()).as("they have just been used").isEqualTo(slots);
        sweep(backend);
        Await.until("no client listens any more", () -> listened().isEmpty());
    }

    /** Checks resubscription, which takes one command per slot: a server accepts only one slot in one command. */
    @Test
    void waitersListenAgainAfterConnectionsWereLost() {
        LockClient holder = client();
        LockClient waiter = client();
        List<Lease> held = new ArrayList<>();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        Set<Integer> slots = new HashSet<>();
        for (int i = 0; i < 60; i++) {
            String name = "lock-" + i;
            slots.add(slot(name));
            held.add(holder.lock(name).acquire());
            waiting.add(waiter.lock(name).acquireAsync().toCompletableFuture());
            queued(holder, name, 1);
        }
        for (RedisServer master : group.masters()) {
            master.command("CLIENT", "KILL", "TYPE", "pubsub");
        }
        Await.until("they listen again", () -> listened().equals(slots));
        held.forEach(Lease::release);
        long begin = System.nanoTime();
        waiting.forEach(future -> get(future).release());
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("no waiter had to ask again after 5 s")
                .isLessThan(Slack.of(Duration.ofSeconds(3)));
    }

    private static Set<Integer> listened() {
        Set<Integer> slots = new HashSet<>();
        for (RedisServer master : group.masters()) {
            channels(master)
                    .forEach(channel -> assertThat(slots.add(Slots.of(channel)))
                            .as("one channel for the client and " + Slots.of(channel))
                            .isTrue());
        }
        return slots;
    }

    private static void sweep(RedisBackend backend) throws Exception {
        ((ClusterRouting) backend.servers()).sweep().get(10, TimeUnit.SECONDS);
    }

    @Test
    void aSlotMovesWhileItsLockIsHeldAndWaitedFor() {
        LockClient ours = client();
        LockClient theirs = client();
        List<LockListener.BackendDown> outages = new ArrayList<>();
        ours.addListener(new LockListener() {
            @Override
            public void backendDown(BackendDown event) {
                outages.add(event);
            }
        });
        Lease held = ours.lock("stock").acquire();
        CompletableFuture<Lease> waiting = theirs.lock("stock").acquireAsync().toCompletableFuture();
        queued(ours, "stock", 1);
        RedisServer from = group.masterOf(slot("stock"));
        RedisServer to = other(from);
        group.moveSlot(slot("stock"), from, to);
        try {
            held.ensureValid();
            held.extend(Duration.ofSeconds(20));
            Await.until(
                    "the waiter listens at the new master", () -> channels(to).size() == 1);
            held.release();
            Lease next = get(waiting);
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
            next.release();
            assertThat(outages).isEmpty();
        } finally {
            group.moveSlot(slot("stock"), to, from);
        }
    }

    @Test
    void aHalfMovedSlotCanBeUsed() {
        LockClient ours = client();
        LockClient theirs = client();
        int slot = slot("stock");
        RedisServer from = group.masterOf(slot);
        RedisServer to = other(from);
        List<String> names = inOneSlot(6);
        String moved = names.get(0);
        String stays = names.get(1);
        String fresh = names.get(2);
        Lease first = ours.lock(moved).acquire();
        group.beginMove(slot, from, to);
        group.moveKeys(slot, from, to);
        try {
            first.extend(Duration.ofSeconds(40));
            handOver(ours, theirs, moved, first);
            handOver(ours, theirs, fresh, ours.lock(fresh).acquire());
            assertThat(theirs.lock(stays).tryLock()).isTrue();
            theirs.lock(stays).unlock();
            assertThat(ours.inspector().describe(fresh).holders()).isEmpty();
        } finally {
            group.endMove(slot, to);
        }
        handOver(ours, theirs, moved, ours.lock(moved).acquire());
        group.moveSlot(slot, to, from);
    }

    private void handOver(LockClient ours, LockClient theirs, String name, Lease held) {
        CompletableFuture<Lease> waiting = theirs.lock(name).acquireAsync().toCompletableFuture();
        queued(ours, name, 1);
        held.release();
        long begin = System.nanoTime();
        Lease next = get(waiting);
        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("the message came, so the waiter did not have to ask again after 5 s")
                .isLessThan(Slack.of(Duration.ofSeconds(2)));
        assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        next.release();
    }

    @Test
    void leasesInAHalfMovedSlotAreRenewed() {
        LockClient client = client();
        int slot = slot("stock");
        RedisServer from = group.masterOf(slot);
        RedisServer to = other(from);
        List<String> names = inOneSlot(6);
        LockOptions threeSeconds = LockOptions.renewedLease(Duration.ofSeconds(3));
        List<Lease> leases = names.stream()
                .map(name -> client.lock(name, threeSeconds).acquire())
                .toList();
        group.beginMove(slot, from, to);
        for (String name : names.subList(0, 3)) {
            from.command("MIGRATE", to.host(), "" + to.port(), "boltwork:{" + name + "}", "0", "5000");
        }
        try {
            long first = System.nanoTime();
            Await.within(
                    Duration.ofSeconds(20),
                    "they have been held for longer than a lease",
                    () -> System.nanoTime() - first > Duration.ofSeconds(4).toNanos());
            assertThat(leases).allMatch(Lease::isValid);
            leases.forEach(Lease::release);
        } finally {
            group.moveKeys(slot, from, to);
            group.endMove(slot, to);
            group.moveSlot(slot, to, from);
        }
    }

    @Test
    void manyLocksAtOnceAreReplicated() {
        LockOptions replicated = LockOptions.defaults().withReplication(Replication.atLeast(1, Duration.ofSeconds(1)));
        LockClient client = client();
        List<CompletableFuture<Lease>> acquired = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            acquired.add(client.lock("lock-" + i, replicated).acquireAsync().toCompletableFuture());
        }
        acquired.forEach(lease -> get(lease).release());
    }

    @Test
    void triesSucceedWhileSlotsMove() throws Exception {
        LockClient client = client();
        RedisServer from = group.masters().get(0);
        RedisServer to = group.masters().get(1);
        List<String> names = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "lock-" + i)
                .filter(name -> group.masterOf(slot(name)) == from)
                .limit(20)
                .toList();
        CompletableFuture<Void> moving = CompletableFuture.runAsync(() -> {
            group.reshard(names.stream().mapToInt(ClusterTest::slot).distinct(), from, to);
            group.reshard(names.stream().mapToInt(ClusterTest::slot).distinct(), to, from);
        });
        int pairs = 0;
        while (!moving.isDone() || pairs < 1_000) {
            FencedLock lock = client.lock(names.get(pairs++ % names.size()));
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
        }
        get(moving);
    }
}
