// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.LockOwner;
import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.LockTemplate;
import io.boltwork.testkit.wait.Await;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A method under a lock calls another one under the same lock. It enters its hold if both belong to one call, and
 * otherwise waits for itself, which is reported.
 */
class NestedCallsTest {
    static class Outer {
        private final Inner inner;

        Outer(Inner inner) {
            this.inner = inner;
        }

        @DistributedLock("future")
        public CompletableFuture<Integer> future() {
            return inner.future("future").thenApply(one -> one + 1);
        }

        @DistributedLock("later")
        public CompletableFuture<Integer> futureOfMono() {
            return inner.mono("later").toFuture();
        }

        @DistributedLock("mono")
        public Mono<Integer> mono() {
            return Mono.delay(Duration.ofMillis(1)).flatMap(now -> inner.mono("mono")); // on another thread
        }

        @DistributedLock("chain")
        public CompletableFuture<Long> chain(Lease lease) {
            return inner.token("chain", null)
                    .thenCompose(first -> CompletableFuture.supplyAsync(() -> first))
                    .thenApply(first -> first == lease.fencingToken() ? first : -1L);
        }

        @DistributedLock("handed on")
        public CompletableFuture<Boolean> handedOn(LockClient client) {
            LockOwner owner = CurrentLease.owner().orElseThrow();
            return CompletableFuture.supplyAsync(
                    () -> client.lock("handed on").ownedBy(owner).isHeldByCurrentThread());
        }

        @DistributedLock("blocks")
        public CompletableFuture<Integer> blocks() {
            return CompletableFuture.completedFuture(inner.blocking("blocks"));
        }

        @DistributedLock("many")
        public Flux<Integer> many() {
            return Flux.merge(
                    inner.mono("many"), Mono.delay(Duration.ofMillis(1)).then(inner.mono("many")));
        }

        @DistributedLock("joined")
        public Integer joined() {
            return inner.future("joined").join();
        }

        @DistributedLock("blocked")
        public Integer blocked() {
            return inner.mono("blocked").block();
        }

        @DistributedLock("not awaited")
        public CompletableFuture<Integer> notAwaited(CompletableFuture<Integer> work) {
            inner.future("not awaited");
            return work;
        }
    }

    static class Inner {
        @DistributedLock("#{#name}")
        public CompletableFuture<Long> token(String name, Lease lease) {
            return CompletableFuture.completedFuture(lease.fencingToken());
        }

        @DistributedLock("#{#name}")
        public int blocking(String name) {
            return 1;
        }

        @DistributedLock("#{#name}")
        public CompletableFuture<Integer> future(String name) {
            return CompletableFuture.completedFuture(1);
        }

        @DistributedLock("#{#name}")
        public Mono<Integer> mono(String name) {
            return Mono.just(1);
        }
    }

    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    @Import({Outer.class, Inner.class})
    static class App {
        private final Map<String, Boolean> reported = new ConcurrentHashMap<>();

        @Bean
        LockListener reports() {
            return new LockListener() {
                @Override
                public void deadlock(Deadlock event) {
                    event.cycle().forEach(blocked -> reported.put(blocked.lockName(), event.certain()));
                }
            };
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    private static void start(Runnable call) {
        Thread thread = new Thread(call);
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((same, closed) -> {});
        thread.start();
    }

    private static ConfigurableApplicationContext application() {
        return new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "boltwork.backend=memory",
                        "spring.main.banner-mode=off",
                        "spring.lifecycle.timeout-per-shutdown-phase=1s") // some locks stay taken
                .run();
    }

    @Test
    void aCallEntersItsOwnHold() throws Exception {
        try (ConfigurableApplicationContext application = application()) {
            Outer outer = application.getBean(Outer.class);
            LockClient client = application.getBean(LockClient.class);
            assertThat(outer.future().get(20, TimeUnit.SECONDS)).isEqualTo(2);
            assertThat(outer.futureOfMono().get(20, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(outer.mono().block(Duration.ofSeconds(20))).isEqualTo(1);
            assertThat(outer.many().collectList().block(Duration.ofSeconds(20))).containsExactly(1, 1);
            assertThat(outer.chain(null).get(20, TimeUnit.SECONDS)).isPositive();
            assertThat(outer.handedOn(client).get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(outer.blocks().get(20, TimeUnit.SECONDS)).isEqualTo(1);
            for (String lock : List.of("future", "later", "mono", "many", "chain", "handed on", "blocks")) {
                assertThat(client.lock(lock).isLocked()).as(lock).isFalse();
            }
        }
    }

    @Test
    void aCallThatWaitsForItsOwnLockIsReported() {
        try (ConfigurableApplicationContext application = application()) {
            Map<String, Boolean> reported = application.getBean(App.class).reported;
            Outer outer = application.getBean(Outer.class);
            LockTemplate template = application.getBean(LockTemplate.class);
            CompletableFuture<Integer> work = new CompletableFuture<>();
            Set<String> expected = Set.of("joined", "blocked", "template", "permit", "action");

            outer.notAwaited(work);
            start(outer::joined);
            start(outer::blocked);
            template.executeAsync("template", lease -> template.executeAsync("template", again -> work));
            template.withPermits(1)
                    .executeAsync("permit", lease -> template.withPermits(1).executeAsync("permit", again -> work));
            start(() -> template.execute(
                    "action",
                    () -> template.executeAsync("action", again -> work).join()));

            Await.until("all are reported", () -> reported.keySet().containsAll(expected));
            assertThat(reported).containsOnlyKeys(expected);
            MeterRegistry meters = application.getBean(MeterRegistry.class);
            assertThat(meters.get("boltwork.lock.deadlock").counters()).isNotEmpty();
        }
    }
}
