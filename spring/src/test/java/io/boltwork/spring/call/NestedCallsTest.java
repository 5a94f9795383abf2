// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockListener;
import io.boltwork.spring.DistributedLock;
import io.boltwork.spring.LockTemplate;
import io.boltwork.testkit.wait.Await;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import reactor.core.publisher.Mono;

/** A method under a lock that waits for another one under the same lock is reported. */
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

    @Test
    void aCallThatWaitsForItsOwnLockIsReported() {
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("boltwork.backend=memory", "spring.main.banner-mode=off")
                .run()) {
            Map<String, Boolean> reported = application.getBean(App.class).reported;
            Outer outer = application.getBean(Outer.class);
            LockTemplate template = application.getBean(LockTemplate.class);
            CompletableFuture<Integer> work = new CompletableFuture<>();
            Set<String> expected =
                    Set.of("future", "later", "mono", "joined", "blocked", "template", "permit", "action");

            outer.notAwaited(work);
            outer.future();
            outer.futureOfMono();
            outer.mono().subscribe(value -> {}, closed -> {});
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
            assertThat(reported).containsEntry("mono", true).containsEntry("future", false);
            MeterRegistry meters = application.getBean(MeterRegistry.class);
            assertThat(meters.get("boltwork.lock.deadlock").counters()).isNotEmpty();
        }
    }
}
