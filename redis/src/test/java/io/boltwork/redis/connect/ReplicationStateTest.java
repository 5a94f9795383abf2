// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.redis.address.RedisAddress;
import io.boltwork.redis.connect.SentinelFinder.View;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the choice of the master from the reports of servers and sentinels. */
class ReplicationStateTest {
    private static final String NONE = "0".repeat(40);

    private static ReplicationState master(String host, String history, String before, int replicas) {
        return new ReplicationState(RedisAddress.parse("redis://" + host), true, history, before, replicas, null);
    }

    private static ReplicationState replica(String host, String history, String of) {
        return new ReplicationState(
                RedisAddress.parse("redis://" + host), false, history, NONE, 0, RedisAddress.parse("redis://" + of));
    }

    private final ReplicationState a = master("a", "A", NONE, 2);
    private final ReplicationState b = master("b", "B", "A", 0);

    @Test
    void aSingleServerInTheMasterRoleIsTheMaster() {
        assertThat(ReplicationState.master(List.of(replica("b", "A", "a"), a), null))
                .isEqualTo(a);
        assertThat(ReplicationState.master(List.of(replica("b", "A", "a")), a)).isNull();
        assertThat(ReplicationState.master(List.of(), a)).isNull();
    }

    @Test
    void aPromotedReplicaPrecedesItsFormerMaster() {
        assertThat(ReplicationState.master(List.of(a, b), a)).isEqualTo(b);
        assertThat(ReplicationState.master(List.of(b), a)).isEqualTo(b);
    }

    @Test
    void aStaleMasterIsIgnoredWhileItsSuccessorIsSilent() {
        assertThat(ReplicationState.master(List.of(a), b)).isNull();
        assertThat(ReplicationState.master(List.of(a), null)).isEqualTo(a);
    }

    @Test
    void replicasThenTheFormerChoiceDecideAmongUnrelatedMasters() {
        ReplicationState empty = master("a", "X", NONE, 0);
        ReplicationState promoted = master("b", "B", "A", 1);
        assertThat(ReplicationState.master(List.of(empty, promoted), empty)).isEqualTo(promoted);
        assertThat(ReplicationState.master(List.of(empty, b), b)).isEqualTo(b);
        assertThat(ReplicationState.master(List.of(empty, b), empty)).isEqualTo(empty);
        assertThat(ReplicationState.master(List.of(empty, b), null)).isNull();
    }

    @Test
    void aServerThatHasTwoNamesIsOneMaster() {
        ReplicationState alias = master("a.example", "A", NONE, 2);
        assertThat(ReplicationState.master(List.of(a, alias), null)).isEqualTo(a);
        assertThat(ReplicationState.master(List.of(a, alias), alias)).isEqualTo(alias);
    }

    @Test
    void anInfoReplyWithoutReplicationIdsProvesNothing() {
        assertThat(ReplicationState.master(List.of(master("a", "", "", 0)), master("b", "", "", 0)))
                .isEqualTo(master("a", "", "", 0));
    }

    @Test
    void theReplicationStateIsReadFromInfo() {
        RedisAddress address = RedisAddress.parse("redis://me:pw@h:1/2");
        ReplicationState replica = ReplicationState.of(
                address,
                "# Replication\r\nrole:slave\r\nmaster_host:m\r\nmaster_port:7\r\nconnected_slaves:0\r\n"
                        + "master_replid:A\r\nmaster_replid2:" + NONE + "\r\n");
        assertThat(replica.isMaster()).isFalse();
        assertThat(replica.follows()).hasToString("redis://me@m:7/2");
        ReplicationState master = ReplicationState.of(
                address,
                "# Replication\r\nrole:master\r\nconnected_slaves:2\r\nmaster_replid:B\r\nmaster_replid2:A\r\n");
        assertThat(master).isEqualTo(new ReplicationState(address, true, "B", "A", 2, null));
    }

    @Test
    void theNewestFailoverOfTheSentinelsDecides() {
        View old = new View("a", 1, 3);
        View next = new View("b", 2, 4);
        assertThat(SentinelFinder.choose(List.of(old, next, old), null, 3)).isEqualTo(next);
        assertThat(SentinelFinder.choose(List.of(old), next, 3)).isEqualTo(next);
        assertThat(SentinelFinder.choose(List.of(old, old), next, 3)).isEqualTo(old);
        assertThat(SentinelFinder.choose(List.of(), next, 3)).isNull();
    }
}
