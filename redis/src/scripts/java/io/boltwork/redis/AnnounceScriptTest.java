// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Announce;
import io.boltwork.spi.BlockedThread;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.LockUsage;
import io.boltwork.spi.Query;
import io.boltwork.spi.Reply.Failed;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnnounceScriptTest extends ScriptTest {
    private static final String RECORD = "boltwork:client:a";

    private static ClientRecord clientRecord(String application) {
        return new ClientRecord("a", application, "host-7", 4_711, 1_700_000_000_123L, 1);
    }

    @Test
    void anAnnouncedClientIsKnownUntilItsRecordExpires() {
        long before = a.inspect(LOCK).server().millis();
        assertThat(a.announce(clientRecord("shop"), 60_000).server().millis()).isGreaterThanOrEqualTo(before);
        assertThat(fields(RECORD))
                .isEqualTo(Map.of(
                        "application",
                        "shop",
                        "host",
                        "host-7",
                        "pid",
                        "4711",
                        "since",
                        "1700000000123",
                        "wire",
                        "1",
                        "nonce",
                        "nonce"));
        assertThat((Long) redis.command("PTTL", RECORD)).isBetween(1L, 60_000L);
        assertThat(b.identify("b", "a", "a")).containsExactly(clientRecord("shop"), clientRecord("shop"));
    }

    @Test
    void anAnnouncementReturnsTheNonceOfTheRecordBefore() {
        assertThat(a.announce(clientRecord("shop"), 60_000, "one").before()).isEmpty();
        assertThat(a.announce(clientRecord("shop"), 60_000, "two").before()).isEqualTo("one");
        assertThat(a.announce(clientRecord("shop"), 0, "").before()).isEqualTo("two");
        assertThat(a.announce(clientRecord("shop"), 60_000, "three").before()).isEmpty();
    }

    @Test
    void aClientCanBeAnnouncedAgain() {
        a.announce(clientRecord("shop"), 60_000);
        a.announce(clientRecord("sh\"op\r\n' größe {} %"), 600_000);
        assertThat(b.identify("a")).containsExactly(clientRecord("sh\"op\r\n' größe {} %"));
        assertThat((Long) redis.command("PTTL", RECORD)).isGreaterThan(60_000);
    }

    @Test
    void anAnnouncementWithoutALifeRemovesTheClient() {
        a.announce(clientRecord("shop"), 0);
        assertThat(redis.command("EXISTS", RECORD)).isEqualTo(0L);
        a.announce(clientRecord("shop"), 60_000);
        a.announce(clientRecord("shop"), 0);
        assertThat(redis.command("EXISTS", RECORD)).isEqualTo(0L);
        assertThat(b.identify("a")).isEmpty();
    }

    @Test
    void aKeyThatIsNotAClientRecordIsIgnored() {
        redis.command("SET", RECORD, "something else");
        redis.command("HSET", "boltwork:client:b", "pid", "7");
        assertThat(b.identify("a", "b")).isEmpty();
        Failed failed = a.ask(new Announce(clientRecord("shop"), 1_000, "nonce"), Failed.class);
        assertThat(failed.executed()).isFalse();
        assertThat(failed.cause()).hasMessageContaining("the client 'a'");
    }

    @Test
    void blockedThreadsAreAnnouncedUntilAnAnnouncementWithoutThem() {
        List<BlockedThread> threads = List.of(
                new BlockedThread(List.of(7L), LockKind.LOCK, "two lines\r\nand größe 1 2", true),
                new BlockedThread(List.of(8L, 12L), LockKind.READ_WRITE, "", false),
                new BlockedThread(List.of(9L), LockKind.LOCK, "c", false));
        a.announce(clientRecord("shop").withBlocked(threads), 60_000);
        assertThat(fields(RECORD))
                .containsEntry("b1", "LOCK 1 7 two lines\r\nand größe 1 2")
                .containsEntry("b2", "READ_WRITE 0 8,12 ")
                .containsEntry("b3", "LOCK 0 9 c");
        MemoryServer memory = MemoryServer.create(Instant::now);
        memory.execute(new Announce(clientRecord("shop").withBlocked(threads), 60_000, "nonce"));
        assertThat(b.identify("a"))
                .containsExactly(clientRecord("shop").withBlocked(threads))
                .isEqualTo(memory.execute(new Query.Identify(List.of("a"))).clients());
        assertThat(b.scanClients(10))
                .isEqualTo(memory.execute(new Query.ScanClients("", 10)).clients());
        a.announce(clientRecord("shop").withBlocked(threads.subList(2, 3)), 60_000);
        assertThat(b.identify("a")).containsExactly(clientRecord("shop").withBlocked(threads.subList(2, 3)));
        assertThat(fields(RECORD)).containsEntry("b1", "LOCK 0 9 c").doesNotContainKeys("b2", "b3");
        a.announce(clientRecord("shop"), 60_000);
        assertThat(b.identify("a")).containsExactly(clientRecord("shop"));
        assertThat(fields(RECORD)).hasSize(6);
    }

    @Test
    void malformedBlockedThreadsAreIgnored() {
        a.announce(clientRecord("shop"), 60_000);
        List<String> malformed =
                List.of("", "LOCK", "LOCK 0 7", "LOCK 2 7 l", "TREE 0 7 l", "LOCK 0 7,x l", "LOCK 0  l", "LOCK 0 , l");
        for (int i = 0; i < malformed.size(); i++) {
            redis.command("HSET", RECORD, "b" + (i + 1), malformed.get(i));
        }
        redis.command("HSET", RECORD, "b" + (malformed.size() + 1), "LOCK 0 7 l");
        BlockedThread sound = new BlockedThread(List.of(7L), LockKind.LOCK, "l", false);
        assertThat(b.identify("a")).containsExactly(clientRecord("shop").withBlocked(List.of(sound)));
    }

    @Test
    void usedLocksAreAnnouncedUntilAnAnnouncementWithoutThem() {
        List<LockUsage> locks = List.of(
                new LockUsage(LockKind.LOCK, "two lines\r\nand größe 1 2", 12, 3, 4_000_000_000_000L, 7),
                new LockUsage(LockKind.SEMAPHORE, "", 0, 0, 0, 0),
                new LockUsage(LockKind.READ_WRITE, "c", 1, 2, 3, 4));
        BlockedThread blocked = new BlockedThread(List.of(7L), LockKind.LOCK, "l", false);
        ClientRecord all = clientRecord("shop").withBlocked(List.of(blocked)).withBusiest(locks);
        a.announce(all, 60_000);
        assertThat(fields(RECORD))
                .containsEntry("u1", "LOCK 12 3 4000000000000 7 two lines\r\nand größe 1 2")
                .containsEntry("u2", "SEMAPHORE 0 0 0 0 ")
                .containsEntry("u3", "READ_WRITE 1 2 3 4 c")
                .containsEntry("b1", "LOCK 0 7 l");
        assertThat(b.identify("a")).containsExactly(all);
        assertThat(b.scanClients(10)).containsExactly(all);
        a.announce(clientRecord("shop").withBusiest(locks.subList(1, 2)), 60_000);
        assertThat(b.identify("a")).containsExactly(clientRecord("shop").withBusiest(locks.subList(1, 2)));
        assertThat(fields(RECORD)).doesNotContainKeys("u2", "u3", "b1");
        a.announce(clientRecord("shop"), 60_000);
        assertThat(fields(RECORD)).hasSize(6);
    }

    @Test
    void malformedLocksAreIgnored() {
        a.announce(clientRecord("shop"), 60_000);
        List<String> malformed = List.of(
                "",
                "LOCK",
                "LOCK 1 2 3 4",
                "TREE 1 2 3 4 l",
                "LOCK x 2 3 4 l",
                "LOCK 1 99999999999 3 4 l",
                "LOCK 1 2 x 4 l",
                "LOCK 1 2 3  l",
                "LOCK -1 2 3 4 l",
                "LOCK 1 -2 3 4 l",
                "LOCK 1 2 -3 4 l",
                "LOCK 1 2 3 -4 l");
        for (int i = 0; i < malformed.size(); i++) {
            redis.command("HSET", RECORD, "u" + (i + 1), malformed.get(i));
        }
        redis.command("HSET", RECORD, "u" + (malformed.size() + 1), "LOCK 1 2 3 4 l");
        LockUsage sound = new LockUsage(LockKind.LOCK, "l", 1, 2, 3, 4);
        assertThat(b.identify("a")).containsExactly(clientRecord("shop").withBusiest(List.of(sound)));
    }

    @Test
    void anEmptyListOfClientsReturnsNoRecords() {
        assertThat(b.identify()).isEmpty();
    }
}
