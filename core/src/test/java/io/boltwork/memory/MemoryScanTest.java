// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static io.boltwork.memory.Scene.CLAIM;
import static io.boltwork.memory.Scene.LEASE;
import static io.boltwork.memory.Scene.NEVER;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply.ScannedClients;
import io.boltwork.spi.QueryReply.ScannedLocks;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Announced;
import io.boltwork.spi.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Scans of locks and of clients. */
class MemoryScanTest {
    private final Scene scene = new Scene("b");
    private final MemoryServer server = scene.server;

    private long acquire(String lock, String request) {
        return (server.execute(new Command.Acquire(lock, request, true, LEASE, 0, NEVER))).token();
    }

    private List<ScannedLocks.Lock> scan(String pattern) {
        ScannedLocks all = server.execute(new Query.ScanLocks(pattern, "", 1_000));
        assertThat(all.cursor()).isEmpty();
        return all.locks();
    }

    private static ScannedLocks.Lock plain(
            String name, int holders, long token, long until, boolean claim, int waiting) {
        return new ScannedLocks.Lock(LockKind.LOCK, name, holders, holders, token, until, claim, waiting);
    }

    private Acquired acquire(LockKind kind, String lock, String request, int permits, int of) {
        Share share = new Share(kind, permits, of, 0);
        return server.execute(new Command.Acquire(lock, request, true, LEASE, 0, NEVER, share));
    }

    private List<String> names(String pattern) {
        return scan(pattern).stream().map(ScannedLocks.Lock::name).toList();
    }

    private static ClientRecord clientRecord(String id) {
        return new ClientRecord(id, "shop", "host", 42, 1_700_000_000_000L, 1);
    }

    private void announce(String id, long lifeMillis) {
        assertThat(server.execute(new Announce(clientRecord(id), lifeMillis, "n")))
                .isInstanceOf(Announced.class);
    }

    private List<ClientRecord> identify(String... clients) {
        return (server.execute(new Query.Identify(List.of(clients)))).clients();
    }

    @Test
    void aLockIsSummarized() {
        long token = acquire("l", "a:1");
        acquire("l", "b:1");
        acquire("l", "b:2");
        assertThat(scan("*")).containsExactly(plain("l", 1, token, scene.now() + LEASE, false, 2));
        server.execute(new Command.Release("l", "a:1", token, token, 0, null));
        assertThat(scan("l")).containsExactly(plain("l", 1, token + 1, scene.now() + CLAIM, true, 1));
    }

    @Test
    void aMerelyRememberedLockIsLeftOut() {
        long token = acquire("l", "a:1");
        server.execute(new Command.Release("l", "a:1", token, token, 0, null));
        acquire("lapsed", "a:2");
        scene.pass(LEASE);
        assertThat(scan("*")).isEmpty();
    }

    @Test
    void aKeptLockHasNoOwner() {
        long token = acquire("l", "a:1");
        server.execute(new Command.Release("l", "a:1", token, token, 500, null));
        assertThat(scan("*")).containsExactly(plain("l", 0, 0, scene.now() + 500, false, 0));
        scene.pass(500);
        assertThat(scan("*")).isEmpty();
    }

    @Test
    void anOwnerWithALapsedLeaseDoesNotCount() {
        acquire("l", "a:1");
        acquire("l", "b:1");
        scene.pass(LEASE);
        assertThat(scan("*")).containsExactly(plain("l", 0, 0, 0, false, 1));
    }

    @Test
    void waitersAreCountedWithHolesAsInAPosition() {
        acquire("l", "a:1");
        List.of("b:1", "b:2", "b:3").forEach(request -> acquire("l", request));
        server.execute(new Command.Withdraw("l", "b:2", 0));
        assertThat(scan("*")).extracting(ScannedLocks.Lock::waiting).containsExactly(3);
        server.execute(new Command.Withdraw("l", "b:3", 0));
        assertThat(scan("*")).extracting(ScannedLocks.Lock::waiting).containsExactly(2);
        server.execute(new Command.Withdraw("l", "b:1", 0));
        assertThat(scan("*")).extracting(ScannedLocks.Lock::waiting).containsExactly(0);
    }

    @Test
    void aPatternSelectsLocks() {
        List.of("stock:1", "stock:22", "a{b}%7Bc", "").forEach(lock -> acquire(lock, "a:1"));
        assertThat(names("stock:?")).containsExactly("stock:1");
        assertThat(names("*{b}%*")).containsExactly("a{b}%7Bc");
        assertThat(names("")).containsExactly("");
        assertThat(names("*")).hasSize(4);
    }

    @Test
    void pagesListEveryLockOnceDespiteUseMeanwhile() {
        IntStream.range(0, 100).forEach(i -> acquire("lock " + i, "a:1"));
        acquire("", "a:1");
        List<String> found = new ArrayList<>();
        String cursor = "";
        do {
            ScannedLocks page = server.execute(new Query.ScanLocks("*", cursor, 7));
            assertThat(page.locks()).hasSizeLessThanOrEqualTo(7);
            page.locks().forEach(lock -> found.add(lock.name()));
            cursor = page.cursor();
            acquire("lock " + found.size() / 2, "a:1");
        } while (!cursor.isEmpty());
        assertThat(found).hasSize(101).doesNotHaveDuplicates();
    }

    @Test
    void aPageOfOneAndAFullLastPageWork() {
        List.of("", "a", "b").forEach(lock -> acquire(lock, "a:1"));
        ScannedLocks first = server.execute(new Query.ScanLocks("*", "", 0));
        assertThat(first.locks()).hasSize(1);
        ScannedLocks rest = server.execute(new Query.ScanLocks("*", first.cursor(), 2));
        assertThat(rest.locks()).hasSize(2);
        assertThat(rest.cursor()).isEmpty();
    }

    @Test
    void aSharedLockIsSummarized() {
        acquire(LockKind.SEMAPHORE, "s", "a:1", 2, 4);
        scene.pass(10);
        long token = acquire(LockKind.SEMAPHORE, "s", "b:1", 1, 4).token();
        acquire(LockKind.SEMAPHORE, "s", "b:2", 2, 4);
        long until = scene.now() + LEASE;
        assertThat(scan("*"))
                .containsExactly(new ScannedLocks.Lock(LockKind.SEMAPHORE, "s", 2, 3, token, until, false, 1));
        scene.pass(LEASE - 10);
        assertThat(scan("*"))
                .as("the first holder's lease has ended")
                .containsExactly(new ScannedLocks.Lock(LockKind.SEMAPHORE, "s", 1, 1, token, until, false, 1));
        scene.pass(10);
        assertThat(scan("*"))
                .as("one still waits")
                .containsExactly(new ScannedLocks.Lock(LockKind.SEMAPHORE, "s", 0, 0, 0, 0, false, 1));
    }

    @Test
    void aSharedLockThatIsGrantedByMessageIsAClaim() {
        long first = acquire(LockKind.READ_WRITE, "r", "a:1", Integer.MAX_VALUE, Integer.MAX_VALUE)
                .token();
        acquire(LockKind.READ_WRITE, "r", "b:1", 1, Integer.MAX_VALUE);
        assertThat(scan("r")).extracting(ScannedLocks.Lock::claim).containsExactly(false);
        server.execute(new ForceRelease("r", first, LockKind.READ_WRITE));
        assertThat(scan("r")).singleElement().satisfies(lock -> {
            assertThat(lock.claim()).isTrue();
            assertThat(lock.holders()).isEqualTo(1);
            assertThat(lock.untilMillis()).isEqualTo(scene.now() + CLAIM);
        });
    }

    @Test
    void aSharedLockThatIsKeptClosedHasNoHolder() {
        Acquired held = acquire(LockKind.SEMAPHORE, "s", "a:1", 1, 1);
        HeldShare share = new HeldShare(
                new Share(LockKind.SEMAPHORE, 1, 1, 0), held.share().blockEnd(), 0);
        server.execute(new Command.Release("s", "a:1", held.token(), held.token(), 500, null, share));
        assertThat(scan("*"))
                .containsExactly(new ScannedLocks.Lock(LockKind.SEMAPHORE, "s", 0, 0, 0, scene.now() + 500, false, 0));
        scene.pass(500);
        assertThat(scan("*")).isEmpty();
    }

    @Test
    void pagesListTheLocksOfAllKindsOrOfOne() {
        List<String> expected = new ArrayList<>();
        for (LockKind kind : LockKind.values()) {
            for (int i = 0; i < 20; i++) {
                acquire(kind, "lock " + i, "a:1", 1, 1);
                expected.add(kind + " lock " + i);
            }
        }
        assertThat(pages(null)).containsExactlyInAnyOrderElementsOf(expected);
        for (LockKind kind : LockKind.values()) {
            assertThat(pages(kind)).hasSize(20).allMatch(found -> found.startsWith(kind + " "));
        }
        server.flush();
        acquire(LockKind.SEMAPHORE, "", "a:1", 1, 1);
        assertThat(pages(null)).containsExactly("SEMAPHORE ");
    }

    private List<String> pages(@Nullable LockKind kind) {
        List<String> found = new ArrayList<>();
        String cursor = "";
        do {
            ScannedLocks page = server.execute(new Query.ScanLocks("*", kind, cursor, 7));
            assertThat(page.locks()).hasSizeLessThanOrEqualTo(7);
            page.locks().forEach(lock -> found.add(lock.kind() + " " + lock.name()));
            cursor = page.cursor();
        } while (!cursor.isEmpty());
        return found;
    }

    @Test
    void aClientIsKnownUntilItsRecordExpires() {
        announce("b", 1_000);
        announce("a", 2_000);
        assertThat(identify("c", "b", "a", "b"))
                .containsExactly(clientRecord("b"), clientRecord("a"), clientRecord("b"));
        scene.pass(999);
        announce("b", 3_000);
        scene.pass(1_001);
        assertThat(identify("a", "b")).containsExactly(clientRecord("b"));
        announce("b", 0);
        assertThat(identify("a", "b")).isEmpty();
    }

    @Test
    void clientsAreScannedLikeLocks() {
        IntStream.range(0, 25).forEach(i -> announce("client" + i, i < 5 ? 10 : 1_000));
        scene.pass(10);
        List<ClientRecord> found = new ArrayList<>();
        String cursor = "";
        do {
            ScannedClients page = server.execute(new Query.ScanClients(cursor, 10));
            found.addAll(page.clients());
            cursor = page.cursor();
        } while (!cursor.isEmpty());
        assertThat(found).hasSize(20).doesNotHaveDuplicates().contains(clientRecord("client7"));
    }

    @Test
    void aFlushedOrRestartedServerKnowsNoClient() {
        announce("a", 1_000);
        server.flush();
        assertThat(identify("a")).isEmpty();
        announce("a", 1_000);
        server.restart();
        assertThat(identify("a")).isEmpty();
    }

    @Test
    void clientsThatAreGoneLeaveNothingBehind() {
        ClientRecords cards = new ClientRecords();
        for (int i = 0; i < 1_000; i++) {
            cards.put(new Announce(clientRecord("once" + i), 1_000, "n"), 10L * i);
        }
        assertThat(cards.size()).isEqualTo(100);
    }
}
