// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.quorum.QuorumBackend;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The servers of a quorum must be different ones. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuorumMembersTest {

    private static void areRefused(QuorumBackend backend, String... named) {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> LockClient.create(backend).close())
                .withMessageContainingAll(named)
                .withMessageContaining("are the same server, or have the same master")
                .matches(refused -> !refused.isRetryable());
    }

    @Test
    void theSameServerUnderTwoNamesIsRefused() {
        try (QuorumServers servers = QuorumServers.voting(2)) {
            String again = servers.get(0).uri().replace("127.0.0.1", "localhost");
            List<String> uris = List.of(servers.get(0).uri(), servers.get(1).uri(), again);
            areRefused(RedisBackend.connectQuorum(uris), servers.get(0).uri(), again);
        }
    }

    @Test
    void aMasterIsOnlyOneMemberThoughAReplicaLeadsToIt() {
        try (ReplicaGroup group = ReplicaGroup.start(1);
                RedisServer third = RedisServer.start()) {
            String master = group.uris().get(0);
            RedisBackend replicated = RedisBackend.connectReplicated(group.uris());
            areRefused(
                    QuorumBackend.of(
                            List.of(replicated, RedisBackend.connect(master), RedisBackend.connect(third.uri()))),
                    replicated.toString(),
                    master);
        }
    }

    @Test
    void anAddressThatIsGivenTwiceIsRefusedBeforeAnyConnection() {
        String one = "redis://:secret@127.0.0.1:1";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisBackend.connectQuorum(List.of(one, "redis://127.0.0.1:2", one)))
                .withMessageContainingAll("one is given twice", "127.0.0.1:1")
                .withMessageNotContaining("secret");
    }

    @Test
    void aClientIsConnectedAsLongAsAMajorityIs() throws InterruptedException {
        try (QuorumServers servers = QuorumServers.voting(5)) {
            LockClient client = servers.client(QuorumOptions.defaults());
            AtomicInteger outages = new AtomicInteger();
            client.addListener(
                    new LockListener() {
                        @Override
                        public void backendDown(BackendDown event) {
                            outages.incrementAndGet();
                        }
                    },
                    Runnable::run);
            Await.until("all servers vote", () -> voting(client) == 5);
            servers.get(0).kill();
            servers.get(1).freeze();
            Await.until("two servers are missed", () -> voting(client) == 3);
            assertThat(client.isConnected()).isTrue();
            assertThat(client.lock("l").tryAcquire(Slack.seconds(10)).isPresent())
                    .isTrue();
            assertThat(outages).as("one or two servers away are no outage").hasValue(0);
            servers.get(2).kill();
            Await.until("the majority is missed", () -> !client.isConnected());
            servers.get(1).thaw();
            Await.until("a majority is back", client::isConnected);
            assertThat(outages).hasValue(1);
        }
    }

    private static long voting(LockClient client) {
        return client.health().nodes().stream()
                .filter(node -> node.reachable() && node.problem().isEmpty())
                .count();
    }

    @Test
    void aLockCostsThreeCommandsOfEachServerAtMost() {
        try (QuorumServers servers = QuorumServers.voting(5)) {
            LockClient client = servers.client(QuorumOptions.defaults());
            FencedLock lock = client.lock("l");
            lock.lock();
            lock.unlock();
            Await.until("all servers vote", () -> voting(client) == 5);
            RedisPromiseTest.pass(Duration.ofMillis(200)); // for the answers of the slowest
            CommandStats.reset(servers.all());
            for (int i = 0; i < 10; i++) {
                lock.lock();
                lock.unlock();
            }
            RedisPromiseTest.pass(Duration.ofMillis(200));
            for (RedisServer server : servers.all()) {
                CommandStats stats = CommandStats.of(server);
                assertThat(stats.requests())
                        .as("a vote and a release each, a raise unless its vote came after the release, and perhaps an"
                                + " announcement of the client")
                        .isBetween(20L, 31L);
                assertThat(stats.published()).isZero();
            }
        }
    }
}
