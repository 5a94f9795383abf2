// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockOptions;
import io.boltwork.contract.RecordStoreContract;
import io.boltwork.spi.Command;
import io.boltwork.spi.ServerTime;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.StoreListener;
import io.boltwork.store.StoredText;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that ZooKeeper keeps the promises of a store, and what else is true of its records. */
class ZooKeeperStoreTest extends RecordStoreContract {
    private final ZooKeeperSite site = ZooKeeperSite.shared();
    private final String root = "/store-" + UUID.randomUUID();
    private final ZooKeeperOptions options = ZooKeeperSite.options().withRoot(root);
    private final List<ZooKeeperStore> stores = new ArrayList<>();
    private final RecordKey key = new RecordKey(RecordKey.Kind.LOCK, "lock");

    private static final StoreListener LISTENER = new StoreListener() {
        @Override
        public void message(String text) {}

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}

        @Override
        public void warned(String what) {}
    };

    @Override
    protected ZooKeeperStore newStore() {
        return new ZooKeeperStore(new ZooKeeperConnector(site.connectString(), null, options), options);
    }

    @Override
    protected boolean writesWithMessages() {
        return true;
    }

    private ZooKeeperStore store() {
        ZooKeeperStore store = newStore();
        store.open("client" + stores.size(), LISTENER);
        stores.add(store);
        return store;
    }

    private static RecordChange change(String text) {
        return new RecordChange(text, Long.MAX_VALUE / 10_000, Long.MAX_VALUE);
    }

    @AfterEach
    void closeStores() {
        stores.forEach(ZooKeeperStore::close);
    }

    @Test
    void whatOthersHaveWrittenIsNoLongerCurrent() {
        ZooKeeperStore a = store();
        ZooKeeperStore b = store();
        StoredText none = a.read(key);
        assertThat(a.isCurrent(key, none)).isTrue();
        assertThat(b.write(key, b.read(key), change("b"))).isTrue();
        assertThat(a.isCurrent(key, none)).isFalse();
        StoredText first = a.read(key);
        assertThat(a.isCurrent(key, first)).isTrue();
        assertThat(b.write(key, b.recall(key), change("b"))).isTrue();
        assertThat(a.isCurrent(key, first)).as("the same text again").isFalse();
        assertThat(b.write(key, b.recall(key), new RecordChange("brief", 0, Long.MAX_VALUE)))
                .isTrue();
        StoredText last = a.read(key);
        assertThat(a.isCurrent(key, last)).isTrue();
        Await.until("it is dropped", () -> {
            b.sweep();
            return a.read(key).text() == null;
        });
        assertThat(a.isCurrent(key, last)).isFalse();
    }

    @Test
    void leasesThatThisStoreHasNotReadAreExtendedTogether() {
        LockOptions hour = LockOptions.fixedLease(Duration.ofHours(1));
        try (LockClient holder = LockClient.create(ZooKeeperBackend.connect(site.connectString(), options))) {
            List<Command.Renew.Item> items = IntStream.range(0, 60)
                    .mapToObj(i -> "lease" + i)
                    .map(name -> {
                        Lease lease = holder.lock(name, hour).acquire();
                        LockInfo.Holder found =
                                holder.inspector().describe(name).holders().get(0);
                        return new Command.Renew.Item(name, found.request(), lease.fencingToken(), 7_200_000, 0);
                    })
                    .toList();
            assertThat(store().extendUnwanted(items, Long.MAX_VALUE, 0).locks()).hasSize(60);
            assertThat(holder.inspector().describe("lease59").holders().get(0).remaining())
                    .isGreaterThan(Duration.ofHours(1));
        }
    }

    @Test
    void clientIsSeenTogetherWithItsInbox() {
        store().rename("renamed");
        StorePaths paths = new StorePaths(root);
        Await.until("it is renamed", () -> transaction(paths.alive("renamed")) > 0);
        assertThat(transaction(paths.inbox("renamed"))).isEqualTo(transaction(paths.alive("renamed")));
    }

    /** Returns the number of the transaction that has made a node; 0 if there is no such node. */
    private long transaction(String path) {
        return site.admin(client -> {
            Stat stat = client.exists(path, false);
            return stat == null ? 0L : stat.getCzxid();
        });
    }

    @Test
    void sweepDropsInboxesOfClientsThatAreGone() {
        ZooKeeperStore a = store();
        store().close();
        StorePaths paths = new StorePaths(root);
        site.admin(client -> client.create(
                paths.inbox("old"), new byte[0], options.acl(), org.apache.zookeeper.CreateMode.PERSISTENT));
        a.sendMessage("old", "never read");
        a.sweep();
        a.sweep();
        Await.until(
                "only the living have inboxes",
                () -> site.admin(client -> ZooKeeperSite.children(client, paths.inboxes()))
                        .equals(List.of("client0")));
    }
}
