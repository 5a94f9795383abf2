// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Witness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests of the refusals and warnings of a quorum. */
class QuorumBackendTest {

    /** A server that is in use elsewhere: it has a prefix and a number of partitions, and is never asked. */
    private record Elsewhere(String namespace, int partitions) implements LockBackend {
        @Override
        public void open(String client, BackendListener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void rename(String client) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void send(Command<?> command, Consumer<Reply> handler) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Duration commandTimeout() {
            return Duration.ofSeconds(1);
        }

        @Override
        public void close() {}
    }

    /** A server whose backend may end before the client. */
    private static final class Ending implements LockBackend {
        private final LockBackend backend = MemoryBackend.on(server());
        private volatile BackendListener listener;
        private volatile Reply.Failed end;

        void end() {
            end = new Reply.Failed(false, new BackendException("Its threads have ended", false, null));
            listener.ended(end);
        }

        @Override
        public void open(String client, BackendListener told) {
            listener = told;
            backend.open(client, told);
        }

        @Override
        public void rename(String client) {
            backend.rename(client);
        }

        @Override
        public void send(Command<?> command, Consumer<Reply> handler) {
            if (end == null) {
                backend.send(command, handler);
            } else {
                handler.accept(end);
            }
        }

        @Override
        public Duration commandTimeout() {
            return backend.commandTimeout();
        }

        @Override
        public void close() {
            backend.close();
        }
    }

    @Test
    void aQuorumWithoutAMajorityForGoodEndsAllCalls() {
        List<Ending> nodes = List.of(new Ending(), new Ending(), new Ending());
        try (LockClient client = LockClient.create(QuorumBackend.of(nodes))) {
            Lease held = client.lock("l").acquire();
            CompletableFuture<Lease> waiting = client.lock("l").acquireAsync().toCompletableFuture();
            nodes.get(0).end();
            assertThat(client.isConnected()).isTrue();
            assertThat(client.lock("m").tryLock()).isTrue();
            nodes.get(2).end();
            assertThat(waiting)
                    .failsWithin(Duration.ofMinutes(1))
                    .withThrowableOfType(ExecutionException.class)
                    .havingCause()
                    .isInstanceOfSatisfying(
                            BackendException.class,
                            refused -> assertThat(refused.isRetryable()).isFalse())
                    .withMessageContaining("a majority is 2 of 3")
                    .withMessageContaining("Its threads have ended");
            assertThat(client.isConnected()).isFalse();
            assertThat(held.isValid()).isTrue();
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> client.lock("n").lock())
                    .satisfies(refused -> assertThat(refused.isRetryable()).isFalse());
        }
    }

    private static List<LockBackend> servers(int count) {
        return Stream.generate(QuorumBackendTest::server)
                .<LockBackend>map(MemoryBackend::on)
                .limit(count)
                .toList();
    }

    /** Returns a server that votes. */
    private static MemoryServer server() {
        MemoryServer server = MemoryServer.create();
        server.execute(new Witness(server.time().run(), Duration.ofDays(2).toMillis()));
        return server;
    }

    @Test
    void fewerThanThreeServersAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> QuorumBackend.of(servers(2)))
                .withMessageContainingAll("must be 3 to 15 servers, but are 2", "none may fail");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> QuorumBackend.of(servers(16)))
                .withMessageContaining("must be 3 to 15 servers, but are 16");
    }

    @Test
    void differentPrefixesAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        QuorumBackend.of(List.of(new Elsewhere("a", 1), new Elsewhere("a", 1), new Elsewhere("b", 1))))
                .withMessageContainingAll("same key prefix", "a", "b");
    }

    @Test
    void aClusterIsNoMember() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        QuorumBackend.of(List.of(new Elsewhere("a", 1), new Elsewhere("a", 2), new Elsewhere("a", 1))))
                .withMessageContainingAll("partitions=2", "is a cluster");
    }

    @Test
    void aBackendIsOnlyOneMember() {
        List<LockBackend> nodes = new ArrayList<>(servers(2));
        nodes.add(nodes.get(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> QuorumBackend.of(nodes))
                .withMessageContaining("memory is given twice");
    }

    @Test
    void aServerIsOnlyOneMember() {
        MemoryServer twice = server();
        List<LockBackend> nodes = List.of(MemoryBackend.on(server()), MemoryBackend.on(twice), MemoryBackend.on(twice));
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> LockClient.create(QuorumBackend.of(nodes)).close())
                .withMessageContaining("memory and memory are the same server, or have the same master")
                .matches(refused -> !refused.isRetryable());
    }

    @Test
    void anEvenNumberOfServersIsWarnedOf() {
        try (LockClient client = LockClient.create(QuorumBackend.of(servers(4)))) {
            assertThat(client.health().warnings())
                    .singleElement()
                    .asString()
                    .contains("4 servers, of which a majority is 3", "3 servers tolerate as many");
        }
        try (LockClient client = LockClient.create(QuorumBackend.of(servers(5)))) {
            assertThat(client.health().warnings()).isEmpty();
        }
    }

    @Test
    void aClockThatIsFarOffIsWarnedOf() {
        MemoryServer off = server();
        off.advance(Duration.ofHours(-3));
        List<LockBackend> nodes = new ArrayList<>(servers(2));
        nodes.add(MemoryBackend.on(off));
        CompletableFuture<String> warned = new CompletableFuture<>();
        try (LockClient client = LockClient.create(QuorumBackend.of(nodes))) {
            client.addListener(
                    new LockListener() { // the client begins as soon as the other two are connected
                        @Override
                        public void backendWarning(BackendWarning event) {
                            warned.complete(event.text());
                        }
                    });
            assertThat(warned).succeedsWithin(Duration.ofMinutes(1)).asString().contains("The clock of memory differs");
            assertThat(client.health().warnings()).contains(warned.join());
        }
    }

    @Test
    void aLeaseThatOutlastsTheQuarantineIsRefused() {
        QuorumOptions options = QuorumOptions.defaults().longestLease(Duration.ofSeconds(10));
        try (LockClient client = LockClient.create(QuorumBackend.of(servers(3), options))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.lock("l")) // 30 s
                    .withMessageContainingAll("longestLease of 10 s", "but are 30 s");
            LockOptions ten = LockOptions.fixedLease(Duration.ofSeconds(10));
            assertThat(client.lock("l", ten).tryAcquire()).isPresent();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.lock("m", ten.withTakeoverDelay(Duration.ofSeconds(1))))
                    .withMessageContaining("but are 11 s");
        }
    }

    @Test
    void whatIsNoVoteIsRefusedWithItsReason() {
        try (LockClient client = LockClient.create(QuorumBackend.of(servers(3)))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.lock("l", LockOptions.defaults().withFairness(LockOptions.Fairness.FIFO)))
                    .withMessageContaining("its servers have no queue");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client.lock(
                            "l",
                            LockOptions.defaults().withReplication(Replication.atLeast(1, Duration.ofMillis(100)))))
                    .withMessageContaining("the servers that vote are the copies");
            assertThatExceptionOfType(RuntimeException.class)
                    .isThrownBy(() -> client.semaphore("s", 2).tryAcquire())
                    .withMessageContaining("would have three holders");
            assertThatExceptionOfType(RuntimeException.class)
                    .isThrownBy(() -> client.readWriteLock("rw").readLock().tryLock())
                    .withMessageContaining("no read-write locks");
            assertThatExceptionOfType(RuntimeException.class)
                    .isThrownBy(() -> client.latch("done").trySetCount(1))
                    .withMessageContaining("a count is not a vote");
            assertThatExceptionOfType(RuntimeException.class)
                    .isThrownBy(() -> client.lock("l").condition("c"))
                    .withMessageContaining("no conditions");
        }
    }

    @Test
    void aBackendBelongsToOneClient() {
        QuorumBackend backend = QuorumBackend.of(servers(3));
        LockClient.create(backend).close();
        assertThatIllegalStateException()
                .isThrownBy(() -> LockClient.create(backend).close())
                .withMessageContaining("belongs to one client");
    }

    @Test
    void theLongestLeaseHasARange() {
        QuorumOptions defaults = QuorumOptions.defaults();
        assertThat(defaults.longestLease()).isEqualTo(Duration.ofSeconds(60));
        assertThat(defaults.trustUptime()).isFalse();
        assertThat(defaults.withTrustUptime(true).longestLease(Duration.ofDays(1)))
                .isEqualTo(defaults.longestLease(Duration.ofDays(1)).withTrustUptime(true))
                .isNotEqualTo(defaults)
                .hasToString("QuorumOptions[longestLease=24 h, trustUptime]");
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.longestLease(Duration.ofMillis(999)));
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.longestLease(Duration.ofDays(2)));
    }
}
