// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.contract.FaultyStore;
import io.boltwork.store.RecordBackend;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;

/** Clients, sessions and the cost of a lock on ZooKeeper. */
class ZooKeeperBackendTest {
    private final ZooKeeperSite site = ZooKeeperSite.shared();
    private final String name = "backend:" + UUID.randomUUID();

    private CuratorFramework framework() {
        CuratorFramework framework =
                CuratorFrameworkFactory.newClient(site.connectString(), 4_000, 2_000, new RetryOneTime(100));
        framework.start();
        return framework;
    }

    private static ZooKeeper session(CuratorFramework framework) {
        try {
            return framework.getZookeeperClient().getZooKeeper();
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Returns the number of requests that a framework has sent. */
    private static int requests(CuratorFramework framework) {
        Matcher xid = Pattern.compile(" xid:(\\d+)").matcher(session(framework).toString());
        assertThat(xid.find()).isTrue();
        return Integer.parseInt(xid.group(1));
    }

    @Test
    void pairTakesTwoRequestsIfThisClientUsedTheLockLast() {
        try (CuratorFramework framework = framework();
                LockClient client = LockClient.create(ZooKeeperBackend.on(framework, ZooKeeperSite.options()))) {
            FencedLock lock = client.lock(name);
            lock.lock();
            lock.unlock();
            assertThat(median(() -> requestsOfPairs(framework, lock, 10))).isEqualTo(20);
            assertThat(median(() -> {
                        useElsewhere();
                        return requestsOfPairs(framework, lock, 1);
                    }))
                    .as("a write that comes too late, a read, a write; a write")
                    .isEqualTo(4);
        }
    }

    /** Returns the median of five counts, because a client also makes requests of its own about every two seconds. */
    private static int median(IntSupplier count) {
        return IntStream.range(0, 5).map(i -> count.getAsInt()).sorted().toArray()[2];
    }

    private static int requestsOfPairs(CuratorFramework framework, FencedLock lock, int pairs) {
        int before = requests(framework);
        for (int i = 0; i < pairs; i++) {
            lock.lock();
            lock.unlock();
        }
        return requests(framework) - before;
    }

    @Test
    void leasesAreExtendedTogether() {
        try (CuratorFramework framework = framework();
                LockClient client = LockClient.create(ZooKeeperBackend.on(framework, ZooKeeperSite.options()))) {
            int leases = 60;
            LockOptions options = LockOptions.renewedLease(Duration.ofSeconds(3));
            List<Lease> held = new ArrayList<>();
            for (int i = 0; i < leases; i++) {
                held.add(client.lock(name + i, options).acquire());
            }
            int before = requests(framework);
            Instant end = Instant.now().plusSeconds(6);
            Await.until("two leases have passed", () -> Instant.now().isAfter(end));
            assertThat(requests(framework) - before).as("renewals").isLessThan(leases);
            assertThat(held).allMatch(Lease::isValid).allMatch(Lease::verify);
            held.forEach(Lease::release);
        }
    }

    private void useElsewhere() {
        try (LockClient other = LockClient.create(site.newBackend())) {
            other.lock(name).lock();
            other.lock(name).unlock();
        }
    }

    @Test
    void leaseOutlivesTheSession() throws Exception {
        try (CuratorFramework framework = framework();
                LockClient client = LockClient.create(ZooKeeperBackend.on(framework, ZooKeeperSite.options()));
                LockClient other = LockClient.create(site.newBackend())) {
            Lease lease = client.lock(name, LockOptions.renewedLease(Duration.ofSeconds(10)))
                    .acquire();
            ZooKeeper first = session(framework);
            end(first);
            Await.until(
                    "another session",
                    () -> session(framework) != first
                            && session(framework).getState().isConnected());
            assertThat(other.lock(name).tryLock()).isFalse();
            assertThat(lease.isValid()).isTrue();
            Await.until("it can be verified again", () -> verified(lease));
            Task<Long> waiting = Task.start("caller", () -> {
                other.lock(name).lock();
                return 1L;
            });
            Await.until(
                    "it waits", () -> !other.inspector().describe(name).queue().isEmpty());
            lease.release();
            assertThat(waiting.get()).isEqualTo(1L);
            FencedLock mine = client.lock(name);
            assertThat(mine.tryLock()).isFalse();
        }
    }

    private static boolean verified(Lease lease) {
        try {
            return lease.verify();
        } catch (BackendException later) {
            return false;
        }
    }

    /** Ends a session as if it had timed out. */
    private void end(ZooKeeper session) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        Watcher watcher = event -> connected.countDown();
        try (ZooKeeper twin = new ZooKeeper(
                site.connectString(), 4_000, watcher, session.getSessionId(), session.getSessionPasswd())) {
            connected.await();
        }
    }

    @Test
    void clientThatStopsBetweenReadingAndWritingDelaysNoOther() throws Exception {
        FaultyStore.StoreFaults faults = new FaultyStore.StoreFaults();
        FaultyStore store = new FaultyStore(
                new ZooKeeperStore(
                        new ZooKeeperConnector(site.connectString(), null, ZooKeeperSite.options()),
                        ZooKeeperSite.options()),
                faults);
        try (LockClient stopped = LockClient.create(RecordBackend.on(store));
                LockClient other = LockClient.create(site.newBackend())) {
            CountDownLatch reading = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            store.beforeWrite(() -> {
                store.beforeWrite(null);
                reading.countDown();
                await(goOn);
            });
            Task<Boolean> late = Task.start("caller", () -> stopped.lock(name).tryLock());
            reading.await();
            FencedLock lock = other.lock(name);
            assertThat(lock.tryLock()).isTrue();
            goOn.countDown();
            assertThat(late.get()).as("its write fails, and the lock is held").isFalse();
            lock.unlock();
            assertThat(stopped.lock(name).tryLock()).isTrue();
            stopped.lock(name).unlock();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void serverThatCannotBeReachedIsNamed() {
        assertThatThrownBy(() -> LockClient.create(ZooKeeperBackend.connect("127.0.0.1:1")))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("127.0.0.1:1");
    }
}
