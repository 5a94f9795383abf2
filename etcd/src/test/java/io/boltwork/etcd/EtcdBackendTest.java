// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.contract.FaultyStore;
import io.boltwork.spi.NodeStatus;
import io.boltwork.store.RecordBackend;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Clients, sessions and the cost of a lock on etcd. */
class EtcdBackendTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final EtcdSite site = EtcdSite.shared();
    private final String name = "backend:" + UUID.randomUUID();

    private LockClient client() {
        return LockClient.create(site.newBackend());
    }

    /** Returns how many transactions and reads the server has executed. */
    private int requests() {
        String metrics;
        try {
            metrics = HTTP.send(
                            HttpRequest.newBuilder(URI.create(site.cluster().endpoint(0) + "/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        }
        Matcher handled = Pattern.compile(
                        "grpc_server_handled_total\\{grpc_code=\"OK\",grpc_method=\"(Txn|Range|Put)\".*\\} (\\d+)")
                .matcher(metrics);
        int sum = 0;
        while (handled.find()) {
            sum += Integer.parseInt(handled.group(2));
        }
        assertThat(sum).isPositive();
        return sum;
    }

    @Test
    void pairTakesTwoRequestsIfThisClientUsedTheLockLast() {
        try (LockClient client = client()) {
            FencedLock lock = client.lock(name);
            lock.lock();
            lock.unlock();
            assertThat(median(() -> requestsOfPairs(lock, 10))).isEqualTo(20);
        }
    }

    @Test
    void pairTakesThreeRequestsIfAnotherClientUsedTheLockLast() {
        try (LockClient client = client()) {
            FencedLock lock = client.lock(name);
            assertThat(median(() -> {
                        useElsewhere();
                        return requestsOfPairs(lock, 1);
                    }))
                    .as("a write that comes too late and tells the record, a write; a write")
                    .isEqualTo(3);
        }
    }

    /** Returns the median of five counts, because a client also makes requests of its own about every two seconds. */
    private static int median(IntSupplier count) {
        return IntStream.range(0, 5).map(i -> count.getAsInt()).sorted().toArray()[2];
    }

    private int requestsOfPairs(FencedLock lock, int pairs) {
        int before = requests();
        for (int i = 0; i < pairs; i++) {
            lock.lock();
            lock.unlock();
        }
        return requests() - before;
    }

    private void useElsewhere() {
        try (LockClient other = client()) {
            other.lock(name).lock();
            other.lock(name).unlock();
        }
    }

    private static final int LEASES = 150;

    private List<Lease> leases(LockClient client, Duration length) {
        return IntStream.range(0, LEASES)
                .mapToObj(i ->
                        client.lock(name + i, LockOptions.renewedLease(length)).acquire())
                .toList();
    }

    @Test
    void leasesAreExtendedTogether() {
        try (LockClient client = client()) {
            List<Lease> held = leases(client, Duration.ofSeconds(6));
            int before = requests();
            Instant end = Instant.now().plusSeconds(8);
            Await.until("more than a lease has passed", () -> Instant.now().isAfter(end));
            assertThat(requests() - before).as("renewals").isLessThan(LEASES);
            assertThat(held).allMatch(Lease::isValid).allMatch(Lease::verify);
        }
    }

    @Test
    void leasesAreExtendedTogetherAlsoAfterALostConnection() {
        try (LockClient client = client()) {
            List<Lease> held = leases(client, Duration.ofSeconds(6));
            int before = requests();
            site.disconnectAll();
            Instant end = Instant.now().plusSeconds(8);
            Await.until("more than a lease has passed", () -> Instant.now().isAfter(end));
            assertThat(requests() - before)
                    .as("a verification of each, and renewals")
                    .isLessThan(2 * LEASES);
            assertThat(held).allMatch(Lease::isValid);
        }
    }

    @Test
    void leaseOutlivesTheSession() {
        try (LockClient client = client();
                LockClient other = client()) {
            Lease lease = client.lock(name, LockOptions.renewedLease(Duration.ofSeconds(10)))
                    .acquire();
            assertThat(site.range(EtcdKeys.bytes("/boltwork/alive/"))).hasSize(2);
            site.range(EtcdKeys.bytes("/boltwork/alive/"))
                    .forEach(alive -> site.admin("lease/revoke", Map.of("ID", alive.number("lease"))));
            Await.until("the client is alive again", () -> site.listeners() == 2);
            assertThat(other.lock(name).tryLock()).isFalse();
            assertThat(lease.isValid()).isTrue();
            Await.until("it can be verified again", () -> verified(lease));
            Task<Long> waiting = Task.start("caller", () -> {
                other.lock(name).lock();
                return 1L;
            });
            Await.until(
                    "it waits", () -> !other.inspector().describe(name).queue().isEmpty());
            lease.release();
            assertThat(waiting.get()).isEqualTo(1L);
            assertThat(client.lock(name).tryLock()).isFalse();
        }
    }

    private static boolean verified(Lease lease) {
        try {
            return lease.verify();
        } catch (BackendException later) {
            return false;
        }
    }

    @Test
    void clientThatStopsBetweenReadingAndWritingDelaysNoOther() throws Exception {
        FaultyStore store = new FaultyStore(
                new EtcdStore(List.of(URI.create(site.endpoints())), HTTP, EtcdSite.options()),
                new FaultyStore.StoreFaults());
        try (LockClient stopped = LockClient.create(RecordBackend.on(store));
                LockClient other = client()) {
            CountDownLatch reading = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            store.beforeWrite(() -> {
                store.beforeWrite(null);
                reading.countDown();
                await(goOn);
            });
            Task<Boolean> late = Task.start("caller", () -> stopped.lock(name).tryLock());
            reading.await();
            FencedLock lock = other.lock(name);
            assertThat(lock.tryLock()).isTrue();
            goOn.countDown();
            assertThat(late.get()).as("its write fails, and the lock is held").isFalse();
            lock.unlock();
            assertThat(stopped.lock(name).tryLock()).isTrue();
            stopped.lock(name).unlock();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void nothingOfAClientIsLeftWhenItIsClosed() {
        try (LockClient client = client()) {
            client.lock(name).lock();
            client.lock(name).unlock();
        }
        Await.until("its keys are gone", () -> site.listeners() == 0);
    }

    @Test
    void spaceThatHasRunOutIsToldAndHeals() {
        try (EtcdCluster small = EtcdCluster.start(1, "--unsafe-no-fsync", "--quota-backend-bytes", "3000000")) {
            LockClient client = LockClient.create(EtcdBackend.connect(small.endpoints(), EtcdSite.options()));
            try (client) {
                FencedLock lock = client.lock(name);
                lock.lock();
                byte[] large = new byte[100_000];
                String answer;
                do {
                    answer = small.post("/v3/kv/put", Json.text(Map.of("key", EtcdKeys.bytes("fill"), "value", large)));
                } while (!answer.contains("error"));
                FencedLock another = client.lock(name + "2");
                assertThatThrownBy(another::tryLock)
                        .isInstanceOf(BackendException.class)
                        .hasMessageContaining("database space exceeded")
                        .hasMessageContaining("compact and defragment the database, then disarm the alarm");
                assertThat(client.health().nodes())
                        .extracting(NodeStatus::problem)
                        .allMatch(problem -> problem.contains("refuses to grant locks"));
                Json found = Json.read(small.post("/v3/kv/range", Json.text(Map.of("key", EtcdKeys.bytes("fill")))));
                long revision = found.object("header").number("revision");
                small.post("/v3/kv/compaction", Json.text(Map.of("revision", revision, "physical", true)));
                small.post("/v3/maintenance/defragment", "{}");
                long member = found.object("header").number("member_id");
                small.post(
                        "/v3/maintenance/alarm",
                        Json.text(Map.of("action", "DEACTIVATE", "alarm", "NOSPACE", "memberID", unsigned(member))));
                Await.until("locks are granted again", () -> granted(another));
                lock.unlock();
            } catch (IOException broken) {
                throw new IllegalStateException(broken);
            }
        }
    }

    private static String unsigned(long number) {
        return Long.toUnsignedString(number);
    }

    private static boolean granted(FencedLock lock) {
        try {
            return lock.tryLock();
        } catch (BackendException later) {
            return false;
        }
    }

    @Test
    void serverThatCannotBeReachedIsNamed() {
        EtcdOptions hasty = EtcdOptions.defaults().withConnectTimeout(Duration.ofMillis(500));
        assertThatThrownBy(() -> LockClient.create(EtcdBackend.connect("http://127.0.0.1:1", hasty)))
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("127.0.0.1:1");
    }

    @Test
    void serverWithoutTheGatewayIsToldAtOnce() throws IOException {
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.start(); // answers each request with 404 and a page
        try {
            String address = "http://127.0.0.1:" + other.getAddress().getPort();
            assertThatThrownBy(() -> LockClient.create(EtcdBackend.connect(address)))
                    .isInstanceOf(BackendException.class)
                    .hasMessageContaining(address)
                    .hasMessageContaining("etcd 3.4 or later has the gateway for JSON");
        } finally {
            other.stop(0);
        }
    }

    @Test
    void endpointsThatAreNoneAreRefused() {
        for (String wrong :
                List.of("", "h1", "h1:2379", "etcd://h1:2379", "http://h1:2379/x", "http://", "http://h 1")) {
            assertThatThrownBy(() -> EtcdBackend.connect(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(
                            "endpoints must be a list of members such as 'http://h1:2379,http://h2:2379'");
        }
        assertThatThrownBy(() -> EtcdBackend.connect("http://me:secret@h1:2379"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("EtcdOptions.withCredentials")
                .hasMessageNotContaining("secret");
    }
}
