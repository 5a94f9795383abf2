// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.contract.FaultyStore;
import io.boltwork.spi.rules.LockHead;
import io.boltwork.store.RecordBackend;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.StoredPage;
import io.boltwork.store.StoredText;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tests that each database keeps the promises of a store. The subclasses name the database. */
abstract class JdbcStoreTest {
    private static final long LATER = Long.MAX_VALUE;

    abstract JdbcSite site();

    private static RecordKey key(String name) {
        return new RecordKey(RecordKey.Kind.LOCK, name);
    }

    private static String text(long fence, String owner) {
        return new LockHead(LATER / 2, fence, 0, 0, owner).text();
    }

    private static RecordChange change(long fence, long notAfter) {
        return new RecordChange(text(fence, "a:1"), LATER / 2, notAfter);
    }

    private OpenStore store() {
        return new OpenStore(site().source());
    }

    @Test
    void aLateWriteFailsAfterAnyOtherWrite() {
        try (OpenStore late = store();
                OpenStore other = store()) {
            RecordKey key = key("late " + UUID.randomUUID());
            StoredText missing = late.store.read(key);
            assertThat(missing.text()).isNull();
            assertThat(other.store.write(key, other.store.read(key), change(0, LATER)))
                    .isTrue();
            assertThat(late.store.write(key, missing, change(7, LATER))).isFalse();
            StoredText first = late.store.read(key);
            assertThat(first.text()).isEqualTo(text(0, "a:1"));
            // the same text again: a withdraw that finds nothing to change raises the version nevertheless
            assertThat(other.store.write(key, other.store.read(key), change(0, LATER)))
                    .isTrue();
            assertThat(late.store.write(key, first, change(7, LATER))).isFalse();
            assertThat(late.store.write(key, late.store.read(key), change(8, LATER)))
                    .isTrue();
        }
    }

    @Test
    void nothingIsWrittenAfterItsTime() {
        try (OpenStore opened = store()) {
            RecordKey key = key("stale " + UUID.randomUUID());
            StoredText missing = opened.store.read(key);
            long now = missing.clock().earliest().millis();
            assertThat(opened.store.write(key, missing, change(1, now - 1))).isFalse();
            assertThat(opened.store.write(key, missing, change(1, now + 60_000)))
                    .isTrue();
            StoredText found = opened.store.read(key);
            assertThat(opened.store.write(key, found, change(2, now - 1))).isFalse();
            assertThat(opened.store.write(key, found, change(2, now + 60_000))).isTrue();
        }
    }

    @Test
    void aRowThatIsMadeAgainHasANewVersion() {
        try (OpenStore opened = store()) {
            String name = "again-" + UUID.randomUUID();
            opened.store.write(key(name), opened.store.read(key(name)), change(1, LATER));
            opened.store.write(key(name), opened.store.read(key(name)), change(2, LATER));
            StoredText before = opened.store.read(key(name));
            site().deleteLock(name);
            opened.store.write(key(name), opened.store.read(key(name)), change(2, LATER));
            assertThat(opened.store.read(key(name)).version()).isGreaterThan(before.version());
            assertThat(opened.store.write(key(name), before, change(3, LATER))).isFalse();
        }
    }

    @Test
    void namesAreKeptExactlyAndPagesFollowOneAnother() {
        List<String> names = List.of(
                "a",
                "A",
                "a ",
                " a",
                "\u00e4",
                "a\u0308",
                "a\0b",
                "a\0c",
                "%_'\"\\",
                "\ud83d\udd12",
                " ".repeat(1_024),
                "\u00e9".repeat(512),
                "\n",
                "ss",
                "\u00df");
        site().flush();
        try (OpenStore opened = store()) {
            for (int i = 0; i < names.size(); i++) {
                assertThat(opened.store.write(
                                key(names.get(i)), opened.store.read(key(names.get(i))), change(i, LATER)))
                        .isTrue();
            }
            for (int i = 0; i < names.size(); i++) {
                assertThat(opened.store.read(key(names.get(i))).text()).isEqualTo(text(i, "a:1"));
            }
            List<String> found = new ArrayList<>();
            StoredPage page = opened.store.scan(RecordKey.Kind.LOCK, "", 4);
            while (!page.records().isEmpty()) {
                page.records().forEach(each -> found.add(each.name()));
                page = opened.store.scan(RecordKey.Kind.LOCK, found.get(found.size() - 1), 4);
            }
            assertThat(found).containsExactlyInAnyOrderElementsOf(names);
            assertThat(opened.store.scan(RecordKey.Kind.LATCH, "", 4).records()).isEmpty();
        }
    }

    @Test
    void textsOfAllKindsAreKept() {
        try (OpenStore opened = store()) {
            String rest = "waiting 1 =\u00e4%20\ud83d\udd12\nagain";
            for (RecordKey.Kind kind : RecordKey.Kind.values()) {
                RecordKey key = new RecordKey(kind, "text " + UUID.randomUUID());
                String text =
                        kind == RecordKey.Kind.LOCK ? text(3, "client \0\n x:1") + "\n" + rest : "kind 1\n" + rest;
                opened.store.write(key, opened.store.read(key), new RecordChange(text, LATER / 2, LATER));
                assertThat(opened.store.read(key).text()).isEqualTo(text);
            }
        }
    }

    @Test
    void clientsSeeTheSameRunAndAClockThatGoesOn() {
        try (OpenStore one = store();
                OpenStore two = store()) {
            StoredText first = one.store.read(key("clock"));
            StoredText second = two.store.read(key("clock"));
            assertThat(second.clock().run()).isEqualTo(first.clock().run());
            assertThat(second.clock().micros())
                    .isGreaterThanOrEqualTo(first.clock().micros());
            assertThat(first.clock().micros() / 1_000)
                    .isBetween(System.currentTimeMillis() - 10_000, System.currentTimeMillis() + 1);
            assertThat(one.events).containsExactly("connected " + first.clock().run());
        }
    }

    @Test
    void messagesArriveAlsoUnderANewId() {
        try (OpenStore from = store();
                OpenStore to = store()) {
            to.store.await(true);
            to.store.beforeWaiting();
            assertThat(from.store.listens(to.client)).isTrue();
            String long1 = "message " + "%20".repeat(1_024);
            from.store.sendMessage(to.client, long1);
            Await.until("the message arrives", () -> to.messages.contains(long1));
            String renamed = UUID.randomUUID().toString();
            to.store.rename(renamed);
            Await.until("the client listens", () -> from.store.listens(renamed));
            from.store.sendMessage(renamed, "second");
            Await.until("the message arrives", () -> to.messages.contains("second"));
            to.close();
            Await.until("the client is gone", () -> !from.store.listens(renamed));
            assertThat(from.store.listens("nobody")).isFalse();
        }
    }

    @Test
    void expiredRowsAreSwept() {
        try (OpenStore opened = store()) {
            RecordKey key = key("swept " + UUID.randomUUID());
            opened.store.write(key, opened.store.read(key), new RecordChange(text(1, "a:1"), 1, LATER));
            RecordKey kept = key("kept " + UUID.randomUUID());
            opened.store.write(kept, opened.store.read(kept), change(1, LATER));
            site().execute("UPDATE boltwork_store SET swept_at = 0");
            opened.store.sweep();
            assertThat(opened.store.read(key).text()).isNull();
            assertThat(opened.store.read(kept).text()).isNotNull();
            opened.store.write(key, opened.store.read(key), new RecordChange(text(1, "a:1"), 1, LATER));
            opened.store.sweep();
            assertThat(opened.store.read(key).text()).as("swept once a minute").isNotNull();
        }
    }

    @Test
    void missingTablesAreAnErrorIfTheyAreNotToBeMade() {
        JdbcOptions other = JdbcSite.OPTIONS.withTablePrefix("missing_").withCreateTables(false);
        assertThatThrownBy(() -> new OpenStore(site().source(), other).close())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isFalse())
                .hasMessageContaining("missing_")
                .hasMessageContaining("withCreateTables(true)");
    }

    @Test
    void aClientThatStopsBetweenReadingAndWritingDelaysNoOther() throws Exception {
        FaultyStore faulty =
                new FaultyStore(new JdbcStore(site().source(), JdbcSite.OPTIONS), new FaultyStore.StoreFaults());
        CountDownLatch stopped = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        String name = "stopped " + UUID.randomUUID();
        try (LockClient frozen = LockClient.create(RecordBackend.on(faulty));
                LockClient other = LockClient.create(site().newBackend())) {
            faulty.beforeWrite(() -> {
                stopped.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            var asked = frozen.lock(name).acquireAsync();
            stopped.await();
            for (int i = 0; i < 20; i++) {
                FencedLock lock = other.lock(name);
                assertThat(lock.tryLock(Duration.ofSeconds(1), Duration.ofMinutes(1)))
                        .isTrue();
                lock.unlock();
            }
            faulty.beforeWrite(null);
            goOn.countDown();
            asked.toCompletableFuture().get().close();
        }
    }
}
