// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.memory.MemoryServer;
import io.boltwork.redis.RedisBackend;
import io.boltwork.spi.LockBackend;
import io.boltwork.testkit.AutoConfigureBoltwork;
import io.boltwork.testkit.MayLeaveLocks;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestContextManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Tests with the annotation of the test kit, which lives without the starter. */
class AutoConfigureBoltworkTest {
    private static final String NOWHERE = "boltwork.redis.uri=redis://127.0.0.1:1";

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Sales.class)
    static class Application {}

    /** Something to lock. */
    static class Sales {
        @DistributedLock(name = "stock")
        public boolean sell() {
            return TransactionSynchronizationManager.isActualTransactionActive();
        }
    }

    @Nested
    @SpringBootTest(
            classes = Application.class,
            properties = {NOWHERE, "boltwork.redis.lazy-connect=false", "spring.datasource.url=jdbc:h2:mem:auto"})
    @AutoConfigureBoltwork
    class InTheApplication {

        @Test
        void noServerIsContacted(@Autowired LockClient locks, @Autowired MemoryServer server, @Autowired Sales sales) {
            assertThat(locks).asString().contains(" on memory");
            sales.sell();
            server.cutOff();
            assertThatThrownBy(() -> locks.lock("stock").tryLock()).hasMessageContaining("memory");
        }

        @Test
        @Transactional
        void theLockOfATransactionIsReleasedAfterIt(@Autowired LockClient locks, @Autowired Sales sales) {
            assertThat(sales.sell()).isTrue();
            assertThat(locks.lock("stock").isLocked()).isTrue();
        }

        @Test
        @MayLeaveLocks
        void mayBeLeft(@Autowired LockClient locks) {
            locks.lock("left").lock();
        }
    }

    @Nested
    @SpringBootTest(classes = Sales.class)
    @AutoConfigureBoltwork
    class WithoutOtherAutoConfigurations {
        @Test
        void methodsAreLocked(@Autowired LockClient locks, @Autowired Sales sales) {
            assertThat(sales.sell()).isFalse();
            assertThat(locks.inspector().describe("stock").fence()).isPositive();
        }
    }

    /** An application with its own beans. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class OwnBeans {
        @Bean
        @Qualifier("orders")
        LockBackend backend() {
            return RedisBackend.connect("redis://127.0.0.1:1");
        }

        @Bean
        LockClient client(@Qualifier("orders") LockBackend backend) {
            throw new AssertionError("This would connect to " + backend);
        }
    }

    @Nested
    @SpringBootTest(classes = OwnBeans.class)
    @AutoConfigureBoltwork
    class InAnApplicationWithItsOwnBeans {
        @Test
        void theyAreReplaced(@Autowired List<LockClient> clients, @Autowired @Qualifier("orders") LockBackend backend) {
            assertThat(clients).singleElement().asString().contains(" on memory");
            assertThat(backend).hasToString("memory");
        }
    }

    /** Is run by hand. */
    @SpringBootTest(classes = Application.class, properties = NOWHERE)
    @AutoConfigureBoltwork
    static class Careless {
        void test() {}
    }

    @Test
    void whatIsLeftFailsTheTestAndIsGoneInTheNext() throws Exception {
        TestContextManager manager = new TestContextManager(Careless.class);
        Method test = Careless.class.getDeclaredMethod("test");
        Careless instance = new Careless();
        manager.beforeTestClass();
        manager.prepareTestInstance(instance);
        manager.beforeTestMethod(instance, test);
        LockClient locks = manager.getTestContext().getApplicationContext().getBean(LockClient.class);
        MemoryServer server = manager.getTestContext().getApplicationContext().getBean(MemoryServer.class);
        locks.lock("held").lock();
        locks.readWriteLock("read").readLock().lock();
        locks.lock("lost").lock();
        locks.lock("lost").lock();
        locks.inspector().forceRelease("lost");
        locks.lock("kept", LockOptions.defaults().withMinHold(Duration.ofHours(1)))
                .acquire()
                .release();
        LockOptions retained = LockOptions.renewedLease(Duration.ofSeconds(10)).withRetention(Duration.ofHours(1));
        locks.lock("retained", retained).acquire().release();
        locks.latch("latch").trySetCount(2);
        server.freeze();
        assertThatThrownBy(() -> manager.afterTestMethod(instance, test, null))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("held HELD by ")
                .hasMessageNotContaining("unknown client")
                .hasMessageContaining("'" + Thread.currentThread().getName() + "' of boltworkLockClient has it")
                .hasMessageContaining("read READ_WRITE HELD")
                .hasMessageNotContaining("lost")
                .hasMessageNotContaining("kept")
                .hasMessageNotContaining("retained");

        manager.beforeTestMethod(instance, test);
        assertThat(locks.inspector().list("*", 10)).isEmpty();
        assertThat(locks.lock("held").isHeldByCurrentThread()).isFalse();
        assertThat(locks.latch("latch").trySetCount(3)).isTrue();
        for (String name : List.of("held", "lost", "kept", "retained")) {
            locks.lock(name).acquire().release();
        }
        locks.readWriteLock("read").writeLock().acquire().release();
        assertThat(locks.inspector().clients()).hasSize(1);
        assertThatCode(() -> manager.afterTestMethod(instance, test, null)).doesNotThrowAnyException();
        manager.afterTestClass();
    }
}
