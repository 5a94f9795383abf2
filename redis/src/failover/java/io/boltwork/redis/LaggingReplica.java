// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Await;

/** A master and a replica, and a link between them that can be cut. */
final class LaggingReplica implements AutoCloseable {
    private final RedisServer master = RedisServer.start("--repl-diskless-sync-delay", "0");
    private final RedisServer replica = RedisServer.start("--repl-diskless-sync-delay", "0");
    private final FaultyLink replication = FaultyLink.to(master);

    LaggingReplica() {
        replica.command("REPLICAOF", "127.0.0.1", Integer.toString(replication.port()));
        Await.until("it is in step", () -> "up".equals(ReplicaGroup.field(replica, "master_link_status")));
    }

    String uris() {
        return master.uri() + " " + replica.uri();
    }

    /** Waits until a replica has what its master has now. */
    static void awaitInStep(RedisServer master, RedisServer replica) {
        long offset = offset(master, "master_repl_offset");
        Await.until("the replica is in step", () -> offset(replica, "slave_repl_offset") >= offset);
    }

    private static long offset(RedisServer server, String field) {
        return Long.parseLong(String.valueOf(ReplicaGroup.field(server, field)));
    }

    /** Cuts the link: what the master does from now on is lost. */
    void fallBehind() {
        awaitInStep(master, replica);
        replication.unreachable().inject();
    }

    /** Kills the master and promotes the replica. */
    void promote() {
        master.kill();
        replica.command("REPLICAOF", "NO", "ONE");
    }

    /** Adds another replica to the promoted one. */
    RedisServer follow() {
        RedisServer another = RedisServer.start();
        another.command("REPLICAOF", replica.host(), Integer.toString(replica.port()));
        return another;
    }

    @Override
    public void close() {
        replication.close();
        replica.close();
        master.close();
    }
}
