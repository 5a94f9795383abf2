// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.store.LeaderClock;
import io.boltwork.store.StoreClock;
import io.boltwork.testkit.server.EtcdCluster;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The time that clients read from etcd's countdown of a lease. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class EtcdClockTest {
    private static final Duration TOLERANCE = Duration.ofMillis(250);
    private static final EtcdKeys KEYS = new EtcdKeys("/clock");

    private EtcdCluster cluster;

    @BeforeEach
    void start() {
        assumeTrue(EtcdCluster.isInstalled(), "skipped: no etcd on the PATH");
        cluster = EtcdCluster.start(1, "--unsafe-no-fsync");
    }

    @AfterEach
    void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** Returns a clock that has learned nothing from others. */
    private EtcdClock clock() {
        return new EtcdClock(calls(), KEYS, TOLERANCE, new HashMap<>());
    }

    private EtcdCalls calls() {
        return new EtcdCalls(
                List.of(URI.create(cluster.endpoints())), HttpClient.newHttpClient(), EtcdOptions.defaults());
    }

    private static long latest(StoreClock read) {
        return read.micros() + read.uncertainMicros();
    }

    @Test
    void clientsAgreeWithinTheToleranceAndTimePasses() {
        List<EtcdClock> clocks = List.of(clock(), clock(), clock());
        clocks.forEach(EtcdClock::now);
        Instant end = Instant.now().plusSeconds(6);
        long before = 0;
        while (Instant.now().isBefore(end)) {
            List<StoreClock> reads = new ArrayList<>();
            clocks.forEach(clock -> reads.add(clock.now()));
            for (int i = 1; i < reads.size(); i++) { // each was read after the one before it
                assertThat(reads.get(i).run()).isEqualTo(reads.get(0).run());
                assertThat(latest(reads.get(i)))
                        .isGreaterThanOrEqualTo(reads.get(i - 1).micros());
                assertThat(reads.get(i).micros()).isLessThan(latest(reads.get(i - 1)) + 1_000_000);
            }
            before = Math.max(before, reads.get(0).micros());
            clocks.get(1).refresh();
        }
        assertThat(clocks.get(0).now().micros()).isBetween(before, before + 2_000_000);
    }

    @Test
    void whatOneClientHasLearnedServesTheOthersOfItsJvm() {
        Map<String, WeakReference<LeaderClock>> shared = new HashMap<>();
        EtcdClock first = new EtcdClock(calls(), KEYS, TOLERANCE, shared);
        first.now();
        EtcdClock second = new EtcdClock(calls(), KEYS, TOLERANCE, shared);
        second.connect();
        cluster.kill(0);
        assertThat(second.now().run()).isEqualTo(first.now().run());
    }

    @Test
    void clientsThatComeAtOnceMakeOneClock() {
        List<Task<StoreClock>> readers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            readers.add(Task.start("client " + i, () -> clock().now()));
        }
        assertThat(readers.stream().map(reader -> reader.get().run()).distinct())
                .hasSize(1);
        assertThat(value(note())).as("the one lease that is left").startsWith(leases() + " ");
    }

    private String leases() {
        try {
            List<Json> leases =
                    Json.read(cluster.post("/v3/lease/leases", "{}")).list("leases");
            assertThat(leases).hasSize(1);
            return leases.get(0).text("ID");
        } catch (IOException broken) {
            throw new IllegalStateException(broken);
        }
    }

    @Test
    void timeIsAboutThatOfTheWallAndGrowsThoughTheLeaderBeginsAnew() {
        StoreClock first = clock().now();
        assertThat(Math.abs(first.micros() / 1_000 - System.currentTimeMillis()))
                .isLessThan(5_000);
        EtcdClock follower = clock();
        follower.now();
        cluster.kill(0);
        cluster.restart(0);
        StoreClock second = clock().now();
        assertThat(second.run()).as("another term").isNotEqualTo(first.run());
        assertThat(second.micros()).isGreaterThan(first.micros());
        Await.until("a client that asks learns it", () -> {
            follower.refresh();
            return follower.now().run().equals(second.run());
        });
    }

    @Test
    void lostLeaseIsReplaced() {
        EtcdClock clock = clock();
        StoreClock first = clock.now();
        Json note = note();
        String lease = value(note).split(" ")[0];
        cluster.post("/v3/lease/revoke", Json.text(Map.of("ID", lease)));
        Await.until("another lease", () -> {
            clock.refresh();
            return !value(note()).startsWith(lease);
        });
        StoreClock second = clock().now();
        assertThat(second.run()).isNotEqualTo(first.run());
        assertThat(second.micros()).isGreaterThan(first.micros());
    }

    @Test
    void countThatBeganAnewWithinATermIsAnotherClock() {
        StoreClock first = clock().now();
        String[] fields = value(note()).split(" ");
        String later = fields[0] + " " + fields[1] + " " + fields[2] + " 5000"; // noted before the leader began anew
        cluster.post("/v3/kv/put", Json.text(Map.of("key", KEYS.clock(), "value", EtcdKeys.bytes(later))));
        StoreClock second = clock().now();
        assertThat(second.run()).isNotEqualTo(first.run());
        assertThat(second.micros()).isGreaterThan(first.micros() + 4_000_000_000L);
    }

    private Json note() {
        try {
            return Json.read(cluster.post("/v3/kv/range", Json.text(Map.of("key", KEYS.clock()))))
                    .list("kvs")
                    .get(0);
        } catch (IOException broken) {
            throw new IllegalStateException(broken);
        }
    }

    private static String value(Json kv) {
        return new String(kv.bytes("value"), StandardCharsets.US_ASCII);
    }
}
