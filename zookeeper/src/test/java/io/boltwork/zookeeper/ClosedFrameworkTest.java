// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;

/** A framework of the user's that is not started, or is closed before the client that uses it. */
class ClosedFrameworkTest {
    /** Less than any time-out, and enough on a busy machine. */
    private static final Duration AT_ONCE = Duration.ofMillis(1_500);

    private static final String WHAT_TO_DO = "Close the LockClient first";

    private final ZooKeeperSite site = ZooKeeperSite.shared();
    private final String name = "closed:" + UUID.randomUUID();

    private CuratorFramework framework(String connectString) {
        return CuratorFrameworkFactory.newClient(connectString, 4_000, 2_000, new RetryOneTime(100));
    }

    private CuratorFramework started() {
        CuratorFramework framework = framework(site.connectString());
        framework.start();
        return framework;
    }

    private static List<Callable<?>> waits(LockClient client, String name) {
        FencedLock lock = client.lock(name);
        return List.of(
                () -> {
                    lock.lock();
                    return true;
                },
                () -> {
                    lock.lockInterruptibly();
                    return true;
                },
                () -> lock.tryLock(1, TimeUnit.HOURS),
                () -> client.readWriteLock(name).readLock().acquire(),
                () -> client.readWriteLock(name).writeLock().acquire(),
                () -> client.semaphore(name, 1).acquire(),
                () -> client.multiLock(lock, client.lock(name + "-2")).acquire(),
                () -> {
                    client.latch(name).await();
                    return true;
                },
                () -> {
                    FencedLock free = client.lock(name + "-free");
                    free.lock();
                    free.condition("changed").await();
                    return true;
                });
    }

    @Test
    void frameworkThatIsClosedEarlyEndsAllCallsAtOnce() {
        CuratorFramework framework = started();
        List<LockListener.BackendDown> told = new CopyOnWriteArrayList<>();
        try (LockClient other = LockClient.create(site.newBackend());
                LockClient client = LockClient.create(ZooKeeperBackend.on(framework, ZooKeeperSite.options()))) {
            client.addListener(new LockListener() {
                @Override
                public void backendDown(BackendDown event) {
                    told.add(event);
                }
            });
            other.lock(name).lock();
            other.readWriteLock(name).writeLock().lock();
            other.semaphore(name, 1).acquire();
            other.latch(name).trySetCount(1);
            client.lock(name + "-held").lock();
            List<Task<?>> waiting = new ArrayList<>();
            for (Callable<?> wait : waits(client, name)) {
                Task<?> task = Task.start("waits-" + waiting.size(), wait::call);
                waiting.add(task);
            }
            CompletableFuture<Lease> lease = client.lock(name).acquireAsync().toCompletableFuture();
            waiting.forEach(Task::awaitParked);
            Await.until("those for locks wait", () -> client.health().waiting() >= waiting.size() - 2);

            long closed = System.nanoTime();
            framework.close();
            Await.within(AT_ONCE, "it is noticed", () -> !client.isConnected());
            for (Task<?> task : waiting) {
                assertThat(task.failure())
                        .as(task.name())
                        .hasStackTraceContaining("closed by the application before the LockClient")
                        .hasStackTraceContaining(WHAT_TO_DO);
            }
            assertThat(lease).failsWithin(Slack.of(AT_ONCE));
            assertThat(Duration.ofNanos(System.nanoTime() - closed)).isLessThan(Slack.of(AT_ONCE.multipliedBy(2)));
            assertThatThrownBy(() -> client.lock(name + "-new").tryLock())
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            e -> assertThat(e.isRetryable()).isFalse())
                    .hasMessageContaining(WHAT_TO_DO);
            client.lock(name + "-held").unlock();
            Await.until("it is told", () -> !told.isEmpty());
            assertThat(told).hasSize(1);
            assertThat(told.get(0).cause()).hasMessageContaining(WHAT_TO_DO);

            long begun = System.nanoTime();
            client.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Slack.of(AT_ONCE));
        }
    }

    @Test
    void frameworkThatIsClosedWhileAServerIsSilentEndsCallsSoon() {
        CuratorFramework framework = started();
        try (LockClient other = LockClient.create(site.newBackend());
                LockClient client = LockClient.create(ZooKeeperBackend.on(framework, ZooKeeperSite.options()))) {
            other.lock(name).lock();
            Task<Boolean> waiting = Task.start("waits", () -> client.lock(name).tryLock(1, TimeUnit.HOURS));
            waiting.awaitParked();
            site.freeze();
            try {
                Task.start("closes", () -> {
                    framework.close();
                    return true;
                });
                assertThat(waiting.failure()).hasMessageContaining(WHAT_TO_DO);
                long begun = System.nanoTime();
                client.close();
                assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Slack.of(Duration.ofSeconds(2)));
            } finally {
                site.thaw();
            }
        }
    }

    @Test
    void frameworkThatIsNotStartedIsRefused() {
        try (CuratorFramework framework = framework(site.connectString())) {
            assertThatThrownBy(() -> ZooKeeperBackend.on(framework))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("framework must have been started")
                    .hasMessageContaining("start()");
        }
        CuratorFramework closed = started();
        closed.close();
        assertThatThrownBy(() -> ZooKeeperBackend.on(closed))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be started again");
    }

    @Test
    void frameworkThatIsClosedBeforeTheClientIsCreatedIsNotWaitedFor() {
        CuratorFramework closed = started();
        ZooKeeperBackend backend = ZooKeeperBackend.on(closed, ZooKeeperSite.options());
        closed.close();
        assertIsNotWaitedFor(backend);
    }

    @Test
    void frameworkThatIsClosedWhileTheClientConnectsIsNotWaitedFor() {
        CuratorFramework framework = framework("127.0.0.1:1");
        framework.start();
        ZooKeeperBackend backend =
                ZooKeeperBackend.on(framework, ZooKeeperSite.options().withConnectTimeout(Duration.ofMinutes(5)));
        Task<LockClient> creating = Task.start("creates", () -> LockClient.create(backend));
        creating.awaitParked();
        framework.close();
        assertThat(creating.failure()).isInstanceOf(BackendException.class).hasMessageContaining(WHAT_TO_DO);
    }

    private static void assertIsNotWaitedFor(ZooKeeperBackend backend) {
        long begun = System.nanoTime();
        assertThatThrownBy(() -> LockClient.create(backend))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining(WHAT_TO_DO);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Slack.of(Duration.ofSeconds(2)));
    }

    // ---- names

    @Test
    void unknownServerIsNamedAtOnce() {
        long begun = System.nanoTime();
        assertThatThrownBy(() -> LockClient.create(ZooKeeperBackend.connect("no-such-host.invalid:2181")))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("zookeeper://no-such-host.invalid:2181 cannot be reached: the name"
                        + " 'no-such-host.invalid' is unknown");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Slack.of(Duration.ofSeconds(3)));
    }

    @Test
    void unknownServerAmongOthersIsNamed() {
        ZooKeeperOptions options = ZooKeeperSite.options().withConnectTimeout(Slack.of(Duration.ofMillis(1_500)));
        assertThatThrownBy(() ->
                        LockClient.create(ZooKeeperBackend.connect("127.0.0.1:1,no-such-host.invalid:2181", options)))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("within")
                .hasMessageContaining("the name 'no-such-host.invalid' is unknown");
        ZooKeeperBackend backend =
                ZooKeeperBackend.connect("no-such-host.invalid:2181," + site.connectString(), ZooKeeperSite.options());
        try (LockClient client = LockClient.create(backend)) {
            assertThat(client.lock(name).tryLock()).isTrue();
        }
    }
}
