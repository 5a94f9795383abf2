// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the cost of locking at the servers, as they count it. */
abstract class RequestCounts {
    private static final String NAME = "stock:1001";

    private final List<LockClient> clients = new ArrayList<>();
    /** The script, and in it time, the nonce, the fields, one used lock, two ends of lists, and the expiry. */
    private static final long COMMANDS_OF_A_RECORD = 8;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Returns all servers that may execute commands. */
    abstract List<RedisServer> servers();

    abstract LockBackend connect();

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
    void anUncontendedPairTakesTwoRequestsAndNestingTakesNone() {
        FencedLock lock = newLock(ClientOptions.defaults());
        lock.lock(); // loads the scripts
        lock.unlock();
        CommandStats.reset(servers());
        for (int i = 0; i < 100; i++) {
            lock.lock();
            lock.lock();
            lock.acquire().close();
            lock.unlock();
            lock.unlock();
        }
        CommandStats stats = CommandStats.of(servers());
        assertThat(stats.requests()).as(stats.toString()).isEqualTo(200);
        assertThat(stats.published()).as(stats.toString()).isZero();
    }

    @Test
    void aHandoverToAnotherThreadTakesNoRequest() {
        FencedLock lock = newLock(ClientOptions.defaults().withSlice(Duration.ofSeconds(1)));
        CommandStats.reset(servers());
        lock.lock();
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiters.add(lock.acquireAsync()
                    .thenCompose(lease -> lease.releaseAsync())
                    .toCompletableFuture());
        }
        lock.unlock();
        waiters.forEach(RequestCounts::get);
        CommandStats stats = CommandStats.of(servers());
        assertThat(stats.requests()).as(stats.toString()).isEqualTo(2);
    }

    @Test
    void aHandoverToAnotherClientTakesOneRequest() {
        FencedLock ours = newLock(ClientOptions.defaults());
        FencedLock theirs = newLock(ClientOptions.defaults());
        allHaveWaited(List.of(ours, theirs));
        ours.lock();
        CommandStats.reset(servers());
        CompletableFuture<Void> waiter = CompletableFuture.runAsync(theirs::lock, threads);
        Await.until("the other client waits", () -> CommandStats.of(servers()).requests() == 1);
        CommandStats.reset(servers());
        ours.unlock();
        get(waiter);
        CommandStats stats = CommandStats.of(servers());
        assertThat(stats.requests()).as(stats.toString()).isEqualTo(1);
        assertThat(stats.published()).as(stats.toString()).isEqualTo(1);
        assertThat(stats.total())
                .as("the request, and in it time, lock, queue, leaving, message, owner: " + stats)
                .isEqualTo(7);
    }

    @Test
    void commandsPerHandoverDoNotGrowWithMoreClients() {
        long few = Long.MAX_VALUE;
        for (int clients : new int[] {4, 2, 32}) { // with two clients only one waits, so the queue is empty in between
            CommandStats stats = afterHandovers(clients, 500);
            String of = clients + " clients: " + stats;
            assertThat(stats.requests() - announced(stats))
                    .as("acquire and release, " + of)
                    .isBetween(1_000L, 1_000L + clients);
            assertThat(stats.published())
                    .as("no waiter is woken in vain, " + of)
                    .isLessThanOrEqualTo(500);
            long total = stats.total() - COMMANDS_OF_A_RECORD * announced(stats);
            few = clients == 4 ? total * 102 / 100 : few;
            assertThat(total).as(of + "; for four clients and 2 % more: " + few).isLessThanOrEqualTo(few);
        }
    }

    /**
     * Returns how often clients have announced themselves, which they do every two seconds while they use locks. Only
     * that sets the expiry of a key here: those of locks are set again after minutes.
     */
    private static long announced(CommandStats stats) {
        return stats.of("pexpire");
    }

    /**
     * Runs handovers in which each holder waits until all others wait, so that the server does the same work on every
     * machine.
     */
    private CommandStats afterHandovers(int parties, int handovers) {
        List<FencedLock> locks = new ArrayList<>();
        for (int i = 0; i < parties; i++) {
            locks.add(newLock(ClientOptions.defaults()));
        }
        allHaveWaited(locks);
        CommandStats.reset(servers());
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
                            Await.until("the others wait", () -> {
                                CommandStats stats = CommandStats.of(servers());
                                return stats.requests() - announced(stats) >= asked + before;
                            });
                            lock.unlock();
                        }
                    },
                    threads));
        }
        loops.forEach(RequestCounts::get);
        CommandStats stats = CommandStats.of(servers());
        closeClients();
        return stats;
    }

    /** Lets each client wait once, because in a cluster a client listens to a slot from its first wait there on. */
    private void allHaveWaited(List<FencedLock> locks) {
        FencedLock first = locks.get(0);
        FencedLock last = locks.get(locks.size() - 1);
        for (FencedLock lock : locks) {
            FencedLock other = lock == first ? last : first;
            other.lock();
            CompletionStage<Void> waited = lock.acquireAsync().thenCompose(Lease::releaseAsync);
            Await.until(
                    "it waits",
                    () -> !clients.get(0).inspector().describe(NAME).queue().isEmpty());
            other.unlock();
            get(waited.toCompletableFuture());
        }
    }

    private FencedLock newLock(ClientOptions options) {
        LockClient client = LockClient.create(connect(), options);
        clients.add(client);
        Await.until(
                "all clients have announced themselves, which is no request for a lock",
                () -> client.inspector().clients().size() == clients.size());
        return client.lock(NAME);
    }

    private static <T> void get(CompletableFuture<T> future) {
        assertThat(future).succeedsWithin(Slack.seconds(30).toMillis(), TimeUnit.MILLISECONDS);
    }
}
