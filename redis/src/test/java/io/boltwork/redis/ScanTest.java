// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.QueryReply.ScannedLocks;
import io.boltwork.spi.QueryReply.ScannedLocks.Lock;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Share;
import io.boltwork.testkit.wait.Slack;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ScanTest extends ScriptTest {
    private static final List<String> ODD = List.of(
            "a",
            "a b",
            "{a}",
            "}{",
            "%",
            "%7B",
            "%257B",
            "[a-z]",
            "a[b]c\\d^e",
            "star*",
            "question?",
            "größe-数-🔒",
            "line\r\nbreak\0zero",
            "-",
            "");

    private Set<String> names(String pattern) {
        return a.scanLocks(pattern, 50).stream().map(Lock::name).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Lock plain(int holders, long token, long until, boolean claim, int waiting) {
        return new Lock(LockKind.LOCK, LOCK, holders, holders, token, until, claim, waiting);
    }

    private Acquired share(LockKind kind, String lock, String request, int permits, int of) {
        Share share = new Share(kind, permits, of, 0);
        return a.ask(new Command.Acquire(lock, request, true, Client.LEASE, 0, Client.NEVER, share), Acquired.class);
    }

    private List<String> kinds(@Nullable LockKind kind, String pattern, int count) {
        List<String> found = new ArrayList<>();
        String cursor = "";
        do {
            ScannedLocks page = a.ask(new Query.ScanLocks(pattern, kind, cursor, count), ScannedLocks.class);
            page.locks().forEach(lock -> found.add(lock.kind() + " " + lock.name()));
            cursor = page.cursor();
        } while (!cursor.isEmpty());
        return found;
    }

    private void lock(String... names) {
        for (String name : names) {
            a.acquire(name, "a:1");
        }
    }

    @Test
    void aLockIsListedWithOwnerTokenAndQueueLength() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        assertThat(b.scanLocks("*", 10)).containsExactly(plain(1, token, field("until"), false, 2));
        a.release(LOCK, "a:1", token);
        long granted = b.nextGrant().token();
        assertThat(b.scanLocks("*", 10)).containsExactly(plain(1, granted, field("until"), true, 1));
    }

    @Test
    void aFreeLockWhoseKeyStillExistsIsLeftOut() {
        a.release(LOCK, "a:1", a.acquire(LOCK, "a:1").token());
        assertThat(a.scanLocks("*", 10)).isEmpty();
        lock(LOCK);
        endLease();
        assertThat(a.scanLocks("*", 10)).isEmpty();
        b.force("never held", 0);
        assertThat(a.scanLocks("*", 10)).isEmpty();
    }

    @Test
    void aLockKeptClosedHasNoOwner() {
        long token = a.acquire(LOCK, "a:1").token();
        a.ask(new Command.Release(LOCK, "a:1", token, token, 60_000, null), Released.class);
        assertThat(a.scanLocks("*", 10)).containsExactly(plain(0, 0, field("until"), false, 0));
        endLease();
        assertThat(a.scanLocks("*", 10)).isEmpty();
    }

    @Test
    void anOwnerWithAnExpiredLeaseIsNotListed() {
        lock(LOCK);
        b.acquire(LOCK, "b:1");
        endLease();
        assertThat(a.scanLocks("*", 10)).containsExactly(plain(0, 0, 0, false, 1));
    }

    @Test
    void everyLockIsFoundPageByPage() {
        Set<String> names = new HashSet<>(ODD);
        IntStream.range(0, 500).forEach(i -> names.add("lock " + i));
        List<CompletableFuture<Reply>> sent = names.stream()
                .map(name -> a.send(new Command.Acquire(name, "a:1", true, Client.LEASE, 0, Client.NEVER)))
                .toList();
        sent.forEach(Client::await); // one by one, because a call of an unknown script is sent again, behind the others
        ScannedLocks first = a.ask(new Query.ScanLocks("*", "", 20), ScannedLocks.class);
        assertThat(first.locks()).hasSizeLessThan(200);
        assertThat(first.cursor()).isNotEmpty();
        assertThat(names("*")).isEqualTo(new TreeSet<>(names));
        assertThat(names("lock ?")).hasSize(10);
    }

    @Test
    void aSharedLockIsListedWithItsHoldersAndPermits() {
        share(LockKind.SEMAPHORE, LOCK, "a:1", 2, 3);
        long token = share(LockKind.SEMAPHORE, LOCK, "a:2", 1, 3).token();
        share(LockKind.SEMAPHORE, LOCK, "a:3", 1, 3);
        Inspected seen = a.ask(new Query.Inspect(LOCK, LockKind.SEMAPHORE), Inspected.class);
        long until = seen.holders().stream()
                .mapToLong(Inspected.Holder::untilMillis)
                .max()
                .orElseThrow();
        assertThat(b.scanLocks("*", 10))
                .containsExactly(new Lock(LockKind.SEMAPHORE, LOCK, 2, 3, token, until, false, 1));
    }

    @Test
    void locksOfAllKindsAreFoundOrOfOneKind() {
        List<String> expected = new ArrayList<>();
        for (LockKind kind : LockKind.values()) {
            for (String name : ODD) {
                share(kind, name, "a:1", 1, 1);
                expected.add(kind + " " + name);
            }
        }
        assertThat(kinds(null, "*", 10)).containsExactlyInAnyOrderElementsOf(expected);
        for (LockKind kind : LockKind.values()) {
            assertThat(kinds(kind, "*", 10))
                    .containsExactlyInAnyOrderElementsOf(
                            ODD.stream().map(name -> kind + " " + name).toList());
            assertThat(kinds(kind, "%7?", 10)).containsExactly(kind + " %7B");
        }
        assertThat(kinds(null, "*a*-*z*", 10))
                .containsExactlyInAnyOrder("LOCK [a-z]", "READ_WRITE [a-z]", "SEMAPHORE [a-z]");
        for (String name : ODD) {
            assertThat(kinds(null, name, 10)).as(name).contains("LOCK " + name, "SEMAPHORE " + name);
        }
    }

    @Test
    void aScanOfAllKindsReadsEachKeyOnceAndTheKeyspaceOnce() {
        for (LockKind kind : LockKind.values()) {
            share(kind, LOCK, "a:1", 1, 1);
        }
        redis.command("CONFIG", "RESETSTAT");
        assertThat(a.scanLocks("*", 100)).hasSize(3);
        assertThat(redis.command("INFO", "commandstats").toString())
                .contains("cmdstat_scan:calls=1,", "cmdstat_time:calls=1,", "cmdstat_hmget:calls=1,")
                .contains("cmdstat_hgetall:calls=2,");
    }

    @Test
    void everyNameMatchesItselfAsAPattern() {
        lock(ODD.toArray(String[]::new));
        for (String name : ODD) {
            assertThat(names(name)).as(name).containsExactly(name);
        }
    }

    @Test
    void aPatternSelectsLocks() {
        lock(ODD.toArray(String[]::new));
        assertThat(names("%*")).containsExactlyInAnyOrder("%", "%7B", "%257B");
        assertThat(names("?")).containsExactlyInAnyOrder("a", "%", "-");
        assertThat(names("?a?")).containsExactly("{a}");
        assertThat(names("??")).containsExactly("}{");
        assertThat(names("gr?ße-?-?")).containsExactly("größe-数-🔒");
        assertThat(names("*数*")).containsExactly("größe-数-🔒");
        assertThat(names("*[*]*")).containsExactlyInAnyOrder("[a-z]", "a[b]c\\d^e");
        assertThat(names("a*c?d*")).containsExactly("a[b]c\\d^e");
        assertThat(names("*a*-*z*")).containsExactly("[a-z]");
        assertThat(names("*?")).hasSize(ODD.size() - 1);
        assertThat(names("A")).isEmpty();
    }

    @Test
    void keysThatAreNotLocksOrClientsAreSkipped() {
        lock(LOCK);
        redis.command("SET", "boltwork:{text}", "not a lock");
        redis.command("RPUSH", "boltwork:{list}", "not a lock");
        redis.command("HSET", "boltwork:{fields}", "owner", "me", "until", "tomorrow", "head", "x", "tail", "y");
        redis.command("HSET", "boltwork:{50%}", "owner", "a:1", "until", "" + Client.NEVER);
        redis.command("SET", "boltwork:semaphore:{text}", "not a lock");
        redis.command(
                "HSET", "boltwork:semaphore:{fields}", "n", "9000000000000000", "e1", "me", "hme", "1 x y z 9 w -");
        redis.command("HSET", "boltwork:latch:{l}", "n", "1", "e1", "a:1", "ha:1", "1 1 5 6 " + Client.NEVER + " 9 -");
        redis.command("HSET", "boltwork:client:{l}", "owner", "a:1", "until", "" + Client.NEVER);
        redis.command("HSET", "other:{l}", "owner", "a:1", "until", "" + Client.NEVER);
        a.announce(new ClientRecord("{c}", "shop", "host", 1, 1, 1), 60_000);
        redis.command("SET", "boltwork:client:text", "not a client");
        assertThat(names("*")).containsExactly(LOCK);
        assertThat(a.scanClients(10)).extracting(ClientRecord::id).containsExactly("{c}");
    }

    @Test
    void aPrefixIsMatchedLiterally() {
        lock("plain");
        redis.command("HSET", "boxtwork:{l}", "owner", "a:1", "until", "" + Client.NEVER);
        RedisOptions options = RedisOptions.defaults().keyPrefix("bo?t[x-z]*\\");
        try (Client other = Client.open("a", RedisBackend.connect(redis.uri(), options))) {
            assertThat(other.scanLocks("*", 10)).isEmpty();
            other.acquire("l", "a:1");
            assertThat(other.scanLocks("*", 10)).extracting(Lock::name).containsExactly("l");
            ClientRecord clientRecord = new ClientRecord("a", "shop", "host", 1, 1, 1);
            other.announce(clientRecord, 60_000);
            assertThat(other.scanClients(10)).containsExactly(clientRecord);
        }
        assertThat(names("*")).containsExactly("plain");
        assertThat(a.scanClients(10)).isEmpty();
    }

    @Test
    void everyClientIsFoundPageByPage() {
        IntStream.range(0, 300)
                .forEach(i ->
                        a.send(new Announce(new ClientRecord("client" + i, "shop", "host", i, i, 1), 60_000, "n")));
        lock(LOCK, "client");
        assertThat(new HashSet<>(a.scanClients(20)))
                .hasSize(300)
                .contains(new ClientRecord("client7", "shop", "host", 7, 7, 1));
    }

    @Test
    void anInvalidCursorIsRefused() {
        Failed failed = a.ask(new Query.ScanLocks("*", "x", 10), Failed.class);
        assertThat(failed.cause()).hasMessageContaining("a scan of locks").hasMessageContaining("invalid cursor");
    }

    @Test
    void aPageExaminesAtLeastOneKey() {
        lock(LOCK);
        assertThat(a.scanLocks("*", 0)).hasSize(1);
    }

    @Test
    void manyStarsInAPatternCostTheServerNoMoreThanTwo() {
        lock("a".repeat(1_000));
        long start = System.nanoTime();
        assertThat(names("*a".repeat(100) + "b*c")).isEmpty();
        assertThat(System.nanoTime() - start).isLessThan(Slack.seconds(5).toNanos());
    }
}
