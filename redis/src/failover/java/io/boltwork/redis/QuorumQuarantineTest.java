// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.fence.RedisFence;
import io.boltwork.fence.StaleTokenException;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A server that may have lost its votes does not vote until all leases have ended that it may have voted for. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuorumQuarantineTest {
    private static final QuorumOptions SHORT = QuorumOptions.defaults().longestLease(Duration.ofSeconds(2));
    private static final LockOptions BRIEF = LockOptions.renewedLease(Duration.ofSeconds(1));

    /** The longest lease and 2 %. */
    private static final Duration QUARANTINE = Duration.ofMillis(2_040);

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static void doesNotVoteYet(QuorumServers servers, LockClient client, RedisServer server) {
        int index = servers.all().indexOf(server);
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> client.lock("l", BRIEF).tryLock(200, TimeUnit.MILLISECONDS))
                .satisfies(failure -> assertThat(servers.parts(failure).get(index))
                        .containsPattern("does not vote for another [\\d.,]+ (m?s), because it may have started and"
                                + " lost its votes"));
        assertThat(client.health().nodes().get(index).problem()).contains("does not vote for another");
    }

    private static boolean isWatched(LockClient client, int server) {
        return client.health().nodes().get(server).problem().contains("does not vote for another");
    }

    @Test
    void aServerThatStartsWithoutItsDataDoesNotVoteAtFirst() throws Exception {
        try (QuorumServers servers = QuorumServers.voting(3)) {
            LockClient client = servers.client(SHORT);
            FencedLock lock = client.lock("l", BRIEF);
            lock.acquire().release();
            long start = System.nanoTime();
            servers.get(2).restart();
            servers.get(1).kill();
            Await.until("it is connected again", () -> isWatched(client, 2));
            doesNotVoteYet(servers, client, servers.get(2));
            assertThat(lock.tryLock(15, TimeUnit.SECONDS)).isTrue();
            assertThat(since(start)).isGreaterThan(QUARANTINE);
            System.out.println(
                    "quorum: a restarted server voted after " + since(start).toMillis() + " ms");
            lock.unlock();
        }
    }

    @Test
    void theFirstClientOfNewServersWaitsForTheLongestLease() throws Exception {
        long start = System.nanoTime();
        try (QuorumServers servers = QuorumServers.start(3)) {
            LockClient client = servers.client(SHORT);
            doesNotVoteYet(servers, client, servers.get(0));
            assertThat(client.lock("l", BRIEF).tryLock(15, TimeUnit.SECONDS)).isTrue();
            assertThat(since(start)).isGreaterThan(QUARANTINE);
        }
    }

    @TimedTest
    void serversWithAllWritesOnDiskVoteAtOnce() throws Exception {
        try (QuorumServers servers = QuorumServers.start(3, "--appendonly", "yes", "--appendfsync", "always")) {
            LockClient client = servers.client(SHORT);
            long start = System.nanoTime();
            Lease first = client.lock("l", BRIEF).acquire();
            servers.all().forEach(server -> server.restartWithData());
            LockClient other = servers.client(SHORT);
            assertThat(other.lock("free", BRIEF).tryLock(10, TimeUnit.SECONDS)).isTrue();
            assertThat(other.lock("l", BRIEF).tryLock(50, TimeUnit.MILLISECONDS))
                    .isFalse();
            assertThat(first.isValid()).isTrue();
            TimedTests.atMost(QUARANTINE.minusMillis(40), since(start), "three restarts");
        }
    }

    @TimedTest
    void aTrustedUptimeEndsTheQuarantine() throws Exception {
        try (QuorumServers servers = QuorumServers.start(3)) {
            RedisPromiseTest.pass(Duration.ofMillis(3_100));
            long start = System.nanoTime();
            LockClient trusting = servers.client(SHORT.withTrustUptime(true));
            assertThat(trusting.lock("l", BRIEF).tryLock(10, TimeUnit.SECONDS)).isTrue();
            TimedTests.atMost(QUARANTINE.dividedBy(2), since(start), "the first lock");
            doesNotVoteYet(servers, servers.client(SHORT), servers.get(0));
        }
    }

    @Test
    void aLateWriteOfAClientThatPausedIsRefused() throws Exception {
        try (QuorumServers servers = QuorumServers.voting(3);
                RedisServer storage = RedisServer.start()) {
            RedisFence fence = RedisFence.on((script, keys, arguments) -> run(storage, script, keys, arguments));
            Lease paused = servers.client(SHORT)
                    .lock("l", LockOptions.fixedLease(Duration.ofMillis(500)))
                    .acquire();
            LockClient other = servers.client(SHORT);
            Lease next =
                    other.lock("l", BRIEF).tryAcquire(Duration.ofSeconds(10)).orElseThrow();
            fence.set("stock", "41", next.fencingToken());
            assertThat(paused.isValid()).isFalse();
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> fence.set("stock", "42", paused.fencingToken()))
                    .matches(stale -> stale.newerToken() == next.fencingToken());
            assertThat(storage.command("GET", "stock")).isEqualTo("41");
            next.release();
        }
    }

    private static String run(RedisServer storage, String script, List<String> keys, List<String> arguments) {
        List<String> words = new ArrayList<>(List.of("EVAL", script, Integer.toString(keys.size())));
        words.addAll(keys);
        words.addAll(arguments);
        return String.valueOf(Objects.requireNonNull(storage.command(words.toArray(String[]::new))));
    }
}
