// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the promotion of a replica that lacks the last writes, which asynchronous replication can lose. */
@Tag("load")
class LostWritesTest {
    private RedisServer master;
    private RedisServer replica;
    private FaultyLink replication;

    @BeforeEach
    void start() {
        master = RedisServer.start("--repl-diskless-sync-delay", "0");
        replica = RedisServer.start();
        replication = FaultyLink.to(master);
        replica.command("REPLICAOF", "127.0.0.1", Integer.toString(replication.port()));
        Await.until("it is in step", () -> "up".equals(ReplicaGroup.field(replica, "master_link_status")));
    }

    @AfterEach
    void stop() {
        replication.close();
        replica.close();
        master.close();
    }

    /** Takes a lock that is not replicated, and then promotes the replica. */
    private Lease heldAndLost(LockClient client) {
        replication.unreachable().inject();
        Lease lease = client.lock("l").acquire();
        master.kill();
        replica.command("REPLICAOF", "NO", "ONE");
        assertThat(replica.command("EXISTS", "boltwork:{l}")).isEqualTo(0L);
        return lease;
    }

    @Test
    void aLostHoldIsRestoredWithItsTokenIfItsClientIsFirst() {
        try (LockClient client =
                        LockClient.create(RedisBackend.connectReplicated(List.of(master.uri(), replica.uri())));
                Lease lease = heldAndLost(client)) {
            Await.until("it is restored", () -> replica.command("HGET", "boltwork:{l}", "owner") != null);
            assertThat(lease.isValid()).isTrue();
            assertThat(replica.command("HGET", "boltwork:{l}", "token")).isEqualTo(Long.toString(lease.fencingToken()));
        }
    }

    @Test
    void aHolderThatReturnsAfterATakeoverIsTold() throws Exception {
        try (FaultyLink far = FaultyLink.to(replica);
                LockClient slow = LockClient.create(RedisBackend.connectReplicated(List.of(master.uri(), far.uri())));
                LockClient fast =
                        LockClient.create(RedisBackend.connectReplicated(List.of(master.uri(), replica.uri())))) {
            Fault cutOff = far.unreachable();
            cutOff.inject();
            Lease first = heldAndLost(slow);
            Lease second = fast.lock("l").tryAcquire(Duration.ofSeconds(10)).orElseThrow();
            assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
            assertThat(first.isValid()).as("the client could not be told").isTrue();
            long healed = System.nanoTime();
            cutOff.heal();
            LeaseLoss loss =
                    first.whenLost().toCompletableFuture().get(Slack.seconds(10).toMillis(), TimeUnit.MILLISECONDS);
            System.out.println(
                    "told " + Duration.ofNanos(System.nanoTime() - healed).toMillis() + " ms after");
            assertThat(loss.reason()).isEqualTo(LeaseLoss.Reason.TAKEN);
            assertThatExceptionOfType(LeaseLostException.class).isThrownBy(first::close);
            assertThat(second.isValid()).isTrue();
            second.close();
        }
    }
}
