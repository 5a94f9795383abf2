// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.boltwork.BackendException;
import io.boltwork.ClientOptions;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import io.boltwork.testkit.wait.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

class BoltworkExtensionTest {
    private static final Map<Object, Object> SEEN = new ConcurrentHashMap<>();

    @BeforeEach
    void forget() {
        SEEN.clear();
    }

    private static Events run(Class<?>... classes) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(Arrays.stream(classes).map(type -> selectClass(type)).toArray(DiscoverySelector[]::new))
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "" + (classes.length > 1))
                .configurationParameter("junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
                .execute()
                .allEvents();
    }

    private static void allSucceed(long count, Class<?>... classes) {
        Events events = run(classes);
        assertThat(failures(events)).isEmpty();
        assertThat(events.succeeded().stream()
                        .filter(event -> event.getTestDescriptor().isTest()))
                .hasSize((int) count);
    }

    private static Throwable failure(Class<?> type) {
        List<Throwable> failures = failures(run(type));
        assertThat(failures).hasSize(1);
        return failures.get(0);
    }

    private static List<Throwable> failures(Events events) {
        return events.failed().stream()
                .map(event -> event.getRequiredPayload(TestExecutionResult.class)
                        .getThrowable()
                        .orElseThrow())
                .toList();
    }

    @ExtendWith(BoltworkExtension.class)
    abstract static class Base {
        LockClient inherited;
    }

    static class Injected extends Base {
        private MemoryServer server;
        private LockClient locks;
        private TestLocks all;
        private final LockClient own = null;
        private LockClient given = LockClient.create(MemoryBackend.create());

        @BeforeEach
        void theSameForAll(LockClient client, MemoryServer of, TestLocks together) {
            assertThat(client).isSameAs(locks).isSameAs(inherited).isSameAs(all.client());
            assertThat(of).isSameAs(server).isSameAs(all.server());
            assertThat(together).isSameAs(all);
            assertThat(own).isNull();
            assertThat(given).isNotSameAs(locks);
        }

        @RepeatedTest(2)
        void newForEachTest() {
            assertThat(SEEN.put(server, locks)).isNull();
            assertThat(locks.lock("stock").tryLock()).isTrue();
            locks.lock("stock").unlock();
        }

        @AfterEach
        void stillThere(LockClient client) {
            assertThat(client).isSameAs(locks);
            given.close();
        }
    }

    @Test
    void parametersAndFieldsAreOfOneTest() {
        allSucceed(2, Injected.class);
        assertThat(SEEN).hasSize(2);
        assertThat(SEEN.values())
                .allSatisfy(client -> assertThat(catchThrowable(
                                () -> ((LockClient) client).lock("stock").lock()))
                        .hasMessageContaining("closed"));
    }

    @ExtendWith(BoltworkExtension.class)
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    static class OneInstance {
        private LockClient locks;

        @RepeatedTest(2)
        void begins() {
            assertThat(locks.lock("stock").tryLock()).isTrue();
            locks.lock("stock").unlock();
            SEEN.put(locks, locks);
        }

        @Nested
        @TestInstance(TestInstance.Lifecycle.PER_CLASS)
        class Inside {
            private LockClient here;

            @Test
            void sharesTheFieldsOutside(LockClient parameter) {
                assertThat(here).isSameAs(locks).isSameAs(parameter);
                SEEN.put(locks, locks);
            }
        }
    }

    @Test
    void oneInstanceForAllTestsGetsNewClients() {
        allSucceed(3, OneInstance.class);
        assertThat(SEEN).hasSize(3);
    }

    @ExtendWith(BoltworkExtension.class)
    static class InTheConstructor {
        InTheConstructor(LockClient locks) {
            SEEN.put(locks, locks);
        }

        @Test
        void neverRuns() {}
    }

    @ExtendWith(BoltworkExtension.class)
    static class BeforeAllTests {
        @BeforeAll
        static void prepare(MemoryServer server) {
            SEEN.put(server, server);
        }

        @Test
        void neverRuns() {}
    }

    @Test
    void aClientBelongsToATest() {
        assertThat(failure(InTheConstructor.class)).hasMessageContaining("LockClient belongs to one test");
        assertThat(failure(BeforeAllTests.class))
                .hasMessageContaining("instead of a parameter of ")
                .hasMessageContaining("prepare");
    }

    @ExtendWith(BoltworkExtension.class)
    static class Forgets {
        @Test
        void unlock(LockClient locks) {
            locks.lock("stock:1001").lock();
        }
    }

    @Test
    void aHeldLockFailsTheTestAndSaysWhere() {
        Throwable failure = failure(Forgets.class);
        assertThat(failure)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("stock:1001 HELD by ")
                .hasMessageContaining(", since 20")
                .hasMessageContaining("'" + Thread.currentThread().getName() + "' of client 1 has it");
        assertThat(failure.getSuppressed()).singleElement().satisfies(stack -> {
            assertThat(stack).hasMessageContaining("'stock:1001' was acquired here by thread '");
            assertThat(stack.getStackTrace()[0].getClassName()).isEqualTo(Forgets.class.getName());
        });
    }

    @ExtendWith(BoltworkExtension.class)
    static class LetsThemWait {
        @Test
        void forEachOther(TestLocks all) {
            Lease lease = all.client().lock("stock").tryAcquire().orElseThrow();
            Task<Boolean> here = Task.start("buyer here", () -> {
                all.client().lock("stock").lock();
                return true;
            });
            Task<Boolean> there = Task.start("buyer there", () -> {
                all.newClient().lock("stock").lock();
                return true;
            });
            here.awaitParked();
            there.awaitParked();
            SEEN.put("here", here);
            SEEN.put("there", there);
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void waitersAreFoundAndTheirWaitsEnd() {
        Throwable failure = failure(LetsThemWait.class);
        assertThat(failure)
                .hasMessageContaining("1 caller of client 1 waiting")
                .hasMessageContaining("1 caller of client 2 waiting")
                .hasMessageContaining("  1. ");
        assertThat(Arrays.stream(failure.getSuppressed()).map(Throwable::getMessage))
                .contains("thread 'buyer here' waits here", "thread 'buyer there' waits here");
        SEEN.values().forEach(task -> ((Task<?>) task).awaitEnd());
    }

    @ExtendWith(BoltworkExtension.class)
    static class ForgetsOtherKinds {
        @Test
        void release(LockClient locks, MemoryServer server) {
            locks.readWriteLock("prices").readLock().lock();
            Lease permit = locks.semaphore("uploads", 3).tryAcquire().orElseThrow();
            assertThat(permit.isValid()).isTrue();
            LockClient unknown = LockClient.create(MemoryBackend.on(server));
            unknown.lock("elsewhere").lock();
            SEEN.put(unknown, unknown);
        }
    }

    @Test
    void allKindsAndUnknownClientsCount() {
        assertThat(failure(ForgetsOtherKinds.class))
                .hasMessageContaining("prices " + LockKind.READ_WRITE + " HELD")
                .hasMessageContaining("uploads " + LockKind.SEMAPHORE + " HELD")
                .hasMessageContaining("elsewhere HELD by ");
        SEEN.keySet().forEach(client -> ((LockClient) client).close());
    }

    @ExtendWith(BoltworkExtension.class)
    static class Allowed {
        @Test
        @MayLeaveLocks
        void cooledDown(LockClient locks) throws InterruptedException {
            assertThat(locks.lock("mail").tryLock(Duration.ZERO, Duration.ofMinutes(1)))
                    .isTrue();
        }

        @Nested
        @MayLeaveLocks
        class Others {
            @Nested
            class Deeper {
                @Test
                void holds(LockClient locks) {
                    locks.lock("mail").lock();
                }
            }
        }
    }

    @Test
    void aTestOrAClassMayLeaveLocks() {
        allSucceed(2, Allowed.class);
    }

    @ExtendWith(BoltworkExtension.class)
    static class LeavesNothing {
        @Test
        void retained(LockClient locks) {
            LockOptions retained =
                    LockOptions.renewedLease(Duration.ofSeconds(10)).withRetention(Duration.ofMinutes(1));
            locks.lock("retained", retained).lock();
            locks.lock("retained").unlock();
            assertThat(locks.inspector().describe("retained").holders()).hasSize(1);
        }

        @Test
        void keptClosed(LockClient locks) {
            locks.lock("kept", LockOptions.defaults().withMinHold(Duration.ofMinutes(1)))
                    .lock();
            locks.lock("kept").unlock();
            assertThat(locks.lock("kept").isLocked()).isTrue();
        }

        @Test
        void latches(LockClient locks) {
            assertThat(locks.latch("import").trySetCount(2)).isTrue();
        }

        @Test
        void taken(LockClient locks) {
            locks.lock("stock").lock();
            locks.inspector().forceRelease("stock");
        }

        @Test
        void onItsWay(LockClient locks) {
            CountDownLatch letGo = new CountDownLatch(1);
            Task<Boolean> task = Task.start("late", () -> {
                locks.lock("stock").lock();
                letGo.await(10, SECONDS);
                locks.lock("stock").unlock();
                return true;
            });
            Await.until("it is held", locks.lock("stock")::isLocked);
            letGo.countDown();
            SEEN.put("task", task);
        }

        @Test
        void outage(LockClient locks, MemoryServer server) {
            server.cutOff();
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> locks.lock("stock").tryLock());
        }

        @Test
        void closedByItself(LockClient locks) {
            locks.close();
        }
    }

    @Test
    void whatDoesNotCount() {
        allSucceed(7, LeavesNothing.class);
        assertThat(((Task<?>) SEEN.get("task")).get()).isEqualTo(true);
    }

    static class Named {
        @RegisterExtension
        final BoltworkExtension boltwork = new BoltworkExtension()
                .withClientOptions(ClientOptions.defaults().withApplication("checkout"));

        @Test
        void hasTheOptions(TestLocks all) {
            Set<String> names = new HashSet<>();
            try (LockClient second = all.newClient();
                    LockClient third = all.newClient(ClientOptions.defaults().withApplication("billing"))) {
                assertThat(List.of(second, third)).hasSize(2);
                all.client().inspector().clients().forEach(client -> names.add(client.application()));
            }
            assertThat(names).containsExactlyInAnyOrder("checkout", "billing");
        }
    }

    @Test
    void clientsHaveTheOptionsOfTheField() {
        allSucceed(1, Named.class);
    }

    /** Meets the other class while both hold the lock of one name. */
    @ExtendWith(BoltworkExtension.class)
    abstract static class Meets {
        static final CyclicBarrier BOTH = new CyclicBarrier(2);

        @Test
        void whileHolding(LockClient locks) throws Exception {
            locks.lock("stock").lock();
            BOTH.await(Slack.seconds(20).toSeconds(), SECONDS);
            locks.lock("stock").unlock();
        }
    }

    static class MeetsHere extends Meets {}

    static class MeetsThere extends Meets {}

    @Test
    void classesAtTheSameTimeDoNotMeet() {
        allSucceed(2, MeetsHere.class, MeetsThere.class);
    }

    @ExtendWith(BoltworkExtension.class)
    static class FailsItself {
        @Test
        void andForgets(LockClient locks) {
            locks.lock("stock").lock();
            throw new IllegalStateException("out of stock");
        }
    }

    @Test
    void theFailureOfTheTestComesFirst() {
        Throwable failure = failure(FailsItself.class);
        assertThat(failure).hasMessage("out of stock");
        List<String> also = new ArrayList<>();
        for (Throwable suppressed : failure.getSuppressed()) {
            also.add(suppressed.getMessage());
        }
        assertThat(also).singleElement().asString().contains("stock HELD by ");
    }
}
