// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.TrapServers.KEY;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The traps of several servers with Boltwork: stage 13. */
final class BoltworkServersTraps {
    static final Trap FAILOVER = new Trap(
            "boltwork-failover",
            "stage 9: the replica does not have the lock yet",
            "master | replica",
            BoltworkServersTraps::failover);
    static final Trap QUORUM = new Trap(
            "boltwork-restart",
            "stage 10: a server of a quorum forgets its vote",
            "5 masters",
            BoltworkServersTraps::restart);

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration LONGEST = Slack.seconds(1);

    private BoltworkServersTraps() {}

    private static void failover(TrapServers servers, TrapLog log) throws Exception {
        RedisServer master = servers.closing(RedisServer.start("--repl-diskless-sync-delay", "0"));
        RedisServer replica = servers.closing(RedisServer.start("--repl-diskless-sync-delay", "0"));
        FaultyLink replication = servers.closing(FaultyLink.to(master));
        ManyServersTraps.follow(replica, replication);
        FaultyLink pathOfA = servers.closing(FaultyLink.to(replica));
        LockClient a = replicated(servers, master.uri(), pathOfA.uri());
        LockClient b = replicated(servers, master.uri(), replica.uri());
        log.showing(() -> holder(master) + " | " + holder(replica));
        Fault cutOff = pathOfA.unreachable();
        cutOff.inject();
        replication.unreachable().inject();
        log.server("the link to the replica breaks");
        Lease first = a.lock(KEY).acquire();
        log.a("acquire");
        master.kill();
        log.server("the master dies");
        replica.command("REPLICAOF", "NO", "ONE");
        log.server("the replica is promoted; A cannot reach it");
        Lease second = b.lock(KEY).tryAcquire(PATIENCE).orElseThrow();
        log.b("acquire: a larger token: " + (second.fencingToken() > first.fencingToken()));
        cutOff.heal();
        LeaseLoss loss = first.whenLost().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        log.a("reaches the new master, and is told: " + loss.reason());
        log.end(
                second.isValid() && second.fencingToken() > first.fencingToken(),
                TrapVerdict.TOLD,
                "One master cannot prevent this. A is told at its first contact, and its token is the smaller one.");
    }

    /** Returns whether a server knows a holder. */
    private static String holder(RedisServer server) {
        try {
            return TrapServers.isHeldByBoltwork(server) ? "held" : "-";
        } catch (UncheckedIOException e) {
            return "dead";
        }
    }

    private static LockClient replicated(TrapServers servers, String... uris) {
        return servers.closing(LockClient.create(RedisBackend.connectReplicated(List.of(uris))));
    }

    private static void restart(TrapServers servers, TrapLog log) throws Exception {
        try (FiveMasters masters = FiveMasters.start(servers, List.of())) {
            List<FaultyLink> far = masters.linksToFourAndFive();
            List<String> urisOfA = new ArrayList<>(masters.uris().subList(0, 3));
            far.forEach(link -> urisOfA.add(link.uri()));
            FencedLock a = quorum(servers, urisOfA);
            FencedLock b = quorum(servers, masters.uris());
            acquireOnce(a);
            acquireOnce(b);
            log.showing(masters::boltworkVotes);
            Await.until(
                    "the votes are given back", () -> masters.boltworkVotes().equals("- - - - -"));
            log.server("five new servers have waited for the longest lease, and vote");
            far.forEach(link -> link.unreachable().inject());
            Lease first = a.tryAcquire(PATIENCE).orElseThrow();
            log.a("cannot reach 4 and 5; acquires with 3 of 5 votes");
            masters.restart(3);
            log.server("master 3 restarts without data");
            boolean second = acquires(b);
            log.showing(() -> "");
            log.b(second ? "tryAcquire: has the lock" : "tryAcquire: has no majority");
            log.end(
                    !(first.isValid() && second),
                    TrapVerdict.PASSED,
                    "A server that may have forgotten a vote does not vote before every lease has ended.");
            first.release();
        }
    }

    private static FencedLock quorum(TrapServers servers, List<String> uris) {
        QuorumOptions options = QuorumOptions.defaults().longestLease(LONGEST);
        LockClient client =
                servers.closing(LockClient.create(RedisBackend.connectQuorum(uris, RedisOptions.defaults(), options)));
        return client.lock(KEY, LockOptions.renewedLease(LONGEST));
    }

    /** Acquires and releases the lock as soon as the servers vote. */
    private static void acquireOnce(FencedLock lock) throws InterruptedException {
        lock.tryAcquire(PATIENCE).orElseThrow().release();
    }

    /** Returns whether a client gets the lock within a time that is long enough to reach all servers again. */
    private static boolean acquires(FencedLock lock) throws InterruptedException {
        try {
            return lock.tryAcquire(LONGEST.dividedBy(3)).isPresent();
        } catch (BackendException e) {
            return false; // too few servers may vote
        }
    }
}
