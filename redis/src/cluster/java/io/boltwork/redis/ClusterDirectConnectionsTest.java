// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockException;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers that execute their commands over connections of their own to the masters of a cluster. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ClusterDirectConnectionsTest {
    private static final String LOCK = "direct";
    private static final int SLOT = ClusterTurns.slot(LOCK);

    private static ClusterGroup group;

    private final List<LockClient> clients = new ArrayList<>();

    @BeforeAll
    static void start() {
        group = ClusterGroup.start(3, 0, ClusterSite.PATIENT);
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

    private LockClient client(List<String> uris) {
        LockClient client = LockClient.create(RedisBackend.connectCluster(uris));
        clients.add(client);
        return client;
    }

    private LockClient client() {
        return client(group.uris());
    }

    /** Uses a lock so often that its caller gets a connection to its master. */
    static FencedLock warm(LockClient client) {
        return pairs(client.lock(LOCK), 100);
    }

    private static FencedLock pairs(FencedLock lock, int count) {
        for (int i = 0; i < count; i++) {
            lock.lock();
            lock.unlock();
        }
        return lock;
    }

    private static RedisServer other(RedisServer master) {
        return group.masters().stream()
                .filter(each -> each != master)
                .findFirst()
                .orElseThrow();
    }

    /** Returns the number of connections with these words. */
    private static long connections(RedisServer master, String... words) {
        return String.valueOf(master.command("CLIENT", "LIST"))
                .lines()
                .filter(line -> List.of(line.split(" ")).containsAll(List.of(words)))
                .count();
    }

    /** Returns the number of connections of callers, which use an older protocol than the main ones. */
    static long direct(RedisServer master) {
        return connections(master, "resp=2", "cmd=evalsha");
    }

    private void aLoneThreadExecutesItsCommands(ClusterGroup at) {
        FencedLock lock = warm(client(at.uris()));
        RedisServer master = at.masterOf(SLOT);
        Await.until("the main connection executes nothing but pings", () -> {
            CommandStats.reset(at.nodes());
            pairs(lock, 100);
            return connections(master, "cmd=evalsha") == 1
                    && CommandStats.of(at.nodes()).requests() == 200;
        });
    }

    @Test
    void aLoneThreadGetsAConnectionToOneMasterAndSendsTheSameCommands() {
        aLoneThreadExecutesItsCommands(group);
        for (RedisServer master : group.masters()) {
            assertThat(direct(master)).isEqualTo(master == group.masterOf(SLOT) ? 1 : 0);
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "slow: -Dboltwork.proof=true")
    void soItIsWithoutShardedChannels() {
        try (ClusterGroup old = ClusterGroup.startEmbedded(3, 0, ClusterSite.PATIENT)) {
            aLoneThreadExecutesItsCommands(old);
            clients.forEach(LockClient::close);
        }
    }

    @Test
    void aCallerIsRedirectedByTheMasterThatLosesTheSlot() {
        FencedLock lock = warm(client());
        RedisServer from = group.masterOf(SLOT);
        RedisServer to = other(from);
        group.beginMove(SLOT, from, to);
        group.moveKeys(SLOT, from, to);
        CommandStats.reset(group.nodes());
        pairs(lock, 10);
        assertThat(CommandStats.of(to).of("asking")).isGreaterThanOrEqualTo(20);
        group.endMove(SLOT, to);
        pairs(lock, 10);
        Await.until("the caller has a connection to the new master", () -> {
            pairs(lock, 10);
            return direct(to) == 1;
        });
        group.moveSlot(SLOT, to, from);
    }

    /** Neither client has listened for grants of the slot before. */
    @Test
    void aCallerThatHasToWaitIsWoken() {
        FencedLock holders = warm(client());
        FencedLock waiters = warm(client());
        for (int i = 0; i < 3; i++) {
            Lease held = holders.acquire();
            Task<Lease> waiting = Task.start("waits", waiters::acquire);
            Await.until(
                    "it waits",
                    () -> clients.get(0).inspector().describe(LOCK).queue().size() == 1);
            long begin = System.nanoTime();
            held.release();
            waiting.get().release();
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("no waiter had to ask again after 5 s")
                    .isLessThan(Slack.of(Duration.ofSeconds(3)));
        }
    }

    @Test
    void exclusionHoldsWhileTheSlotMoves() {
        RedisServer from = group.masterOf(SLOT);
        RedisServer to = other(from);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger inside = new AtomicInteger();
        AtomicLong lastToken = new AtomicLong();
        AtomicIntegerArray turns = new AtomicIntegerArray(2);
        List<Task<Boolean>> takers = new ArrayList<>();
        for (int i = 0; i < turns.length(); i++) {
            int taker = i;
            FencedLock lock = warm(client());
            takers.add(Task.start("taker", () -> {
                while (!stop.get()) {
                    lock.lock();
                    assertThat(inside.incrementAndGet()).isEqualTo(1);
                    long token = lock.currentLease().orElseThrow().fencingToken();
                    assertThat(token).isGreaterThan(lastToken.getAndSet(token));
                    inside.decrementAndGet();
                    lock.unlock();
                    turns.incrementAndGet(taker);
                }
                return true;
            }));
        }
        try {
            for (int i = 0; i < 5; i++) {
                group.moveSlot(SLOT, from, to);
                Await.until("callers have connections to the new master", () -> direct(to) > 0);
                awaitTurns(turns);
                group.moveSlot(SLOT, to, from);
                awaitTurns(turns);
            }
        } finally {
            stop.set(true);
        }
        takers.forEach(Task::get);
    }

    /** Awaits turns of all, so that no command of earlier ones is still being redirected. */
    private static void awaitTurns(AtomicIntegerArray turns) {
        for (int i = 0; i < turns.length(); i++) {
            int taker = i;
            int before = turns.get(taker);
            Await.until("more turns", () -> turns.get(taker) > before + 5);
        }
    }

    // ================================================================ mapped addresses

    static ClientResources mapping(Function<HostAndPort, HostAndPort> addresses) {
        return ClientResources.builder()
                .socketAddressResolver(MappingSocketAddressResolver.create(addresses))
                .build();
    }

    /** A client that reaches the masters through proxies, which their addresses are mapped to. */
    private static final class Proxied implements AutoCloseable {
        private final Map<Integer, RespProxy> proxies = new HashMap<>();
        private final ClientResources resources;
        private final List<Thread> answering = new CopyOnWriteArrayList<>();
        private final AtomicReference<@Nullable String> error = new AtomicReference<>();
        final LockClient client;

        Proxied(int connections) {
            group.masters().forEach(master -> proxies.put(master.port(), new RespProxy(master)));
            proxies.values().forEach(proxy -> proxy.change(this::answer));
            resources = mapping(announced -> HostAndPort.of(
                    announced.getHostText(), proxies.get(announced.getPort()).port()));
            client = LockClient.create(RedisBackend.connectCluster(
                    group.uris(),
                    RedisOptions.defaults().withClientResources(resources).withDirectConnections(connections)));
        }

        private RespProxy.Value answer(RespProxy.Value value) {
            if (!value.isLockAnswer() || value.elements().size() == 2) { // the latter of an announcement
                return value;
            }
            answering.add(Thread.currentThread()); // there is one for each connection
            String next = error.getAndSet(null);
            return next == null ? value : RespProxy.Value.error(next);
        }

        /** Replaces the first answer to a call. Returns what the call leads to. */
        String led(String instead, Supplier<?> call) {
            answering.clear();
            error.set(instead);
            try {
                return String.valueOf(call.get());
            } catch (LockException e) {
                return e.toString().replaceAll("\\d+", "N");
            }
        }

        @Override
        public void close() {
            client.close();
            resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
            proxies.values().forEach(RespProxy::close);
        }
    }

    private static List<String> led(String error, int connections) throws InterruptedException {
        try (Proxied proxied = new Proxied(connections)) {
            FencedLock lock = proxied.client.lock(LOCK);
            pairs(lock, 1);
            Thread main = proxied.answering.get(0);
            warm(proxied.client);
            String tried = proxied.led(error, lock::tryLock);
            assertThat(proxied.answering.get(0) == main).isEqualTo(connections == 0);
            while (lock.isHeldByCurrentThread()) {
                lock.unlock();
            }
            Lease lease =
                    proxied.client.lock(LOCK).tryAcquire(Duration.ofSeconds(10)).orElseThrow();
            String released = proxied.led(error, () -> {
                lease.release();
                return "released";
            });
            try (LockClient other = LockClient.create(RedisBackend.connectCluster(group.uris()))) {
                other.lock(LOCK)
                        .tryAcquire(Duration.ofSeconds(10))
                        .orElseThrow()
                        .release();
            }
            return List.of(tried, released);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MOVED <slot> 127.0.0.1:<port>",
                "MOVED <slot> 127.0.0.1:<other>",
                "ASK <slot> 127.0.0.1:<other>",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CLUSTERDOWN The cluster is down",
                "CLUSTERDOWN Hash slot not served",
                "READONLY You can't write against a read only replica.",
                "LOADING Redis is loading the dataset in memory",
                "MASTERDOWN Link with MASTER is down",
                "NOSCRIPT No matching script. Please use EVAL.",
                "ERR Script attempted to access a non local key in a cluster node script: f00"
            })
    void anErrorLeadsToTheSameAsOnTheMainConnection(String error) throws InterruptedException {
        RedisServer master = group.masterOf(SLOT);
        String said = error.replace("<slot>", Integer.toString(SLOT))
                .replace("<port>", Integer.toString(master.port()))
                .replace("<other>", Integer.toString(other(master).port()));
        assertThat(led(said, 2)).isEqualTo(led(said, 0));
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void anUnusedConnectionIsClosedAfterTenSeconds() {
        RedisServer master = group.masterOf(SLOT);
        warm(client());
        assertThat(direct(master)).isEqualTo(1);
        Await.within(Duration.ofSeconds(18), "it is closed", () -> direct(master) == 0);
    }
}
