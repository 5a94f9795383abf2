// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import static io.boltwork.examples.handmade.TrapServers.KEY;
import static io.boltwork.examples.handmade.TrapServers.LEASE;

import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** The traps of locks on several Redis servers: stages 9 and 10. */
final class ManyServersTraps {
    static final List<Trap> FAILOVER = List.of(new Trap(
            "failover", "the replica does not have the lock yet", "master | replica", ManyServersTraps::failover));
    static final List<Trap> REDLOCK = List.of(
            new Trap(
                    "votes-twice", "a server forgets its vote in a restart", "5 masters", ManyServersTraps::votesTwice),
            new Trap("power-failure", "the vote was not on the disk yet", "5 masters", ManyServersTraps::powerFailure),
            new Trap(
                    "long-pause", "a pause after the check of the validity", "5 masters", ManyServersTraps::longPause));

    private ManyServersTraps() {}

    private static void failover(TrapServers servers, TrapLog log) {
        RedisServer master = servers.closing(RedisServer.start("--repl-diskless-sync-delay", "0"));
        RedisServer replica = servers.closing(RedisServer.start("--repl-diskless-sync-delay", "0"));
        FaultyLink link = servers.closing(FaultyLink.to(master));
        follow(replica, link);
        log.showing(() -> value(master) + " | " + value(replica));
        link.unreachable().inject();
        log.server("the replica's link breaks");
        boolean first = new LuaReleaseLock(servers.connect(master.uri()), KEY).tryLock("A", LEASE);
        log.a("tryLock: " + first);
        master.kill();
        log.server("the master dies");
        replica.command("REPLICAOF", "NO", "ONE");
        log.server("the replica is promoted");
        boolean second = new LuaReleaseLock(servers.connect(replica.uri()), KEY).tryLock("B", LEASE);
        log.b("tryLock: " + second);
        log.end(
                first && second,
                TrapVerdict.TWO_INSIDE,
                "Replication is asynchronous: the new master has never seen A.");
    }

    /** Makes a server the replica of the one behind a link. */
    static void follow(RedisServer replica, FaultyLink link) {
        replica.command("REPLICAOF", "127.0.0.1", Integer.toString(link.port()));
        Await.until(
                "the replica is in step",
                () -> String.valueOf(replica.command("INFO", "replication")).contains("master_link_status:up"));
    }

    private static void votesTwice(TrapServers servers, TrapLog log) {
        try (FiveMasters masters = FiveMasters.start(servers, List.of())) {
            log.showing(masters::votes);
            boolean first = masters.lockOfThree("A").tryLock(LEASE).isPresent();
            log.a("tryLock: " + first + " (3 of 5 votes)");
            masters.restart(3);
            log.server("3 restarts without data");
            boolean second = masters.lock("B").tryLock(LEASE).isPresent();
            log.b("tryLock: " + second + " (3 of 5 votes)");
            log.end(first && second, TrapVerdict.TWO_INSIDE, "Master 3 has voted for A and for B within one lease.");
        }
    }

    private static void powerFailure(TrapServers servers, TrapLog log) throws Exception {
        try (DiskOfMaster disk = DiskOfMaster.create();
                FiveMasters masters = FiveMasters.start(servers, disk.arguments())) {
            log.showing(masters::votes);
            disk.sync();
            log.server("master 3 has appendfsync everysec");
            boolean first = masters.lockOfThree("A").tryLock(LEASE).isPresent();
            log.a("tryLock: " + first + " (3 of 5 votes)");
            masters.powerOff(3, disk::loseUnsynced);
            log.server("power failure of 3 before the next fsync; it restarts from its disk");
            boolean second = masters.lock("B").tryLock(LEASE).isPresent();
            log.b("tryLock: " + second + " (3 of 5 votes)");
            log.end(first && second, TrapVerdict.TWO_INSIDE, "The vote was answered before it was on the disk.");
        }
    }

    private static void longPause(TrapServers servers, TrapLog log) throws Exception {
        try (FiveMasters masters = FiveMasters.start(servers, List.of())) {
            RedisCommands<String, String> rows = servers.connect(masters.uris().get(0));
            log.showing(() -> masters.votes() + ", row: " + TrapServers.orDash(rows.get("row")));
            List<String> arguments = new ArrayList<>(List.of("redlock"));
            arguments.addAll(masters.uris());
            ChildJvm a = servers.jvm(arguments.toArray(String[]::new));
            boolean first = Boolean.parseBoolean(TrapServers.line(a));
            log.a("tryLock: " + first + ", checks the validity: enough is left");
            a.freeze();
            log.a("the JVM is stopped");
            masters.endLeases();
            log.server("all leases end");
            boolean second = masters.lock("B").tryLock(LEASE).isPresent();
            rows.set("row", "B");
            log.b("tryLock: " + second + ", writes B");
            a.thaw();
            a.send("");
            TrapServers.line(a);
            log.a("the JVM goes on, writes A");
            log.end(
                    first && second && "A".equals(rows.get("row")),
                    TrapVerdict.TWO_INSIDE,
                    "No check helps against a pause after it. The row has no way to know that A is late.");
        }
    }

    private static String value(RedisServer server) {
        try {
            return String.valueOf(server.command("GET", KEY)).replace("null", "-");
        } catch (UncheckedIOException e) {
            return "dead";
        }
    }
}
