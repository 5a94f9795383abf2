// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.contract.WatchedBackend;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryReplica;
import io.boltwork.memory.MemoryServer;
import io.boltwork.quorum.QuorumBackend;
import io.boltwork.quorum.QuorumOptions;
import io.boltwork.spi.Announce;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.VoteCommand;
import io.boltwork.spi.Witness;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scenarios in which the literature doubts Redlock, and the cost of a lock. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Timeout(60)
class QuorumScenariosTest {
    private static final Duration LONGEST_LEASE = Duration.ofMinutes(1);
    private static final LockOptions FIXED = LockOptions.fixedLease(Duration.ofSeconds(30));

    private final List<LockClient> clients = new ArrayList<>();
    private final List<MemoryServer> servers = new ArrayList<>();

    /** The connections of the client that was created last, one for each server. */
    private List<WatchedBackend> connections = List.of();

    @AfterEach
    void close() {
        servers.forEach(MemoryServer::thaw);
        clients.forEach(LockClient::close);
    }

    private void start(int count) {
        Stream.generate(MemoryServer::create).limit(count).forEach(servers::add);
        servers.forEach(QuorumScenariosTest::votes);
    }

    /** Lets clients believe that the server has been up for long. */
    private static void votes(MemoryServer server) {
        server.execute(new Witness(server.time().run(), Duration.ofDays(1).toMillis()));
    }

    private LockClient client() {
        connections = servers.stream()
                .map(server -> new WatchedBackend(MemoryBackend.on(server, Slack.seconds(1))))
                .toList();
        List<LockBackend> nodes = List.copyOf(connections);
        LockClient client = LockClient.create(
                QuorumBackend.of(nodes, QuorumOptions.defaults().longestLease(LONGEST_LEASE)));
        clients.add(client);
        return client;
    }

    private static Optional<Lease> tried(FencedLock lock, Duration wait) {
        try {
            return lock.tryAcquire(wait);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Takes the lock with the votes of the first three of five servers; the others never hear of it. */
    private Lease heldByTheFirstThree() {
        List<MemoryServer> others = servers.subList(3, 5);
        LockClient first = client();
        others.forEach(MemoryServer::freeze);
        Lease lease = first.lock("l", FIXED).acquire();
        others.forEach(server -> server.disconnect(false));
        others.forEach(MemoryServer::thaw);
        assertThat(servers.stream().map(QuorumScenariosTest::owner).filter(Optional::isPresent))
                .hasSize(3);
        return lease;
    }

    private static Optional<String> owner(MemoryServer server) {
        return Optional.ofNullable(server.execute(new Query.Inspect("l")).owner());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aVoterThatForgetsDoesNotVoteForASecondHolder(boolean votesAtOnce) {
        start(5);
        Lease first = heldByTheFirstThree();
        MemoryServer third = servers.get(2);
        third.advance(Duration.ofMillis(1)); // a start takes time
        third.restart();
        if (votesAtOnce) {
            votes(third);
        }
        FencedLock lock = client().lock("l", FIXED);
        Optional<Lease> second = tried(lock, Duration.ofMillis(700));
        assertThat(first.isValid()).isTrue();
        assertThat(second.isPresent())
                .as("the third server is in quarantine; without it, there are two holders")
                .isEqualTo(votesAtOnce);
        if (!votesAtOnce) {
            first.release();
            Lease next = tried(lock, Duration.ofSeconds(10)).orElseThrow();
            assertThat(next.fencingToken()).isGreaterThan(first.fencingToken());
        }
    }

    @Test
    void aLockIsTakenAndNotUnavailableThoughAMinorityIsDown() {
        start(5);
        Lease first = client().lock("l", FIXED).acquire();
        servers.subList(3, 5).forEach(server -> {
            server.freeze();
            server.disconnect(false);
        });
        FencedLock lock = client().lock("l", FIXED);
        assertThat(lock.tryAcquire()).as("refused").isEmpty();
        assertThat(tried(lock, Duration.ofMillis(500))).as("refused").isEmpty();
        long votes = connections.get(0).requests(VoteCommand.Vote.class::isInstance);
        assertThat(votes).as("a waiter sleeps until a notice").isLessThanOrEqualTo(4);
        first.release();
        assertThat(lock.tryAcquire()).isPresent();
    }

    @Test
    void aJumpOfOneClockLetsNoSecondHolderIn() {
        start(3);
        FencedLock lock = client().lock("l", FIXED);
        Lease first = lock.acquire();
        servers.get(0).advance(Duration.ofHours(1)); // its lease has ended
        FencedLock other = client().lock("l", FIXED);
        assertThat(tried(other, Duration.ofMillis(500))).isEmpty();
        assertThat(first.isValid()).isTrue();
        first.release();
        Lease second = tried(other, Duration.ofSeconds(10)).orElseThrow();
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        second.release();
        servers.get(0).advance(Duration.ofHours(-1));
        Lease third = tried(lock, Duration.ofSeconds(10)).orElseThrow();
        assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void repliesLostOnTwoServersLeaveOneHolder(int count) {
        start(count);
        FencedLock lock = client().lock("l", FIXED);
        lock.acquire().release();
        connections.subList(0, 2).forEach(connection -> connection.loseReply(VoteCommand.Vote.class::isInstance));
        FencedLock other = client().lock("l", FIXED);
        Lease first = tried(lock, Duration.ofSeconds(10)).orElseThrow();
        assertThat(tried(other, Duration.ofMillis(300))).isEmpty();
        assertThat(first.isValid()).isTrue();
        first.release();
        Lease second = tried(other, Duration.ofSeconds(10)).orElseThrow();
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        second.release();
        Await.until(
                "no server keeps a vote",
                () -> servers.stream().map(QuorumScenariosTest::owner).allMatch(Optional::isEmpty));
    }

    @Test
    void aFailoverThatLosesAVoteLetsNoSecondHolderIn() {
        start(3);
        MemoryServer failing = servers.get(0);
        MemoryReplica empty = failing.replica();
        Lease first = client().lock("l", LockOptions.renewedLease(Duration.ofSeconds(6)))
                .acquire();
        assertThat(owner(failing)).isPresent();
        failing.advance(Duration.ofMillis(1)); // a failover takes time
        failing.failOver(empty);
        assertThat(owner(failing)).isEmpty();
        FencedLock other = client().lock("l", FIXED);
        assertThat(tried(other, Duration.ofMillis(500))).isEmpty();
        Await.until("a renewal has restored the vote", () -> owner(failing).isPresent());
        assertThat(other.tryAcquire()).isEmpty();
        assertThat(first.isValid()).isTrue();
        first.release();
        assertThat(tried(other, Duration.ofSeconds(10)).orElseThrow().fencingToken())
                .isGreaterThan(first.fencingToken());
    }

    @Test
    void aLockCostsTwoRoundTripsAndItsReleaseOne() {
        start(5);
        FencedLock lock = client().lock("l", FIXED);
        lock.acquire().release();
        List<Long> before = connections.stream().map(QuorumScenariosTest::sent).toList();
        for (int i = 0; i < 10; i++) {
            lock.acquire().release();
        }
        for (int i = 0; i < connections.size(); i++) {
            WatchedBackend connection = connections.get(i);
            assertThat(connection.requests(VoteCommand.Vote.class::isInstance)).isEqualTo(11);
            assertThat(connection.requests(VoteCommand.Raise.class::isInstance)).isEqualTo(11);
            assertThat(connection.requests(VoteCommand.GiveBack.class::isInstance))
                    .isEqualTo(11);
            assertThat(sent(connection) - before.get(i)).as("and nothing else").isEqualTo(30);
        }
    }

    private static long sent(WatchedBackend connection) {
        return connection.requests(command -> !(command instanceof Announce || command instanceof Witness));
    }
}
