// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.testkit.server.ClusterGroup;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests many leases at three masters, one of which does not answer for longer than the leases last. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Tag("load")
class ClusterRenewalTest {
    /** The time after the deadline in which thousands of losses are reported, each with a warning in the log. */
    private static final Duration NOTIFICATION = Duration.ofSeconds(1);

    @Test
    void aThousandLeasesOfAFrozenMasterAreLostAndOthersAreRenewed() throws Exception {
        leases(1_000, Duration.ofSeconds(2));
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.proof", matches = "true")
    void tenThousandLeasesOfAFrozenMasterAreLostAndOthersAreRenewed() throws Exception {
        leases(10_000, Duration.ofSeconds(6));
    }

    private static void leases(int count, Duration lease) throws Exception {
        Map<String, Long> lost = new ConcurrentHashMap<>();
        Set<String> heard = ConcurrentHashMap.newKeySet();
        AtomicInteger downs = new AtomicInteger();
        LockListener listener = new LockListener() {
            @Override
            public void lost(Lost event) {
                heard.add(event.lockName());
            }

            @Override
            public void backendDown(BackendDown event) {
                downs.incrementAndGet();
            }
        };
        try (ClusterGroup group = ClusterGroup.start(3, 0, ClusterSite.PATIENT);
                LockClient client = LockClient.create(RedisBackend.connectCluster(group.uris()))) {
            client.addListener(listener);
            RedisServer frozen = group.masters().get(1);
            List<RedisServer> healthy =
                    group.masters().stream().filter(master -> master != frozen).toList();
            long since = System.nanoTime();
            List<Lease> leases = acquire(client, count, LockOptions.renewedLease(lease));
            System.out.println("cluster: " + count + " leases after " + millisSince(since) + " ms");
            for (Lease each : leases) {
                each.whenLost().thenAccept(loss -> lost.put(each.lockName(), System.nanoTime()));
            }
            List<Long> counts = new ArrayList<>();
            healthy.forEach(
                    master -> counts.add(ClusterLeases.at(master, "lease*").count()));
            long affected = ClusterLeases.at(frozen, "lease*").count();
            assertThat(affected + counts.get(0) + counts.get(1)).isEqualTo(count);
            look(healthy, counts, lease, System.nanoTime() + lease.toNanos()); // renewed at least twice

            frozen.freeze();
            long start = System.nanoTime();
            Thread.sleep(200); // its earlier answers have arrived
            Map<String, Long> deadlines = new ConcurrentHashMap<>();
            leases.forEach(each -> deadlines.put(
                    each.lockName(), System.nanoTime() + each.remaining().toNanos()));
            Duration least = look(
                    healthy, counts, lease, start + lease.plus(NOTIFICATION).toNanos());
            Await.until("the leases are lost", () -> lost.size() >= affected && heard.size() >= affected);
            long latest = lost.entrySet().stream()
                    .mapToLong(each -> each.getValue() - deadlines.get(each.getKey()))
                    .max()
                    .orElseThrow();
            long earliest = lost.entrySet().stream()
                    .mapToLong(each -> each.getValue() - deadlines.get(each.getKey()))
                    .min()
                    .orElseThrow();
            System.out.println("cluster: " + affected + " of " + count + " leases of " + lease.toSeconds()
                    + " s lost " + TimeUnit.NANOSECONDS.toMillis(earliest) + " to "
                    + TimeUnit.NANOSECONDS.toMillis(latest) + " ms after their deadlines; others had "
                    + least.toMillis() + " ms left at least");
            assertThat(earliest).isNotNegative();
            assertThat(Duration.ofNanos(latest)).isLessThan(Slack.of(NOTIFICATION));
            frozen.thaw();
            look(healthy, counts, lease, System.nanoTime() + lease.toNanos());
            assertThat(lost).hasSize((int) affected);
            assertThat(heard).isEqualTo(lost.keySet());
            assertThat(downs).hasValue(1);
            release(leases, lost.keySet());
            Await.until(
                    "no lock is held",
                    () -> group.masters().stream()
                            .allMatch(
                                    master -> ClusterLeases.at(master, "lease*").count() == 0));
        }
    }

    private static List<Lease> acquire(LockClient client, int count, LockOptions options) {
        List<CompletableFuture<Lease>> leases = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            leases.add(client.lock("lease" + i, options).acquireAsync().toCompletableFuture());
        }
        return leases.stream().map(CompletableFuture::join).toList();
    }

    /** Checks the leases all the time until then. Returns the shortest rest of a lease seen. */
    private static Duration look(List<RedisServer> masters, List<Long> counts, Duration lease, long until)
            throws InterruptedException {
        Duration least = lease;
        while (System.nanoTime() < until) {
            for (int i = 0; i < masters.size(); i++) {
                ClusterLeases seen = ClusterLeases.at(masters.get(i), "lease*");
                seen.areRenewedOnTime(counts.get(i), lease);
                least = seen.least().compareTo(least) < 0 ? seen.least() : least;
            }
            Thread.sleep(50); // from one check to the next
        }
        return least;
    }

    private static void release(List<Lease> leases, Set<String> lost) {
        for (Lease each : leases) {
            if (lost.contains(each.lockName())) {
                assertThatThrownBy(each::release).isInstanceOf(LeaseLostException.class);
            } else {
                assertThat(each.isValid()).isTrue();
                each.release();
            }
        }
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
}
