package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.testkit.Await;
import io.boltwork.testkit.RedisServer;
import io.boltwork.testkit.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What locking costs at the server, as the server counts it. */
class RequestCountTest {
    private static final String NAME = "stock:1001";
    private static RedisServer server;

    private final List<LockClient> clients = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
        try (LockClient first = LockClient.create(RedisBackend.connect(server.uri()))) {
            first.lock(NAME).lock(); // loads the scripts
            first.lock(NAME).unlock();
        }
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(LockClient::close);
        clients.clear();
    }

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    @Test
    void anUncontendedPairTakesTwoRequestsAndNestingNone() {
        FencedLock lock = newLock(ClientOptions.defaults());
        CommandStats.reset(server);
        for (int i = 0; i < 100; i++) {
            lock.lock();
            lock.lock();
            lock.acquire().close();
            lock.unlock();
            lock.unlock();
        }
        CommandStats stats = CommandStats.of(server);
        assertThat(stats.requests()).as(stats.toString()).isEqualTo(200);
        assertThat(stats.of("publish")).as(stats.toString()).isZero();
    }

    @Test
    void aHandoverToAnotherThreadTakesNoRequest() {
        FencedLock lock = newLock(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        CommandStats.reset(server);
        lock.lock();
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiters.add(lock.acquireAsync()
                    .thenCompose(lease -> lease.releaseAsync())
                    .toCompletableFuture());
        }
        lock.unlock();
        waiters.forEach(RequestCountTest::get);
        CommandStats stats = CommandStats.of(server);
        assertThat(stats.requests()).as(stats.toString()).isEqualTo(2);
    }

    @Test
    void aHandoverToAnotherClientTakesOneRequest() {
        FencedLock ours = newLock(ClientOptions.defaults());
        FencedLock theirs = newLock(ClientOptions.defaults());
        ours.lock();
        CommandStats.reset(server);
        CompletableFuture<Void> waiter = CompletableFuture.runAsync(theirs::lock, threads);
        Await.until("the other client waits", () -> CommandStats.of(server).requests() == 1);
        CommandStats.reset(server);
        ours.unlock();
        get(waiter);
        CommandStats stats = CommandStats.of(server);
        assertThat(stats.requests()).as(stats.toString()).isEqualTo(1);
        assertThat(stats.of("publish")).as(stats.toString()).isEqualTo(1);
    }

    @Test
    void commandsPerHandoverDoNotGrowWithTheClients() {
        long few = Long.MAX_VALUE;
        for (int clients : new int[] {4, 2, 32}) { // of two, only one waits: the queue is always empty in between
            CommandStats stats = afterHandovers(clients, 500);
            String of = clients + " clients: " + stats;
            assertThat(stats.requests())
                    .as("acquire and release, and a card of each client every 20 s, " + of)
                    .isBetween(1_000L, 1_000L + clients);
            assertThat(stats.of("publish")).as("nobody is woken in vain, " + of).isLessThanOrEqualTo(500);
            few = clients == 4 ? stats.total() * 102 / 100 : few;
            assertThat(stats.total()).as(of + "; for four and a little: " + few).isLessThanOrEqualTo(few);
        }
    }

    /** Each holder waits until all others wait, so that the server does the same work on every machine. */
    private CommandStats afterHandovers(int parties, int handovers) {
        List<FencedLock> locks = new ArrayList<>();
        for (int i = 0; i < parties; i++) {
            locks.add(newLock(ClientOptions.defaults()));
        }
        CommandStats.reset(server);
        AtomicInteger left = new AtomicInteger(handovers);
        AtomicInteger released = new AtomicInteger();
        List<CompletableFuture<Void>> loops = new ArrayList<>();
        for (FencedLock lock : locks) {
            loops.add(CompletableFuture.runAsync(
                    () -> {
                        while (left.getAndDecrement() > 0) {
                            lock.lock();
                            int before = released.getAndIncrement();
                            long asked = Math.min(handovers, before + parties);
                            Await.until(
                                    "the others wait",
                                    () -> CommandStats.of(server).requests() >= asked + before);
                            lock.unlock();
                        }
                    },
                    threads));
        }
        loops.forEach(RequestCountTest::get);
        CommandStats stats = CommandStats.of(server);
        closeClients();
        return stats;
    }

    private FencedLock newLock(ClientOptions options) {
        LockClient client = LockClient.create(RedisBackend.connect(server.uri()), options);
        clients.add(client);
        Await.until(
                "all have announced themselves, which is no request for a lock",
                () -> client.inspector().clients().size() == clients.size());
        return client.lock(NAME);
    }

    private static <T> void get(CompletableFuture<T> future) {
        assertThat(future).succeedsWithin(Slack.seconds(30).toMillis(), TimeUnit.MILLISECONDS);
    }
}
