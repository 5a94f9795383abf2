// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockInfo;
import io.boltwork.LockOptions;
import io.boltwork.spi.Command;
import io.boltwork.spi.ServerTime;
import io.boltwork.store.AddressedMessage;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.StoreListener;
import io.boltwork.store.StoredPage;
import io.boltwork.store.StoredText;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records, versions, messages and sweeping in ZooKeeper. */
class ZooKeeperStoreTest {
    private final ZooKeeperSite site = ZooKeeperSite.shared();
    private final String root = "/store-" + UUID.randomUUID();
    private final ZooKeeperOptions options = ZooKeeperSite.options().withRoot(root);
    private final List<ZooKeeperStore> stores = new ArrayList<>();
    private final RecordKey key = key("lock");

    /** Records messages. */
    private record Recorder(Queue<String> messages) implements StoreListener {
        @Override
        public void message(String text) {
            messages.add(text);
        }

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}

        @Override
        public void warned(String what) {}
    }

    private static RecordKey key(String name) {
        return new RecordKey(RecordKey.Kind.LOCK, name);
    }

    private ZooKeeperStore store(String client, Recorder ear) {
        ZooKeeperStore store = new ZooKeeperStore(new ZooKeeperConnector(site.connectString(), null, options), options);
        stores.add(store);
        store.open(client, ear);
        return store;
    }

    private ZooKeeperStore store() {
        return store("client" + stores.size(), new Recorder(new ConcurrentLinkedQueue<>()));
    }

    private static RecordChange change(String text) {
        return new RecordChange(text, Long.MAX_VALUE / 10_000, Long.MAX_VALUE);
    }

    /** Returns a change whose record may be dropped at once. */
    private static RecordChange brief(String text) {
        return new RecordChange(text, 0, Long.MAX_VALUE);
    }

    @AfterEach
    void close() {
        stores.forEach(ZooKeeperStore::close);
    }

    @Test
    void writeIsMadeOnlyIfTheRecordIsAsItWasRead() {
        ZooKeeperStore a = store();
        ZooKeeperStore b = store();
        StoredText none = a.read(key);
        assertThat(none.text()).isNull();
        assertThat(a.isCurrent(key, none)).isTrue();
        assertThat(b.write(key, b.read(key), change("b"))).isTrue();
        assertThat(a.write(key, none, change("a"))).as("it exists meanwhile").isFalse();
        assertThat(a.isCurrent(key, none)).isFalse();
        StoredText first = a.read(key);
        assertThat(first.text()).isEqualTo("b");
        assertThat(a.isCurrent(key, first)).isTrue();
        assertThat(b.write(key, b.recall(key), change("b")))
                .as("the same text again")
                .isTrue();
        assertThat(a.isCurrent(key, first)).isFalse();
        assertThat(a.write(key, first, change("late")))
                .as("past its own withdraw, which wrote")
                .isFalse();
        assertThat(a.read(key).text()).isEqualTo("b");
    }

    @Test
    void changeIsNotMadeAfterItsTime() {
        ZooKeeperStore store = store();
        StoredText before = store.read(key);
        long now = before.clock().earliest().millis();
        assertThat(store.write(key, before, new RecordChange("late", now, now - 1)))
                .isFalse();
        assertThat(store.write(key, before, new RecordChange("in time", now, now + 10_000)))
                .isTrue();
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
    void versionsDoNotRepeatWhenARecordIsMadeAnew() {
        ZooKeeperStore a = store();
        ZooKeeperStore b = store();
        assertThat(a.write(key, a.read(key), brief("first"))).isTrue();
        StoredText old = b.read(key);
        a.sweep();
        Await.until("the record is dropped", () -> a.read(key).text() == null);
        assertThat(a.isCurrent(key, old)).isFalse();
        Await.until("the record is made anew", () -> a.write(key, a.read(key), change("second")));
        assertThat(a.read(key).version()).isNotEqualTo(old.version());
        assertThat(b.write(key, old, change("late"))).isFalse();
        assertThat(a.read(key).text()).isEqualTo("second");
    }

    @Test
    void sweepLeavesRecordsThatHaveNotExpired() {
        ZooKeeperStore store = store();
        for (int i = 0; i < 50; i++) {
            RecordKey name = key("n" + i);
            Await.until(
                    "written",
                    () -> store.write(
                            name, store.read(name), name.name().endsWith("0") ? change("keep") : brief("drop")));
        }
        Await.until("5 are left", () -> {
            store.sweep(); // again, since a record may not be known to have expired
            return store.scan(RecordKey.Kind.LOCK, "", 100).records().size() == 5;
        });
    }

    @Test
    void scanReturnsEachNameOnce() {
        ZooKeeperStore store = store();
        List<String> names = new ArrayList<>(List.of(".", "..", "a/b", "%", "\n", "\u4e2d", "\ud83d\ude00"));
        for (int i = 0; i < 60; i++) {
            names.add("name-" + i);
        }
        for (String name : names) {
            assertThat(store.write(key(name), store.read(key(name)), change(name)))
                    .isTrue();
        }
        List<String> found = new ArrayList<>();
        String after = "";
        StoredPage page;
        do {
            page = store.scan(RecordKey.Kind.LOCK, after, 7);
            page.records().forEach(named -> {
                assertThat(named.text()).isEqualTo(named.name());
                found.add(named.name());
            });
            after = found.get(found.size() - 1);
        } while (page.records().size() == 7);
        assertThat(found).containsExactlyInAnyOrderElementsOf(names);
        assertThat(store.scan(RecordKey.Kind.LATCH, "", 7).records()).isEmpty();
    }

    @Test
    void messagesArriveWithTheWriteInTheirOrder() {
        Recorder ear = new Recorder(new ConcurrentLinkedQueue<>());
        ZooKeeperStore a = store();
        store("told", ear);
        assertThat(a.listens("told")).isTrue();
        assertThat(a.write(
                        key,
                        a.read(key),
                        change("1"),
                        List.of(new AddressedMessage("told", "one"), new AddressedMessage("told", "two/\n"))))
                .isTrue();
        a.sendMessage("told", "three");
        Await.until("three messages", () -> ear.messages.size() == 3);
        assertThat(ear.messages).containsExactly("one", "two/\n", "three");
    }

    @Test
    void writeWithAMessageToADeadClientIsRefusedOnceAndThenMadeWithoutIt() {
        ZooKeeperStore a = store();
        ZooKeeperStore dead = store("dead", new Recorder(new ConcurrentLinkedQueue<>()));
        assertThat(a.listens("dead")).isTrue();
        dead.close();
        List<AddressedMessage> messages = List.of(new AddressedMessage("dead", "grant"));
        assertThat(a.write(key, a.read(key), change("1"), messages)).isFalse();
        assertThat(a.read(key).text()).isNull();
        assertThat(a.listens("dead")).isFalse();
        assertThat(a.write(key, a.read(key), change("1"), messages)).isTrue();
    }

    @Test
    void sweepDropsInboxesOfClientsThatAreGone() {
        ZooKeeperStore a = store();
        ZooKeeperStore dead = store("dead", new Recorder(new ConcurrentLinkedQueue<>()));
        dead.close();
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
