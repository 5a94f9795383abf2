// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.rules.LockHead;
import io.boltwork.store.AddressedMessage;
import io.boltwork.store.RecordBackend;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.RecordStore;
import io.boltwork.store.StoreListener;
import io.boltwork.store.StoredPage;
import io.boltwork.store.StoredText;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The promises of a {@link RecordStore}, on which the rules of locks rely: records, versions, times, names, messages
 * and sweeps. Each store has a test that extends this class. It shows what is wrong more directly than the contracts of
 * locks do.
 *
 * @since 0.1.0
 */
public abstract class RecordStoreContract {
    private static final long LATER = Long.MAX_VALUE;
    private static final long KEPT = LATER / 10_000;

    private final List<OpenedStore> opened = new ArrayList<>();
    private final RecordKey key = key("record " + UUID.randomUUID());

    /** A store of one client, and what the store has told it. */
    private static final class OpenedStore implements StoreListener {
        final RecordStore store;
        final String client = UUID.randomUUID().toString();
        final List<String> messages = new CopyOnWriteArrayList<>();
        final List<String> runs = new CopyOnWriteArrayList<>();

        OpenedStore(RecordStore store) {
            this.store = store;
        }

        @Override
        public void message(String text) {
            messages.add(text);
        }

        @Override
        public void connected(ServerTime server) {
            runs.add(server.run());
        }

        @Override
        public void disconnected(Throwable cause) {}

        @Override
        public void warned(String what) {}
    }

    /** For tests of stores. */
    protected RecordStoreContract() {}

    /**
     * Creates another store, with the same records as the ones before.
     *
     * @return a new store, not opened
     */
    protected abstract RecordStore newStore();

    /** Deletes all records of other tests, if there may be any. Does nothing unless overridden. */
    protected void deleteRecords() {}

    /** Lets the next sweep look at all records, if the store sweeps seldom. Does nothing unless overridden. */
    protected void sweepIsDue() {}

    /**
     * Returns whether a write and its messages are one step, which a client that is gone prevents once.
     *
     * @return {@code false} unless overridden
     */
    protected boolean writesWithMessages() {
        return false;
    }

    private OpenedStore opened() {
        OpenedStore made = new OpenedStore(newStore());
        opened.add(made);
        made.store.open(made.client, made);
        return made;
    }

    private RecordStore store() {
        return opened().store;
    }

    /** Opens a store of a client that awaits messages. */
    private OpenedStore listening() {
        OpenedStore made = opened();
        made.store.await(true);
        made.store.beforeWaiting();
        return made;
    }

    @AfterEach
    void close() {
        opened.forEach(each -> each.store.close());
    }

    private static RecordKey key(String name) {
        return new RecordKey(RecordKey.Kind.LOCK, name);
    }

    private static String text(long fence) {
        return new LockHead(KEPT, fence, 0, 0, "a:1").text();
    }

    private static RecordChange change(long fence) {
        return change(fence, LATER);
    }

    private static RecordChange change(long fence, long notAfter) {
        return new RecordChange(text(fence), KEPT, notAfter);
    }

    /** Returns a change after which the record may be dropped at once. */
    private static RecordChange brief(long fence) {
        return new RecordChange(text(fence), 1, LATER);
    }

    private static void write(RecordStore store, RecordKey key, RecordChange change) {
        assertThat(store.write(key, store.read(key), change)).isTrue();
    }

    private void sweepUntilDropped(RecordStore store, RecordKey dropped) {
        Await.until("the record is dropped", () -> {
            sweepIsDue();
            store.sweep(); // again, since a record may not be known to have expired
            return store.read(dropped).text() == null;
        });
    }

    // ================================================================ records

    @Test
    void aWriteIsMadeOnlyIfTheRecordIsAsItWasRead() {
        RecordStore late = store();
        RecordStore other = store();
        StoredText missing = late.read(key);
        assertThat(missing.text()).isNull();
        write(other, key, change(1));
        assertThat(late.write(key, missing, change(7)))
                .as("it exists meanwhile")
                .isFalse();
        StoredText first = late.read(key);
        assertThat(first.text()).isEqualTo(text(1));
        assertThat(other.write(key, other.recall(key), change(1)))
                .as("the same text again, as of a withdrawal that changes nothing")
                .isTrue();
        assertThat(late.write(key, first, change(7))).as("it was written since").isFalse();
        write(late, key, change(8));
        assertThat(other.read(key).text()).isEqualTo(text(8));
    }

    @Test
    void nothingIsWrittenAfterItsTime() {
        RecordStore store = store();
        StoredText missing = store.read(key);
        long now = missing.clock().earliest().millis();
        assertThat(store.write(key, missing, change(1, now - 1))).isFalse();
        assertThat(store.write(key, missing, change(1, now + 60_000))).isTrue();
        StoredText found = store.read(key);
        assertThat(store.write(key, found, change(2, now - 1))).isFalse();
        assertThat(store.write(key, found, change(2, now + 60_000))).isTrue();
    }

    @Test
    void aRecordThatIsMadeAgainHasANewVersion() {
        RecordStore a = store();
        RecordStore b = store();
        write(a, key, brief(1));
        StoredText before = b.read(key);
        sweepUntilDropped(a, key);
        Await.until("it is made again", () -> a.write(key, a.read(key), change(2)));
        assertThat(a.read(key).version()).isNotEqualTo(before.version());
        assertThat(b.write(key, before, change(3))).isFalse();
        assertThat(a.read(key).text()).isEqualTo(text(2));
    }

    @Test
    void aSweepLeavesRecordsThatHaveNotExpired() {
        RecordStore store = store();
        List<RecordKey> keys = IntStream.range(0, 20)
                .mapToObj(i -> key(i + " of " + UUID.randomUUID()))
                .toList();
        for (int i = 0; i < keys.size(); i++) {
            write(store, keys.get(i), i % 10 == 0 ? change(i) : brief(i));
        }
        for (int i = 0; i < keys.size(); i++) {
            if (i % 10 != 0) {
                sweepUntilDropped(store, keys.get(i));
            }
        }
        for (int i = 0; i < keys.size(); i += 10) {
            assertThat(store.read(keys.get(i)).text()).isEqualTo(text(i));
        }
    }

    @Test
    void namesAreKeptExactlyAndPagesFollowOneAnother() {
        deleteRecords();
        RecordStore store = store();
        List<String> names = new ArrayList<>(
                List.of("a", "A", "a ", " a", "\u00e4", "a\u0308", "a\0b", "a\0c", "%_'\"\\", "%", ".", "..", "a/b"));
        names.addAll(List.of("\ud83d\udd12", "\u4e2d", " ".repeat(1_024), "\u00e9".repeat(512), "\n", "ss", "\u00df"));
        IntStream.range(0, 20).forEach(i -> names.add("name-" + i));
        for (int i = 0; i < names.size(); i++) {
            write(store, key(names.get(i)), change(i));
        }
        for (int i = 0; i < names.size(); i++) {
            assertThat(store.read(key(names.get(i))).text()).isEqualTo(text(i));
        }
        List<StoredPage.Named> found = scan(store, RecordKey.Kind.LOCK);
        assertThat(found).extracting(StoredPage.Named::name).containsExactlyInAnyOrderElementsOf(names);
        assertThat(found).allMatch(each -> each.text().equals(text(names.indexOf(each.name()))));
        assertThat(scan(store, RecordKey.Kind.LATCH)).isEmpty();
    }

    private static List<StoredPage.Named> scan(RecordStore store, RecordKey.Kind kind) {
        List<StoredPage.Named> found = new ArrayList<>();
        StoredPage page = store.scan(kind, "", 7);
        while (!page.records().isEmpty()) {
            found.addAll(page.records());
            page = store.scan(kind, found.get(found.size() - 1).name(), 7);
        }
        return found;
    }

    @Test
    void textsOfAllKindsAreKept() {
        RecordStore store = store();
        String lines = "\nwaiting 1 =\u00e4%20\ud83d\udd12\nagain";
        for (RecordKey.Kind kind : RecordKey.Kind.values()) {
            RecordKey each = new RecordKey(kind, key.name());
            String first =
                    kind == RecordKey.Kind.LOCK ? new LockHead(KEPT, 3, 0, 0, "client \0\n x:1").text() : "kind 1";
            write(store, each, new RecordChange(first + lines, KEPT, LATER));
            assertThat(store.read(each).text()).isEqualTo(first + lines);
        }
    }

    // ================================================================ clients

    @Test
    void clientsSeeTheSameRunAndTime() {
        OpenedStore one = opened();
        StoredText first = one.store.read(key);
        StoredText second = store().read(key);
        assertThat(second.clock().run()).isEqualTo(first.clock().run());
        assertThat(second.clock().micros() + second.clock().uncertainMicros())
                .isGreaterThanOrEqualTo(first.clock().micros());
        long millis = System.currentTimeMillis();
        long ahead = first.clock().uncertainMicros() == 0 ? 1 : 10_000; // another clock counts on by itself
        assertThat(first.clock().earliest().millis()).isBetween(millis - 10_000, millis + ahead);
        Await.until("the client is told", () -> one.runs.contains(first.clock().run()));
        assertThat(one.runs).hasSize(1);
    }

    @Test
    void messagesArriveInTheirOrder() {
        RecordStore from = store();
        OpenedStore to = listening();
        assertThat(from.listens(to.client)).isTrue();
        List<AddressedMessage> two =
                List.of(new AddressedMessage(to.client, "one"), new AddressedMessage(to.client, "two/\n"));
        assertThat(from.write(key, from.read(key), change(1), two)).isTrue();
        from.sendMessage(to.client, "three");
        Await.until("three messages", () -> to.messages.size() == 3);
        assertThat(to.messages).containsExactly("one", "two/\n", "three");
    }

    @Test
    void aClientThatIsGonePreventsNoSecondWrite() {
        RecordStore from = store();
        OpenedStore gone = listening();
        assertThat(from.listens(gone.client)).isTrue();
        gone.store.close();
        List<AddressedMessage> grant = List.of(new AddressedMessage(gone.client, "grant"));
        if (writesWithMessages()) {
            assertThat(from.write(key, from.read(key), change(1), grant)).isFalse();
            assertThat(from.read(key).text()).isNull();
            assertThat(from.listens(gone.client)).isFalse();
        }
        assertThat(from.write(key, from.read(key), change(1), grant)).isTrue();
        assertThat(from.read(key).text()).isEqualTo(text(1));
    }

    @Test
    void messagesArriveAlsoUnderANewId() {
        RecordStore from = store();
        OpenedStore to = listening();
        String large = "message " + "%20".repeat(1_024);
        from.sendMessage(to.client, large);
        Await.until("the message arrives", () -> to.messages.contains(large));
        String renamed = UUID.randomUUID().toString();
        to.store.rename(renamed);
        Await.until("the client listens", () -> from.listens(renamed));
        from.sendMessage(renamed, "second");
        Await.until("the message arrives", () -> to.messages.contains("second"));
        to.store.close();
        RecordStore other = store(); // the first one may remember for some seconds that the client was there
        Await.until("the client is gone", () -> !other.listens(renamed));
        assertThat(other.listens("nobody")).isFalse();
    }

    @Test
    void aClientThatStopsBetweenReadingAndWritingDelaysNoOther() throws Exception {
        FaultyStore faulty = new FaultyStore(newStore(), new FaultyStore.StoreFaults());
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (LockClient frozen = LockClient.create(RecordBackend.on(faulty));
                LockClient other = LockClient.create(RecordBackend.on(newStore()))) {
            faulty.beforeWrite(() -> {
                stopped.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            CompletableFuture<Lease> asked =
                    frozen.lock(key.name()).acquireAsync().toCompletableFuture();
            stopped.await();
            for (int i = 0; i < 20; i++) {
                FencedLock lock = other.lock(key.name());
                assertThat(lock.tryLock(Duration.ofSeconds(1), Duration.ofMinutes(1)))
                        .isTrue();
                lock.unlock();
            }
            faulty.beforeWrite(null);
            goOn.countDown();
            asked.get().close();
        }
    }
}
