// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A quorum of five servers works while any two are down, and fails in time while three are. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuorumLivenessTest {
    private static final int PAIRS = 200;
    private static final double MOST_TIMES = 1.5;

    /** The time within which a server must answer about a lease of 30 s. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** Acquires and releases the lock often, and returns the time that half of these pairs take at most. */
    private static Duration median(FencedLock lock) {
        long[] nanos = new long[PAIRS];
        for (int i = 0; i < nanos.length; i++) {
            nanos[i] = pair(lock).toNanos();
        }
        Arrays.sort(nanos);
        return Duration.ofNanos(nanos[PAIRS / 2]);
    }

    private static Duration pair(FencedLock lock) {
        long start = System.nanoTime();
        lock.lock();
        lock.unlock();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    /** Returns the median with all servers, after a warm-up. */
    private static Duration medianOfAll(FencedLock lock) {
        for (int i = 0; i < 5; i++) {
            median(lock);
        }
        return median(lock);
    }

    private static void isAsBefore(Duration before, Duration now, String what) {
        System.out.printf(
                "quorum: p50 of %d pairs with five servers %d us, with %s %d us%n",
                PAIRS, before.toNanos() / 1_000, what, now.toNanos() / 1_000);
        TimedTests.atMost(Duration.ofNanos((long) (MOST_TIMES * before.toNanos())), now, "a pair with " + what);
    }

    @TimedTest
    void twoKilledServersOfFiveCostNoTime() {
        try (QuorumServers servers = QuorumServers.voting(5)) {
            FencedLock lock = servers.client(QuorumOptions.defaults()).lock("l");
            Duration before = medianOfAll(lock);
            servers.last(2).forEach(RedisServer::kill);
            pair(lock);
            isAsBefore(before, median(lock), "three of them");
        }
    }

    @TimedTest
    void twoFrozenServersOfFiveCostOneTimeoutAtMost() {
        try (QuorumServers servers = QuorumServers.voting(5)) {
            FencedLock lock = servers.client(QuorumOptions.defaults()).lock("l");
            Duration before = medianOfAll(lock);
            RedisServer frozen = servers.get(4);
            long asked = CommandStats.of(frozen).requests();
            servers.last(2).forEach(RedisServer::freeze);
            Duration first = pair(lock);
            System.out.println("quorum: the first pair with two frozen servers took " + first.toMillis() + " ms");
            TimedTests.atMost(PATIENCE.plus(before).plusMillis(50), first, "the first pair");
            RedisPromiseTest.pass(PATIENCE.plusMillis(100)); // for two timeouts of each server
            isAsBefore(before, median(lock), "two of them frozen");
            servers.last(2).forEach(RedisServer::thaw);
            Await.until("it votes again", () -> {
                pair(lock);
                return CommandStats.of(frozen).requests() > asked + 10;
            });
            assertThat(CommandStats.of(frozen).requests() - asked)
                    .as("questions while it was frozen: it was set aside")
                    .isLessThan(PAIRS);
        }
    }

    @TimedTest
    void threeKilledServersOfFiveFailTimedCallsInTime() throws Exception {
        try (QuorumServers servers = QuorumServers.voting(5)) {
            LockClient client = servers.client(QuorumOptions.defaults());
            FencedLock lock = client.lock("l");
            pair(lock);
            servers.last(3).forEach(RedisServer::kill);
            Duration wait = Duration.ofSeconds(1);
            long start = System.nanoTime();
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS))
                    .satisfies(failure -> {
                        List<String> parts = servers.parts(failure);
                        assertThat(parts.subList(0, 2)).allMatch(part -> part.endsWith(" votes"));
                        assertThat(parts.subList(2, 5)).allMatch(part -> part.contains("is not connected: "));
                    });
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            assertThat(took).isGreaterThan(wait.minusMillis(50));
            TimedTests.atMost(wait.plusMillis(200), took, "the call");
            assertThat(client.health().connected()).isFalse();

            servers.last(1).forEach(QuorumServers::restartVoting);
            assertThat(lock.tryLock(10, TimeUnit.SECONDS))
                    .as("three servers vote again")
                    .isTrue();
            assertThat(client.health().connected()).isTrue();
            assertThat(client.health().nodes()).hasSize(5);
            lock.unlock();
        }
    }

    @Test
    void serversThatComeBackVoteAgain() throws Exception {
        try (QuorumServers servers = QuorumServers.start(5, "--appendonly", "yes", "--appendfsync", "always")) {
            LockClient client = servers.client(QuorumOptions.defaults());
            FencedLock lock = client.lock("l");
            lock.lock();
            long first = lock.currentLease().orElseThrow().fencingToken();
            servers.get(0).restartWithData();
            servers.last(2).forEach(RedisServer::kill);
            Await.until(
                    "it is connected again",
                    () -> client.health().nodes().stream()
                                    .filter(node -> node.problem().isEmpty())
                                    .count()
                            == 3);
            assertThat(lock.currentLease().orElseThrow().isValid()).isTrue();
            lock.unlock();
            assertThat(lock.tryLock(10, TimeUnit.SECONDS)).isTrue();
            assertThat(lock.currentLease().orElseThrow().fencingToken()).isGreaterThan(first);
            lock.unlock();
        }
    }
}
