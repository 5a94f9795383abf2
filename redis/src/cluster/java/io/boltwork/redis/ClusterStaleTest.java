// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.ReplicaGroup;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that the grants that a frozen and replaced master makes when it resumes are no holds. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class ClusterStaleTest {
    private static final String LOCK = "stale";

    /** A command timeout that is longer than the freeze, so that the old master does not find the request too late. */
    private static final Duration COMMAND_TIMEOUT = Slack.seconds(6);

    private static LockClient client(ClusterGroup group) {
        List<String> uris = group.uris().stream()
                .map(uri -> uri + RedisSite.timeout(COMMAND_TIMEOUT))
                .toList();
        return LockClient.create(
                RedisBackend.connectCluster(uris), ClientOptions.defaults().withShutdownTime(Duration.ofSeconds(1)));
    }

    @Test
    void aStaleMastersGrantIsNoHold() throws Exception {
        aStaleMasterGrants(true);
    }

    @Test
    void aGrantOfAMasterNotYetKnownToBeStaleIsNoHold() throws Exception {
        aStaleMasterGrants(false);
    }

    private void aStaleMasterGrants(boolean known) throws Exception {
        try (ClusterGroup group = ClusterGroup.start();
                LockClient one = client(group);
                LockClient other = client(group)) {
            int slot = ClusterTurns.slot(LOCK);
            one.lock(LOCK).acquire().release();
            other.lock(LOCK).acquire().release(); // the server has the scripts, so one message is enough
            CompletableFuture<LockListener.BackendUp> followed = new CompletableFuture<>();
            one.addListener(new LockListener() {
                @Override
                public void backendUp(BackendUp event) {
                    followed.complete(event);
                }
            });
            RedisServer old = group.masterOf(slot);
            group.freeze(old);
            Task<Optional<Lease>> asked = Task.start(
                    "asks", () -> one.lock(LOCK).tryAcquire()); // a try is sent once, so not to the new master as well
            RedisServer next = group.awaitFailover(slot, old);
            if (known) {
                Await.until("the client knows the new master", followed::isDone);
            }
            group.thaw(old);
            assertThat(asked.failure()).isInstanceOf(BackendException.class);
            Lease held = other.lock(LOCK).tryAcquire(Duration.ofSeconds(10)).orElseThrow();
            assertThat(next.command("HGET", "boltwork:{" + LOCK + "}", "owner")).isNotIn(null, "");
            Await.until("it is a replica", () -> "slave".equals(ReplicaGroup.field(old, "role")));
            assertThat(held.isValid()).isTrue();
            held.release();
            Lease following = one.lock(LOCK).tryAcquire(Duration.ofSeconds(10)).orElseThrow();
            assertThat(following.fencingToken()).isGreaterThan(held.fencingToken());
            following.release();
        }
    }
}
