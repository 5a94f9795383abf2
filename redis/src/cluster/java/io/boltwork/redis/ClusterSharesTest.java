// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Resize;
import io.boltwork.spi.Share;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests the scripts of shared locks at a cluster, with sharded channels and without them. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ClusterSharesTest {
    private static final String LOCK = "stock:1001";
    private static final int PERMITS = 3;

    private static ClusterGroup group;
    private static Client a;
    private static Client b;

    @BeforeAll
    static void start() {
        group = ClusterGroup.start(3, 0, ClusterSite.PATIENT);
        a = Client.open("a", RedisBackend.connectCluster(group.uris()));
        b = Client.open("b", RedisBackend.connectCluster(group.uris()));
    }

    @AfterAll
    static void stop() {
        a.close();
        b.close();
        group.close();
    }

    @BeforeEach
    void empty() {
        group.masters().forEach(master -> master.command("FLUSHALL"));
    }

    private static Share of(int permits) {
        return new Share(LockKind.SEMAPHORE, permits, PERMITS, 0);
    }

    private static Acquired ask(Client client, String lock, String request, boolean queue, Share share) {
        return client.ask(
                new Command.Acquire(lock, request, queue, Client.LEASE, 0, Client.NEVER, share), Acquired.class);
    }

    private static Acquired take(Client client, String lock, String request, Share share) {
        Acquired granted = ask(client, lock, request, true, share);
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        return granted;
    }

    @Test
    void aScanFindsSharedLocksOnAllMastersOrThoseOfOneKind() {
        for (int i = 0; i < 30; i++) {
            take(a, "lock " + i, "a:" + i, of(1));
            a.acquire("lock " + i, "a:1" + i);
        }
        assertThat(b.scanLocks("*", 5)).hasSize(60);
        List<QueryReply.ScannedLocks.Lock> found = new ArrayList<>();
        String cursor = "";
        do {
            Query.ScanLocks scan = new Query.ScanLocks("*", LockKind.SEMAPHORE, cursor, 5);
            QueryReply.ScannedLocks page = b.ask(scan, QueryReply.ScannedLocks.class);
            found.addAll(page.locks());
            cursor = page.cursor();
        } while (!cursor.isEmpty());
        assertThat(found).hasSize(30).allMatch(lock -> lock.kind() == LockKind.SEMAPHORE && lock.holders() == 1);
    }

    /** Waits for a lock. A client that does not listen yet is refused at first, and asks again. */
    private static void await(Client client, String lock, String request, Share share) {
        Acquired answer = ask(client, lock, request, true, share);
        if (answer.verdict() == Verdict.REFUSED) {
            answer = ask(client, lock, request, true, share);
        }
        assertThat(answer.verdict()).isEqualTo(Verdict.QUEUED);
    }

    private static Reply.Withdrawn withdraw(Client client, String lock, String request, Share share) {
        return client.ask(new Command.Withdraw(lock, request, 0, new HeldShare(share, 0, 0)), Reply.Withdrawn.class);
    }

    private static List<String> waiting(String lock) {
        return a.ask(new Query.Inspect(lock, LockKind.SEMAPHORE), Inspected.class).queue().stream()
                .map(Inspected.Waiting::request)
                .toList();
    }

    @Test
    void aClientThatDoesNotListenYetAsksForItsPart() {
        try (Client fresh = Client.open("fresh", RedisBackend.connectCluster(group.uris()))) {
            Acquired granted = take(fresh, LOCK, "fresh:1", of(2));
            assertThat(granted.share().permits()).isEqualTo(2);
            assertThat(ask(fresh, LOCK, "fresh:2", true, of(2)).share().free()).isEqualTo(1);
            assertThat(take(a, LOCK, "a:1", Share.WHOLE).token())
                    .as("the plain lock is free")
                    .isPositive();
        }
    }

    @Test
    void grantsUseTheChannelOfTheSlot() {
        take(a, LOCK, "a:1", of(3));
        await(b, LOCK, "b:1", of(1));
        await(a, LOCK, "a:2", of(2));
        CommandStats.reset(group.nodes());
        withdraw(a, LOCK, "a:1", of(3));
        Grant grant = b.nextGrant();
        assertThat(grant.lock()).isEqualTo(LOCK);
        assertThat(grant.kind()).isEqualTo(LockKind.SEMAPHORE);
        assertThat(grant.blockEnd()).isGreaterThanOrEqualTo(grant.token());
        assertThat(a.nextGrant().request()).isEqualTo("a:2");
        CommandStats stats = CommandStats.of(group.nodes());
        assertThat(stats.of("spublish")).as("%s", stats).isEqualTo(2);
        assertThat(stats.of("publish")).as("%s", stats).isZero();
    }

    @Test
    void aLargeHeadStaysWhileItsClientListensToTheSlot() {
        take(a, LOCK, "a:1", of(2));
        Client leaving = Client.open("leaving", RedisBackend.connectCluster(group.uris()));
        try {
            await(leaving, LOCK, "leaving:1", of(3));
            CommandStats.reset(group.nodes());
            assertThat(ask(a, LOCK, "a:2", false, of(1)).verdict()).isEqualTo(Verdict.REFUSED);
            assertThat(CommandStats.of(group.nodes()).of("pubsub")).isEqualTo(1);
            assertThat(waiting(LOCK)).containsExactly("leaving:1");
        } finally {
            leaving.close();
        }
        await(b, LOCK, "b:1", of(3));
        assertThat(waiting(LOCK)).containsExactly("b:1");
    }

    @Test
    void aTakenPartIsToldOnTheChannelOfTheClient() throws Exception {
        long token = take(a, LOCK, "a:1", of(2)).token();
        assertThat(b.ask(new ForceRelease(LOCK, token, LockKind.SEMAPHORE), Reply.Forced.class)
                        .released())
                .isTrue();
        assertThat(Client.next(a.takings).token()).isEqualTo(token);
    }

    @Test
    void eachStepFindsTheMasterOfTheLock() {
        for (int i = 0; i < 20; i++) {
            String lock = "lock-" + i;
            Acquired granted = take(a, lock, "a:" + i, of(2));
            HeldShare held = new HeldShare(of(2), granted.share().blockEnd(), 0);
            assertThat(a.ask(new Resize(lock, LockKind.SEMAPHORE, 5), Reply.Resized.class)
                            .capacity())
                    .isEqualTo(5);
            group.masters().forEach(master -> master.command("FLUSHALL"));
            assertThat(a.ask(
                                    new Command.Restore(
                                            lock, "a:" + i, granted.token(), Client.LEASE, 0, Client.NEVER, held),
                                    Reply.Restored.class)
                            .outcome())
                    .isEqualTo(Renewal.OK);
            assertThat(a.ask(
                                    new Command.Release(
                                            lock, "a:" + i, granted.token(), granted.token(), 0, null, held),
                                    Reply.Released.class)
                            .outcome())
                    .isEqualTo(Reply.Release.RELEASED);
        }
    }

    @Test
    void leasesOfOneSlotAreRenewedWhileItMoves() {
        RedisServer from = group.masters().get(0);
        List<Command.Renew.Item> items = new ArrayList<>();
        String lock = null;
        for (int i = 0; lock == null; i++) {
            lock = ClusterTurns.slot("moving-" + i) < 5_000 ? "moving-" + i : null;
        }
        int slot = ClusterTurns.slot(lock);
        RedisServer to = group.masters().get(1);
        for (Share share : List.of(of(1), Share.READ, of(2))) {
            long token = take(a, lock, "a:" + items.size(), share).token();
            items.add(new Command.Renew.Item(lock, "a:" + items.size(), token, 90_000, 0, share));
        }
        group.moveSlot(slot, from, to);
        try {
            Reply.Renewed renewed = a.ask(new Command.Renew(items, Client.NEVER), Reply.Renewed.class);
            assertThat(renewed.items()).hasSize(3).allMatch(item -> item.outcome() == Renewal.OK);
        } finally {
            group.moveSlot(slot, to, from);
        }
    }

    /** Redis 6.2 has no sharded channels. */
    @Test
    void grantsOfAnOldClusterUseTheChannelOfTheClient() {
        try (ClusterGroup old = ClusterGroup.startEmbedded(3, 0, ClusterSite.PATIENT);
                Client client = Client.open("c", RedisBackend.connectCluster(old.uris()))) {
            take(client, LOCK, "c:1", of(2));
            await(client, LOCK, "c:2", of(3));
            CommandStats.reset(old.nodes());
            assertThat(ask(client, LOCK, "c:3", false, of(1)).verdict()).isEqualTo(Verdict.REFUSED);
            assertThat(CommandStats.of(old.nodes()).of("pubsub")).isEqualTo(1);
            withdraw(client, LOCK, "c:1", of(2));
            assertThat(client.nextGrant().request()).isEqualTo("c:2");
            CommandStats stats = CommandStats.of(old.nodes());
            assertThat(stats.of("publish")).as("%s", stats).isEqualTo(1);
            assertThat(client.ask(
                                    new Command.Withdraw(LOCK, null, 0, new HeldShare(of(1), 0, 0)),
                                    Reply.Withdrawn.class)
                            .claimMillis())
                    .as("none waits")
                    .isLessThanOrEqualTo(LockBackend.CLAIM_MILLIS);
        }
    }
}
