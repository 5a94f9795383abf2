// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static io.boltwork.spring.TestApplication.elsewhere;
import static io.boltwork.spring.TestApplication.memory;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.boltwork.InvalidNameException;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockNaming;
import io.boltwork.annotation.LockRefusal;
import io.boltwork.annotation.LockRefusedException;
import io.boltwork.annotation.LockedCall;
import io.boltwork.annotation.OnRefused;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests the beans that see each call of a locked method. */
class LockHooksTest {

    /** Methods of each form, and methods whose annotations decide on a refusal. */
    static class Shop {
        @DistributedLock(name = "stock:#{#item}", waitFor = "0s")
        public @Nullable String buy(@Nullable String item) {
            return "bought";
        }

        @DistributedLock(name = "stock:#{#item}", waitFor = "0s")
        public int count(String item) {
            return 1;
        }

        @DistributedLock(name = "stock:#{#item}", waitFor = "0s")
        public void drop(String item) {}

        @DistributedLock(name = "stock:#{#item}", waitFor = "0s")
        public CompletableFuture<@Nullable String> later(String item) {
            return CompletableFuture.completedFuture("bought");
        }

        @DistributedLock(name = "stock:#{#item}", waitFor = "0s")
        public Mono<String> mono(String item) {
            return Mono.just("bought");
        }

        @DistributedLock(name = "stock:#{#item}", waitFor = "0s")
        public Flux<String> flux(String item) {
            return Flux.just("bought", "paid");
        }

        @DistributedLock(name = "stock:#{#item}", waitFor = "0s")
        public Object open(String item) {
            return "bought";
        }

        @DistributedLock(name = "stock:#{#item}", mode = LockMode.SKIP)
        public @Nullable String skip(String item) {
            return "bought";
        }

        @DistributedLock(name = "stock:#{#item}", waitFor = "0s", onRefused = OnRefused.THROW)
        public String strict(String item) {
            return "bought";
        }

        @DistributedLock(
                name = "stock:#{#item}",
                waitFor = "0s",
                onRefused = OnRefused.FALLBACK,
                fallback = "otherwise")
        public String fallback(String item) {
            return "bought";
        }

        String otherwise(String item) {
            return "otherwise";
        }

        @DistributedLock(name = "a", waitFor = "0s")
        @DistributedLock(name = "b", waitFor = "0s")
        public String both() {
            return "bought";
        }
    }

    private static ApplicationContextRunner shop() {
        return memory().withBean(Shop.class);
    }

    private static ApplicationContextRunner naming(LockNaming naming) {
        return shop().withBean(LockNaming.class, () -> naming);
    }

    private static ApplicationContextRunner refusal(LockRefusal refusal) {
        return shop().withBean(LockRefusal.class, () -> refusal);
    }

    /** Runs a test while another owner holds the lock {@code stock:1}. */
    private static void refused(ApplicationContextRunner application, Refused test) {
        application.run(context -> {
            try (Lease lease = elsewhere(context.getBean(LockClient.class), "stock:1")) {
                assertThat(lease.isValid()).isTrue();
                test.run(context.getBean(Shop.class), context);
            }
        });
    }

    /** Results of refused callers. */
    private interface Refused {
        void run(Shop shop, ApplicationContext context) throws Exception;
    }

    @Test
    void namingIsAskedOnceForEachLockOnTheCallersThread() {
        List<LockedCall> calls = new CopyOnWriteArrayList<>();
        List<Thread> threads = new ArrayList<>();
        naming(call -> {
                    calls.add(call);
                    threads.add(Thread.currentThread());
                    return "acme:" + call.lockName();
                })
                .withPropertyValues("boltwork.lock.prefix=shop:")
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    LockClient client = context.getBean(LockClient.class);
                    try (Lease lease = elsewhere(client, "acme:shop:stock:1")) {
                        assertThat(lease.isValid()).isTrue();
                        assertThatExceptionOfType(LockRefusedException.class)
                                .isThrownBy(() -> shop.buy("1"))
                                .satisfies(refused ->
                                        assertThat(refused.lockName()).isEqualTo("acme:shop:stock:1"));
                        assertThatExceptionOfType(ExecutionException.class)
                                .isThrownBy(() -> shop.later("1").get(5, TimeUnit.SECONDS))
                                .withCauseInstanceOf(LockRefusedException.class);
                        Mono<String> mono = shop.mono("1");
                        assertThat(calls).hasSize(3);
                        assertThatExceptionOfType(LockRefusedException.class).isThrownBy(mono::block);
                        assertThatExceptionOfType(LockRefusedException.class).isThrownBy(mono::block);
                        assertThat(calls).as("not for each subscription").hasSize(3);
                    }
                    assertThat(shop.buy("1")).isEqualTo("bought");
                    shop.both();
                    assertThat(calls.subList(4, 6))
                            .extracting(LockedCall::lockName)
                            .containsExactlyInAnyOrder("shop:a", "shop:b");
                    assertThat(threads).containsOnly(Thread.currentThread());
                    LockedCall first = calls.get(0);
                    assertThat(first.lockName()).isEqualTo("shop:stock:1");
                    assertThat(first.client()).isEmpty();
                    assertThat(first.method()).isEqualTo(Shop.class.getMethod("buy", String.class));
                    assertThat(first.arguments()).containsExactly("1");
                    assertThat(AopUtils.isAopProxy(first.target())).isFalse();
                });
    }

    @Test
    void namesThatNoLockCanHave() {
        List<@Nullable String> names = new ArrayList<>();
        naming(call -> names.get(0)).run(context -> {
            Shop shop = context.getBean(Shop.class);
            names.add(null);
            assertThatIllegalStateException()
                    .isThrownBy(() -> shop.buy("1"))
                    .withMessageContaining(Shop.class.getName() + ".buy")
                    .withMessageContaining("the LockNaming bean returned null for 'stock:1'. Nothing was executed.");
            for (String name : List.of("", "x".repeat(1_025))) {
                names.set(0, name);
                assertThatExceptionOfType(InvalidNameException.class)
                        .isThrownBy(() -> shop.buy("1"))
                        .withMessageContaining(Shop.class.getName() + ".buy")
                        .withMessageEndingWith(". The LockNaming bean returned the name");
                assertThat(shop.later("1")).isCompletedExceptionally();
                Mono<String> mono = shop.mono("1");
                assertThatExceptionOfType(InvalidNameException.class).isThrownBy(mono::block);
            }
        });
        IllegalArgumentException own = new IllegalArgumentException("no tenant");
        naming(call -> {
                    throw own;
                })
                .run(context -> assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> context.getBean(Shop.class).buy("1"))
                        .isSameAs(own));
    }

    @Test
    void refusalDecidesForEachForm() {
        List<LockedCall> calls = new CopyOnWriteArrayList<>();
        refused(
                refusal((call, refused) -> {
                    calls.add(call);
                    assertThat(refused.lockName()).isEqualTo(call.lockName()).isEqualTo("stock:1");
                    return call.method().getReturnType() == int.class ? 7 : "busy";
                }),
                (shop, context) -> {
                    assertThat(shop.buy("1")).isEqualTo("busy");
                    assertThat(shop.count("1")).isEqualTo(7);
                    shop.drop("1");
                    assertThat(shop.later("1").get(5, TimeUnit.SECONDS)).isEqualTo("busy");
                    assertThat(shop.mono("1").block()).isEqualTo("busy");
                    assertThat(shop.flux("1").collectList().block()).containsExactly("busy");
                    assertThat(shop.open("1")).isEqualTo("busy");
                    assertThat(calls).hasSize(7);
                    assertThat(shop.buy("2")).isEqualTo("bought");
                    assertThat(calls).hasSize(7);
                });
    }

    @Test
    void refusalMayReturnNothingAFutureOrAPublisherAndMayThrow() {
        refused(refusal((call, refused) -> null), (shop, context) -> {
            assertThat(shop.buy("1")).isNull();
            shop.drop("1");
            assertThat(shop.later("1").get(5, TimeUnit.SECONDS)).isNull();
            assertThat(shop.mono("1").blockOptional()).isEmpty();
            assertThat(shop.flux("1").collectList().block()).isEmpty();
            assertThatIllegalStateException()
                    .isThrownBy(() -> shop.count("1"))
                    .withMessageEndingWith("the LockRefusal bean returned null, but the method returns int");
        });
        refused(
                refusal((call, refused) -> call.method().getName().equals("later")
                        ? CompletableFuture.completedFuture("busy")
                        : Mono.just("busy")),
                (shop, context) -> {
                    assertThat(shop.later("1").get(5, TimeUnit.SECONDS)).isEqualTo("busy");
                    assertThat(shop.mono("1").block()).isEqualTo("busy");
                    assertThat(shop.flux("1").collectList().block()).containsExactly("busy");
                    assertThatIllegalStateException()
                            .isThrownBy(() -> shop.buy("1"))
                            .withMessageContaining("but the method returns java.lang.String");
                });
        UnsupportedOperationException own = new UnsupportedOperationException("busy");
        refused(
                refusal((call, refused) -> {
                    throw own;
                }),
                (shop, context) -> {
                    assertThatExceptionOfType(UnsupportedOperationException.class)
                            .isThrownBy(() -> shop.buy("1"))
                            .isSameAs(own);
                    assertThatExceptionOfType(ExecutionException.class)
                            .isThrownBy(() -> shop.later("1").get(5, TimeUnit.SECONDS))
                            .withCause(own);
                    Mono<String> mono = shop.mono("1");
                    assertThatExceptionOfType(UnsupportedOperationException.class)
                            .isThrownBy(mono::block);
                });
    }

    @Test
    void annotationsAndPropertiesPrecedeTheRefusalBean() {
        ApplicationContextRunner application = refusal((call, refused) -> "bean");
        refused(application, (shop, context) -> {
            assertThat(shop.skip("1")).isNull();
            assertThat(shop.fallback("1")).isEqualTo("otherwise");
            assertThatExceptionOfType(LockRefusedException.class).isThrownBy(() -> shop.strict("1"));
        });
        refused(
                application.withPropertyValues("boltwork.lock.on-refused=throw"),
                (shop, context) ->
                        assertThatExceptionOfType(LockRefusedException.class).isThrownBy(() -> shop.buy("1")));
        refused(
                application.withPropertyValues("boltwork.lock.names.stock.on-refused=throw"),
                (shop, context) ->
                        assertThatExceptionOfType(LockRefusedException.class).isThrownBy(() -> shop.fallback("1")));
    }

    @ParameterizedTest
    @ValueSource(classes = {LockNaming.class, LockRefusal.class})
    void severalBeansNeedAPrimaryOne(Class<?> type) {
        ApplicationContextRunner two = type == LockNaming.class
                ? naming(LockedCall::lockName).withBean("other", LockNaming.class, () -> LockedCall::lockName)
                : refusal((call, refused) -> null).withBean("other", LockRefusal.class, () -> (call, refused) -> null);
        two.run(context -> assertThat(context.getStartupFailure())
                .hasRootCauseInstanceOf(NoUniqueBeanDefinitionException.class)
                .hasStackTraceContaining(type.getName()));
    }
}
