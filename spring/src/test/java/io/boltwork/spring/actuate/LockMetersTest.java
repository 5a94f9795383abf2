// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.Lease;
import io.boltwork.LeaseLostException;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.LockTemplate;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests the groups, gauges and timers of an application's meters and observations. */
class LockMetersTest {

    @Test
    void manyNamesMakeFewMeters() {
        try (ConfigurableApplicationContext application =
                start("boltwork.backend=memory", "boltwork.metrics.max-groups=5")) {
            LockTemplate template = application.getBean(LockTemplate.class);
            LockClient client = application.getBean(LockClient.class);
            Till till = application.getBean(Till.class);
            for (int i = 0; i < 2_000; i++) {
                String letters = letters(i);
                template.execute("t" + letters + ":1", () -> "done");
                client.lock("c" + letters + ":1").acquire().release();
                till.sell("s" + letters);
            }
            Await.until("all grants are counted", () -> granted(application) == 6_000);
            assertThat(groups(application)).hasSizeLessThanOrEqualTo(6).contains("other");
            assertThat(application.getBean(Traces.class).groups)
                    .hasSizeLessThanOrEqualTo(6)
                    .contains("other");
        }
    }

    /** Returns a number as text without digits, because a digit ends a group. */
    private static String letters(int number) {
        return Integer.toString(number, 36)
                .chars()
                .map(c -> Character.isDigit(c) ? c - '0' + 'A' : c)
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
    }

    @Test
    void prefixIsNoGroup() {
        try (ConfigurableApplicationContext application =
                start("boltwork.backend=memory", "boltwork.lock.prefix=shop:")) {
            application.getBean(Till.class).buy("1001");
            application.getBean(LockClient.class).lock("shop:order:7").acquire().release();
            Await.until("all grants are counted", () -> granted(application) == 2);
            assertThat(groups(application)).containsExactlyInAnyOrder("stock", "order");
        }
    }

    @Test
    void meterAndObservationHaveTheDeclaredGroup() {
        try (ConfigurableApplicationContext application = start("boltwork.backend=memory")) {
            application.getBean(Till.class).sell("pen");
            LockTemplate template = application.getBean(LockTemplate.class).withGroup("report");
            template.execute("daily", () -> "done");
            Await.until("all grants are counted", () -> granted(application) == 2);
            assertThat(groups(application)).containsExactlyInAnyOrder("till", "report");
            assertThat(application.getBean(Traces.class).groups).containsExactlyInAnyOrder("till", "report");
            assertThatIllegalArgumentException().isThrownBy(() -> template.withGroup(""));
        }
    }

    @Test
    void namesOfUsersAreNoGroups() {
        try (ConfigurableApplicationContext application = start("boltwork.backend=memory")) {
            LockTemplate template = application.getBean(LockTemplate.class);
            template.execute("alice", () -> "done");
            template.execute("user-bob", () -> "done");
            template.execute("carol@example.org:cart", () -> "done");
            template.execute("cart:dave", () -> "done");
            Await.until("all grants are counted", () -> granted(application) == 4);
            assertThat(groups(application)).containsExactlyInAnyOrder("other", "cart");
            assertThat(application.getBean(Traces.class).groups).containsExactlyInAnyOrder("other", "cart");
        }
    }

    @Test
    void waitHasOneTimer() {
        try (ConfigurableApplicationContext application = start("boltwork.backend=memory")) {
            application.getBean(LockTemplate.class).execute("stock:1", () -> "done");
            Await.until("all grants are counted", () -> granted(application) == 1);
            MeterRegistry meters = application.getBean(MeterRegistry.class);
            assertThat(application.getBean(Traces.class).groups).containsExactly("stock");
            assertThat(meters.get("boltwork.lock.wait")
                            .tag("kind", "lock")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(meters.getMeters())
                    .extracting(meter -> meter.getId().getName())
                    .doesNotContain("boltwork.lock.acquire", "boltwork.lock.acquire.active");
        }
    }

    @Test
    void gaugesShowHoldsLagAndConnection() {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = start("spring.data.redis.port=" + redis.port())) {
            assertThat(gauge(application, "boltwork.lock.connected")).isEqualTo(1);
            assertThat(gauge(application, "boltwork.lock.held")).isZero();
            LockClient locks = application.getBean(LockClient.class);
            try (Lease lease = locks.lock("stock:1").acquire()) {
                assertThat(lease.isValid()).isTrue();
                CompletableFuture<Lease> waits =
                        locks.lock("stock:1").acquireAsync().toCompletableFuture();
                Await.until("a caller is in the queue", () -> gauge(application, "boltwork.lock.queue") == 1);
                Await.until("a lock is held", () -> gauge(application, "boltwork.lock.held") == 1);
                assertThat(gauge(application, "boltwork.lock.renewal.lag")).isBetween(0.0, 30.0);
                waits.cancel(true);
            }
            redis.kill();
            Await.until("the client notices the outage", () -> gauge(application, "boltwork.lock.connected") == 0);
        }
    }

    @Test
    void waitsAndHoldsAreCountedInBucketsThatCanBeChosen() {
        assertThat(buckets()).containsExactly(0.01, 0.1, 1.0, 10.0, 60.0);
        assertThat(buckets("boltwork.metrics.buckets=250ms,2s")).containsExactly(0.25, 2.0);
        assertThat(buckets("boltwork.metrics.buckets=")).as("none").isEmpty();
        assertThat(buckets("management.metrics.distribution.slo.boltwork.lock=5s"))
                .as("by the application's own way")
                .containsExactly(5.0);
    }

    /** Returns the bounds of the buckets in seconds, which are the same for waits and holds. */
    private static List<Double> buckets(String... properties) {
        List<String> all = new ArrayList<>(List.of(properties));
        all.add("boltwork.backend=memory");
        try (ConfigurableApplicationContext application = start(all.toArray(String[]::new))) {
            application.getBean(LockTemplate.class).execute("stock:1", () -> "done");
            MeterRegistry meters = application.getBean(MeterRegistry.class);
            Await.until(
                    "the hold is counted",
                    () -> meters.find("boltwork.lock.hold").timer() != null);
            List<List<Double>> bounds = Stream.of("wait", "hold")
                    .map(name -> Stream.of(meters.get("boltwork.lock." + name)
                                    .timer()
                                    .takeSnapshot()
                                    .histogramCounts())
                            .map(count -> count.bucket(TimeUnit.SECONDS))
                            .toList())
                    .toList();
            assertThat(bounds.get(0)).isEqualTo(bounds.get(1));
            return bounds.get(0);
        }
    }

    @Test
    void aLongHoldAndALongWaitAreCountedWhileTheyLast() {
        try (ConfigurableApplicationContext application =
                start("boltwork.backend=memory", "boltwork.long-hold=1s", "boltwork.long-wait=1s")) {
            LockClient locks = application.getBean(LockClient.class);
            MeterRegistry meters = application.getBean(MeterRegistry.class);
            try (Lease lease = locks.lock("stock:1").acquire()) {
                CompletableFuture<Lease> waits =
                        locks.lock("stock:1").acquireAsync().toCompletableFuture();
                for (String what : List.of("hold", "wait")) {
                    Await.until("a long " + what, () -> {
                        Counter counter = meters.find("boltwork.lock.long")
                                .tags("what", what, "group", "stock", "kind", "lock")
                                .counter();
                        return counter != null && counter.count() == 1;
                    });
                }
                assertThat(lease.isValid()).isTrue();
                waits.cancel(true);
            }
        }
    }

    @Test
    void deadlocksAreCounted() throws InterruptedException {
        try (ConfigurableApplicationContext application = start("boltwork.backend=memory")) {
            LockClient locks = application.getBean(LockClient.class);
            CyclicBarrier bothHold = new CyclicBarrier(2);
            Thread one = takes(locks, "a", bothHold, "b");
            Thread two = takes(locks, "b", bothHold, "a");
            Await.until("the deadlock is counted", () -> {
                Counter counter = application
                        .getBean(MeterRegistry.class)
                        .find("boltwork.lock.deadlock")
                        .tag("certain", "true")
                        .counter();
                return counter != null && counter.count() == 1;
            });
            assertThat(locks.inspector().forceRelease("a")).isTrue();
            one.join();
            two.join();
        }
    }

    private static Thread takes(LockClient locks, String first, CyclicBarrier bothHold, String second) {
        Thread thread = new Thread(() -> {
            locks.lock(first).lock();
            try {
                bothHold.await();
                locks.lock(second).lock();
                locks.lock(second).unlock();
                locks.lock(first).unlock();
            } catch (InterruptedException | BrokenBarrierException | LeaseLostException end) {
                // one of the locks is taken away
            }
        });
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static double gauge(ConfigurableApplicationContext application, String name) {
        return application.getBean(MeterRegistry.class).get(name).gauge().value();
    }

    private static double granted(ConfigurableApplicationContext application) {
        return application
                .getBean(MeterRegistry.class)
                .find("boltwork.lock.acquired")
                .tag("outcome", "granted")
                .counters()
                .stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }

    private static Set<@Nullable String> groups(ConfigurableApplicationContext application) {
        return application.getBean(MeterRegistry.class).getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getName().startsWith("boltwork.lock.") && id.getTag("group") != null)
                .map(id -> id.getTag("group"))
                .collect(Collectors.toSet());
    }

    private static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off")
                .properties(properties)
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    static class App {
        @Bean
        Till till() {
            return new Till();
        }

        @Bean
        Traces traces() {
            return new Traces();
        }
    }

    static class Till {
        @DistributedLock(name = "#item", group = "till")
        public String sell(String item) {
            return item;
        }

        @DistributedLock("stock:#{#item}")
        public String buy(String item) {
            return item;
        }
    }

    /** Returns the groups of the observations. */
    static class Traces implements ObservationHandler<Observation.Context> {
        final Set<String> groups = ConcurrentHashMap.newKeySet();

        @Override
        public void onStop(Observation.Context context) {
            groups.add(context.getLowCardinalityKeyValue("group").getValue());
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return "boltwork.lock.acquire".equals(context.getName());
        }
    }
}
