// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Rights of nodes, digests and chroots on a real ZooKeeper. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ZooKeeperRightsTest {
    private static final String DIGEST = "shop:secret";

    private final ZooKeeperSite site = ZooKeeperSite.shared();
    private final String root = "/rights-" + UUID.randomUUID();
    private final ZooKeeperOptions shop = ZooKeeperSite.options().withRoot(root).withDigest("shop", "secret");

    private LockClient client(ZooKeeperOptions options) {
        return LockClient.create(ZooKeeperBackend.connect(site.connectString(), options));
    }

    private static void handOver(LockClient from, LockClient to) {
        Lease lease = from.lock("rights").acquire();
        Task<Long> waiter = Task.start("waiter", () -> {
            try (Lease next = to.lock("rights").acquire()) {
                return next.fencingToken();
            }
        });
        Await.until(
                "it waits", () -> !from.inspector().describe("rights").queue().isEmpty());
        lease.release();
        assertThat(waiter.get()).isGreaterThan(lease.fencingToken());
    }

    private static ZooKeeper session(String servers) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        Watcher watcher = event -> connected.countDown();
        ZooKeeper session = new ZooKeeper(servers, 10_000, watcher);
        connected.await();
        return session;
    }

    private List<String> nodes(ZooKeeper session) throws Exception {
        List<String> found = new ArrayList<>(List.of(root));
        for (int i = 0; i < found.size(); i++) {
            for (String name : session.getChildren(found.get(i), false)) {
                found.add(found.get(i) + "/" + name);
            }
        }
        return found;
    }

    @Test
    void onlyTheUserOfTheDigestCanReadAndWriteTheNodes() throws Exception {
        try (LockClient one = client(shop);
                LockClient two = client(shop);
                ZooKeeper user = session(site.connectString());
                ZooKeeper other = session(site.connectString())) {
            handOver(one, two);
            user.addAuthInfo("digest", DIGEST.getBytes(StandardCharsets.UTF_8));
            List<String> nodes = nodes(user);
            assertThat(nodes).hasSizeGreaterThan(5);
            for (String node : nodes) {
                assertThat(user.getACL(node, null)).as(node).singleElement().satisfies(acl -> {
                    assertThat(acl.getId().getScheme()).isEqualTo("digest");
                    assertThat(acl.getId().getId()).startsWith("shop:").doesNotContain("secret");
                    assertThat(acl.getPerms()).isEqualTo(ZooDefs.Perms.ALL);
                });
                assertThatThrownBy(() -> other.getData(node, false, null))
                        .as(node)
                        .isInstanceOf(KeeperException.NoAuthException.class);
                assertThatThrownBy(() -> other.getChildren(node, false))
                        .as(node)
                        .isInstanceOf(KeeperException.NoAuthException.class);
                assertThatThrownBy(() -> other.setData(node, new byte[0], -1))
                        .as(node)
                        .isInstanceOf(KeeperException.NoAuthException.class);
            }
        }
    }

    @Test
    void clientsWithoutTheDigestAreRefusedForGood() {
        try (LockClient one = client(shop)) {
            one.lock("rights").acquire().release();
            for (ZooKeeperOptions wrong : List.of(
                    ZooKeeperSite.options().withRoot(root),
                    ZooKeeperSite.options().withRoot(root).withDigest("shop", "wrong"))) {
                assertThatThrownBy(() -> client(wrong))
                        .isInstanceOfSatisfying(
                                BackendException.class,
                                refused -> assertThat(refused.isRetryable()).isFalse())
                        .hasMessageContaining("NoAuth");
            }
        }
    }

    @Test
    void frameworkOfTheUsersMayHaveADigest() {
        try (CuratorFramework framework = CuratorFrameworkFactory.builder()
                .connectString(site.connectString())
                .authorization("digest", DIGEST.getBytes(StandardCharsets.UTF_8))
                .retryPolicy(new RetryOneTime(100))
                .build()) {
            framework.start();
            ZooKeeperOptions own = ZooKeeperSite.options().withRoot(root).withAcl(ZooDefs.Ids.CREATOR_ALL_ACL);
            try (LockClient one = LockClient.create(ZooKeeperBackend.on(framework, own));
                    LockClient two = client(shop)) {
                handOver(one, two);
                handOver(two, one);
            }
        }
    }

    private String made(String node) {
        return site.admin(
                session -> session.create(node, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
    }

    @Test
    void chrootThatDoesNotExistIsNamed() {
        assertThatThrownBy(() -> LockClient.create(
                        ZooKeeperBackend.connect(site.connectString() + "/no/such", ZooKeeperSite.options())))
                .isInstanceOfSatisfying(
                        BackendException.class,
                        refused -> assertThat(refused.isRetryable()).isFalse())
                .hasMessageContaining("The node /no/such, which is the chroot in ")
                .hasMessageContaining("does not exist. Make it");
    }

    @Test
    void chrootPrecedesTheRoot() {
        String apps = made("/apps-" + UUID.randomUUID());
        made(apps + "/shop");
        ZooKeeperOptions options = ZooKeeperSite.options();
        try (LockClient one =
                        LockClient.create(ZooKeeperBackend.connect(site.connectString() + apps + "/shop", options));
                LockClient two = LockClient.create(
                        ZooKeeperBackend.connect(site.connectString(), options.withRoot(apps + "/shop/boltwork")))) {
            handOver(one, two);
            handOver(two, one);
        }
    }

    @Test
    void chrootAndDigestWorkTogether() throws Exception {
        String apps = made("/apps-" + UUID.randomUUID());
        try (LockClient one = LockClient.create(ZooKeeperBackend.connect(site.connectString() + apps, shop));
                LockClient two = LockClient.create(ZooKeeperBackend.connect(site.connectString() + apps, shop));
                ZooKeeper other = session(site.connectString())) {
            handOver(one, two);
            assertThatThrownBy(() -> other.getChildren(apps + root, false))
                    .isInstanceOf(KeeperException.NoAuthException.class);
        }
    }
}
