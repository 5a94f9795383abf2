// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.contract.RecordStoreContract;
import io.boltwork.spi.ServerTime;
import io.boltwork.store.AddressedMessage;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.StoreListener;
import io.boltwork.store.StoredText;
import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.wait.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that etcd keeps the promises of a store, and what else is true of its records and messages. */
class EtcdStoreTest extends RecordStoreContract {
    /** One for all tests, because the clock of a new one takes a second. */
    private static final String PREFIX = "/store-" + UUID.randomUUID();

    private final EtcdSite site = EtcdSite.shared();
    private final EtcdOptions options = EtcdSite.options().withPrefix(PREFIX);
    private final List<EtcdStore> stores = new ArrayList<>();
    private final RecordKey key = key("lock " + UUID.randomUUID());

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

    @Override
    protected EtcdStore newStore() {
        return new EtcdStore(List.of(URI.create(site.endpoints())), HttpClient.newHttpClient(), options);
    }

    @Override
    protected void deleteRecords() {
        byte[] records = new EtcdKeys(PREFIX).records();
        site.admin("kv/deleterange", Map.of("key", records, "range_end", EtcdKeys.end(records)));
    }

    @Override
    protected boolean writesWithMessages() {
        return true;
    }

    private EtcdStore store(String client, Recorder ear) {
        EtcdStore store = newStore();
        stores.add(store);
        store.open(client, ear);
        return store;
    }

    private EtcdStore store() {
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
    void closeStores() {
        stores.forEach(EtcdStore::close);
    }

    @Test
    void onlyWhatIsRememberedMayHaveChanged() {
        EtcdStore a = store();
        EtcdStore b = store();
        assertThat(a.write(key, a.read(key), change("a"))).isTrue();
        StoredText remembered = a.recall(key);
        assertThat(remembered.text()).isEqualTo("a");
        assertThat(a.isCurrent(key, remembered)).isTrue();
        assertThat(b.write(key, b.read(key), change("b"))).isTrue();
        assertThat(a.isCurrent(key, remembered)).isFalse();
        assertThat(a.write(key, remembered, change("late"))).isFalse();
        assertThat(a.recall(key).text()).as("told by the write that failed").isEqualTo("b");
    }

    @Test
    void messageToAClientThatIsGoneIsLost() {
        EtcdStore a = store();
        EtcdStore dead = store("dead", new Recorder(new ConcurrentLinkedQueue<>()));
        dead.close();
        a.sendMessage("dead", "never read");
        assertThat(a.listens("dead")).isFalse();
        assertThat(inboxes()).isEmpty();
    }

    @Test
    void messagesAreDeletedWhenTheyWereRead() {
        Recorder ear = new Recorder(new ConcurrentLinkedQueue<>());
        EtcdStore a = store();
        EtcdStore told = store("told", ear);
        a.sendMessage("told", "one");
        Await.until("it has come", () -> !ear.messages.isEmpty());
        assertThat(told.write(key, told.read(key), change("1"))).isTrue();
        assertThat(inboxes()).as("by the next write").isEmpty();
        a.sendMessage("told", "two");
        Await.until(
                "without a write, too",
                () -> ear.messages.size() == 2 && inboxes().isEmpty());
        assertThat(ear.messages).containsExactly("one", "two");
    }

    @Test
    void moreMessagesThanOneTransactionHoldsArrive() {
        Recorder ear = new Recorder(new ConcurrentLinkedQueue<>());
        EtcdStore a = store();
        store("told", ear);
        List<AddressedMessage> messages = IntStream.range(0, 300)
                .mapToObj(i -> new AddressedMessage("told", "m" + i))
                .toList();
        assertThat(a.write(key, a.read(key), change("1"), messages)).isTrue();
        Await.until("all", () -> ear.messages.size() == 300);
        assertThat(ear.messages)
                .containsExactlyElementsOf(
                        messages.stream().map(AddressedMessage::text).toList());
    }

    @Test
    void messagesThatCameWithoutAWatchAreReadAfterACompaction() {
        Recorder ear = new Recorder(new ConcurrentLinkedQueue<>());
        EtcdStore a = store();
        EtcdKeys keys = new EtcdKeys(PREFIX);
        store("told", ear);
        try (Fault unreachable = site.link().unreachable()) {
            unreachable.inject();
            Json put = site.admin(
                    "kv/put",
                    Map.of(
                            "key",
                            keys.message("told", "x-1"),
                            "value",
                            EtcdKeys.bytes("missed"),
                            "lease",
                            keys.lease("told")));
            site.admin("kv/compaction", Map.of("revision", put.object("header").number("revision")));
        }
        Await.until("it is read", () -> ear.messages.contains("missed"));
        Await.until("a goes on, too", () -> {
            try {
                return a.write(key, a.read(key), change("1"));
            } catch (BackendException later) {
                return false;
            }
        });
        assertThat(ear.messages).containsExactly("missed");
    }

    @Test
    void recordThatWasReadAsMissingIsNotWrittenAfterOneWasDeleted() {
        EtcdStore a = store();
        EtcdStore b = store();
        StoredText none = a.read(key);
        assertThat(b.write(key, b.read(key), brief("withdrawn"))).isTrue();
        Await.until("it is dropped", () -> {
            b.sweep();
            return b.read(key).text() == null;
        });
        assertThat(a.write(key, none, change("late"))).isFalse();
        assertThat(b.read(key).text()).isNull();
    }

    @Test
    void foreignKeyIsLeftAlone() {
        EtcdStore store = store();
        site.admin("kv/put", Map.of("key", new EtcdKeys(PREFIX).record(key), "value", EtcdKeys.bytes("mine")));
        assertThatThrownBy(() -> store.read(key))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining(
                        "LOCK '" + key.name() + "' cannot be read: it is not of this version of Boltwork");
    }

    private List<Json> inboxes() {
        return site.range(EtcdKeys.bytes(PREFIX + "/inbox/"));
    }
}
