// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.DistributedLatch;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.MultiLock;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the cost of locking at a standalone server. */
class RequestCountTest extends RequestCounts {
    private static RedisServer server;

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Test
    void aMultiLockTakesOneRequestAndItsReleaseAnother() {
        try (LockClient locks = LockClient.create(connect())) {
            Await.until(
                    "the client has announced itself",
                    () -> locks.inspector().clients().size() == 1);
            FencedLock[] members = new FencedLock[10];
            for (int i = 0; i < members.length; i++) {
                members[i] = i % 2 == 0
                        ? locks.lock("account:" + i)
                        : locks.readWriteLock("account:" + i).writeLock();
            }
            MultiLock all = locks.multiLock(members);
            all.lock();
            all.unlock();
            CommandStats.reset(servers());
            for (int i = 0; i < 10; i++) {
                all.lock();
                all.unlock();
                Lease lease = all.acquire();
                lease.release();
            }
            CommandStats stats = CommandStats.of(servers());
            assertThat(stats.requests())
                    .as("40; one more if the thread that handles replies sends a request of its own: " + stats)
                    .isBetween(40L, 44L);
        }
    }

    @Test
    void aThousandWaitersInFourClientsGetFourMessages() {
        List<LockClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                clients.add(LockClient.create(connect()));
            }
            DistributedLatch latch = clients.get(0).latch("start");
            latch.trySetCount(2);
            List<CompletionStage<Void>> waiters = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                waiters.add(clients.get(i % 4).latch("start").awaitAsync());
            }
            for (LockClient client : clients) {
                assertThat(get(client.latch("start").awaitAsync(Duration.ZERO)))
                        .isFalse(); // the others were asked before
            }
            CommandStats.reset(servers());
            latch.countDown();
            latch.countDown();
            waiters.forEach(RequestCountTest::get);
            CommandStats stats = CommandStats.of(servers());
            assertThat(stats.published()).as(stats.toString()).isEqualTo(4);
            assertThat(stats.requests()).as(stats.toString()).isLessThanOrEqualTo(2 + clients.size());
        } finally {
            clients.forEach(LockClient::close);
        }
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }

    @Override
    List<RedisServer> servers() {
        return List.of(server);
    }

    @Override
    LockBackend connect() {
        return RedisBackend.connect(server.uri());
    }
}
