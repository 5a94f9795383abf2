// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.acquire.FencedTarget;
import io.boltwork.annotation.acquire.LockGroups;
import io.boltwork.annotation.acquire.LockObservations;
import io.boltwork.annotation.acquire.LockObserver;
import io.boltwork.annotation.acquire.TargetKind;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.spring.LockTemplate;
import io.boltwork.testkit.RandomCancels;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A lock that is granted when its call is cancelled is released. */
class CancelledCallsTest {
    private static final int ROUNDS = 300;
    private static final int MANY_ROUNDS = 20_000;

    /** The kind of work that is cancelled. */
    enum Work {
        TEMPLATE,
        TEMPLATE_READ,
        TEMPLATE_WRITE,
        TEMPLATE_PERMIT,
        FUTURE,
        FUTURE_OF_TWO,
        MONO,
        FLUX,
        DETACHED
    }

    static class Sales {
        @DistributedLock(name = "stock", renewedLease = "1h")
        public CompletableFuture<Integer> future() {
            return CompletableFuture.completedFuture(1);
        }

        @DistributedLock(name = "stock", renewedLease = "1h")
        @DistributedLock(name = "uploads", renewedLease = "1h", permits = 1)
        public CompletableFuture<Integer> futureOfTwo() {
            return CompletableFuture.completedFuture(1);
        }

        @DistributedLock(name = "stock", renewedLease = "1h")
        public Mono<Integer> mono() {
            return Mono.just(1);
        }

        @DistributedLock(name = "stock", renewedLease = "1h")
        public Flux<Integer> flux() {
            return Flux.range(1, 3);
        }

        @DistributedLock(name = "stock", renewedLease = "1h")
        public Object open(Supplier<?> result) {
            return result.get();
        }
    }

    private static ObservationRegistry failing() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                throw new IllegalStateException("a handler");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return registry;
    }

    @Test
    void aFailingObservationHandlerLeavesNoLock() {
        try (LockClient client = LockClient.create(MemoryBackend.create())) {
            LockTemplate template = new LockTemplate(client).withObservations(failing());
            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(() -> template.executeAsync("stock", lease -> Scene.done())
                            .orTimeout(Slack.seconds(20).toNanos(), TimeUnit.NANOSECONDS)
                            .join())
                    .withCauseInstanceOf(IllegalStateException.class);
            Await.until("the lock is free", () -> !client.lock("stock").isLocked());
            assertThatIllegalStateException().isThrownBy(() -> template.execute("stock", () -> 1));
            assertThatIllegalStateException().isThrownBy(() -> template.execute("stock", lease -> 1));
            assertThat(client.lock("stock").isLocked()).isFalse();
        }
    }

    @Test
    @SuppressWarnings("unchecked") // the second argument of callAsync
    void aGrantThatComesAfterTheWithdrawalIsReleased() {
        AtomicReference<Function<Lease, CompletionStage<?>>> body = new AtomicReference<>();
        FencedLock lock = (FencedLock) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {FencedLock.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("callAsync")) {
                        body.set((Function<Lease, CompletionStage<?>>) arguments[1]);
                        return new CompletableFuture<>();
                    }
                    return "stock";
                });
        LockObservations observations = new LockObservations(LockObserver.NONE, new LockGroups(10, List.of()));
        List<Object> answers = new ArrayList<>();
        Runnable withdraw = observations.takeAsync(
                null, new FencedTarget(TargetKind.LOCK, lock), null, (lease, failure) -> answers.add(failure));
        withdraw.run();
        try (LockClient client = LockClient.create(MemoryBackend.create())) {
            assertThat(body.get().apply(client.lock("stock").acquire()))
                    .as("its end releases the lease")
                    .isCompleted();
        }
        assertThat(answers).hasSize(1).first().isInstanceOf(CancellationException.class);
    }

    @EnableAutoConfiguration
    @Configuration(proxyBeanMethods = false)
    @Import(Sales.class)
    static class App {}

    /** One application, and the work under its locks. */
    private static final class Scene implements AutoCloseable {
        private final ConfigurableApplicationContext application = new SpringApplicationBuilder(App.class)
                .web(WebApplicationType.NONE)
                .properties("boltwork.backend=memory", "spring.main.banner-mode=off", "logging.level.root=off")
                .run();
        private final LockClient client = application.getBean(LockClient.class);
        private final Sales sales = application.getBean(Sales.class);
        private final LockTemplate template =
                application.getBean(LockTemplate.class).withOptions(LockOptions.renewedLease(Duration.ofHours(1)));

        private final ExecutorService caller = Executors.newSingleThreadExecutor();

        void run(Work work, int rounds) {
            RandomCancels.run(work.toString(), rounds, () -> begin(work), this::isFree);
        }

        private boolean isFree() {
            return !client.lock("stock").isLocked()
                    && !client.readWriteLock("stock").writeLock().isLocked()
                    && !client.readWriteLock("stock").readLock().isLocked()
                    && client.semaphore("uploads", 1).availablePermits() == 1
                    && client.waiting() == 0;
        }

        private Runnable begin(Work work) {
            return switch (work) {
                case TEMPLATE -> cancelled(template.executeAsync("stock", lease -> done()));
                case TEMPLATE_READ -> cancelled(template.withReadLock().executeAsync("stock", lease -> done()));
                case TEMPLATE_WRITE -> cancelled(template.withWriteLock().executeAsync("stock", lease -> done()));
                case TEMPLATE_PERMIT -> cancelled(template.withPermits(1).executeAsync("uploads", lease -> done()));
                case FUTURE -> cancelled(sales.future());
                case FUTURE_OF_TWO -> cancelled(sales.futureOfTwo());
                case MONO -> sales.mono().subscribe(value -> {}, failure -> {})::dispose;
                case FLUX -> sales.flux().subscribe(value -> {}, failure -> {})::dispose;
                case DETACHED -> detached();
            };
        }

        private static CompletableFuture<Integer> done() {
            return CompletableFuture.completedFuture(1);
        }

        private static Runnable cancelled(CompletableFuture<?> call) {
            return () -> call.cancel(true);
        }

        /** Cancels a thread that waits for a hold of its own, whose work ends elsewhere at that moment. */
        private Runnable detached() {
            CompletableFuture<Integer> first = new CompletableFuture<>();
            CompletableFuture<Object> held = new CompletableFuture<>();
            Future<Object> calls = caller.submit(() -> {
                held.complete(sales.open(() -> first));
                return sales.open(() -> 2);
            });
            held.orTimeout(Slack.seconds(20).toNanos(), TimeUnit.NANOSECONDS).join();
            first.complete(1);
            return () -> calls.cancel(true);
        }

        @Override
        public void close() {
            caller.shutdownNow();
            application.close();
        }
    }

    private static Scene scene;

    @BeforeAll
    static void start() {
        scene = new Scene();
    }

    @AfterAll
    static void close() {
        scene.close();
    }

    @ParameterizedTest
    @EnumSource
    void aLockThatIsGrantedWhenItsCallIsCancelledIsReleased(Work work) {
        scene.run(work, ROUNDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-XX:+TieredCompilation"})
    @EnabledIfSystemProperty(
            named = "boltwork.proof",
            matches = "true",
            disabledReason = "minutes: -Dboltwork.proof=true")
    void manyCancellationsLeaveNothing(String jvmArgument) throws InterruptedException {
        try (ChildJvm jvm = ChildJvm.start(CancelledCallsTest.class, List.of(jvmArgument), List.of())) {
            for (Work work : Work.values()) {
                assertThat(jvm.nextLine(Slack.of(Duration.ofMinutes(5)))).isEqualTo(work + " leaves nothing");
            }
        }
    }

    /** Runs all kinds of work many times, and prints a line for each. */
    public static void main(String... names) {
        try (Scene all = new Scene()) {
            for (Work work : names.length == 0 ? Work.values() : new Work[] {Work.valueOf(names[0])}) {
                all.run(work, MANY_ROUNDS);
                System.out.println(work + " leaves nothing");
            }
        }
    }
}
