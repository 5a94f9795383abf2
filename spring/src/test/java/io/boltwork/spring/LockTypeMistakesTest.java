// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.memory;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockOptions;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.acquire.TargetType;
import io.boltwork.annotation.operation.LockOperation;
import io.boltwork.spring.autoconfigure.LockFailureAnalyzer;
import io.boltwork.spring.operation.LockOperationSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Combinations of the attributes {@code type} and {@code permits}. */
class LockTypeMistakesTest {

    static class NoPermits {
        @DistributedLock(name = "x", permits = 0)
        public void buy() {}
    }

    static class ReadPermits {
        @DistributedLock(name = "x", permits = 3, type = LockType.READ)
        public void buy() {}
    }

    static class ReentrantPermits {
        @DistributedLock(name = "x", permits = 3, type = LockType.REENTRANT)
        public void buy() {}
    }

    static class InterruptedPermits {
        @DistributedLock(name = "x", permits = 3, onLost = OnLost.INTERRUPT)
        public void buy() {}
    }

    @DistributedLock(name = "class", permits = 3)
    static class Merged {
        public void inherited() {}

        @DistributedLock(waitFor = "1s")
        public void waiting() {}

        @DistributedLock(permits = 5)
        public void five() {}

        @DistributedLock(type = LockType.READ)
        public void reading() {}

        @DistributedLock(type = LockType.FAIR)
        public void fair() {}
    }

    static class Fair {
        @DistributedLock(name = "uploads", permits = 3, type = LockType.FAIR)
        public void upload() {}

        @DistributedLock(name = "prices", type = LockType.WRITE)
        public void write() {}

        @DistributedLock(name = "uploads", type = LockType.REENTRANT)
        public void lock() {}
    }

    @Test
    void mistakesStopTheApplication() {
        assertMistake(NoPermits.class, "permits = 0, but a semaphore has 1 permit or more", "number of callers");
        assertMistake(ReadPermits.class, "a semaphore is no read-write lock", "Remove one");
        assertMistake(ReentrantPermits.class, "a semaphore is not reentrant", "Remove one");
        assertMistake(InterruptedPermits.class, "onLost = INTERRUPT with permits = 3", "whenLost()");
        assertDescribed(
                ReadPermits.class,
                "@DistributedLock(name = \"x\", permits = 3, type = READ) on " + ReadPermits.class.getName()
                        + ".buy() of the bean 'till': ");
    }

    @Test
    void propertiesDoNotChangeTheKind() {
        assertWrong(memory(), "boltwork.lock.type=read", "Order.read");
        assertWrong(memory(), "boltwork.lock.names.x.type=write", "Order.write");
        assertWrong(memory(), "boltwork.lock.names.x.permits=0", "It must be at least 1");
        memory().withBean(Merged.class)
                .withPropertyValues("boltwork.lock.on-lost=interrupt", "boltwork.lock.names.class.permits=4")
                .run(context -> {
                    LockOperationSource source = context.getBean(LockOperationSource.class);
                    assertThat(find(source, Merged.class, "inherited").type()).isEqualTo(TargetType.semaphore(4));
                    assertThat(find(source, Merged.class, "inherited").options().onLoss())
                            .isEqualTo(LockOptions.OnLoss.NOTIFY);
                    assertThat(find(source, Merged.class, "reading").type()).isEqualTo(TargetType.READ);
                });
    }

    @Test
    void typeAndPermitsAreMergedTogether() {
        memory().withBean(Merged.class).run(context -> {
            LockOperationSource source = context.getBean(LockOperationSource.class);
            assertThat(find(source, Merged.class, "inherited").type()).isEqualTo(TargetType.semaphore(3));
            assertThat(find(source, Merged.class, "waiting").type()).isEqualTo(TargetType.semaphore(3));
            assertThat(find(source, Merged.class, "five").type()).isEqualTo(TargetType.semaphore(5));
            assertThat(find(source, Merged.class, "reading").type()).isEqualTo(TargetType.READ);
            assertThat(find(source, Merged.class, "fair").type()).isEqualTo(TargetType.LOCK);
        });
    }

    @Test
    void fairnessAppliesToAllKinds() {
        memory().withBean(Fair.class)
                .withPropertyValues("boltwork.lock.type=fair")
                .run(context -> {
                    LockOperationSource source = context.getBean(LockOperationSource.class);
                    assertThat(fairness(source, "upload")).isEqualTo(LockOptions.Fairness.FIFO);
                    assertThat(fairness(source, "write")).isEqualTo(LockOptions.Fairness.FIFO);
                    assertThat(fairness(source, "lock")).isEqualTo(LockOptions.Fairness.BATCHED);
                });
    }

    private static LockOptions.Fairness fairness(LockOperationSource source, String method) throws Exception {
        return find(source, Fair.class, method).options().fairness();
    }

    private static LockOperation find(LockOperationSource source, Class<?> type, String method) throws Exception {
        return source.find(type.getMethod(method), type).operations().get(0);
    }

    private static void assertMistake(Class<?> bean, String problem, String action) {
        runner(bean).run(context -> {
            FailureAnalysis analysis = new LockFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis.getDescription())
                    .contains(bean.getName() + ".buy(")
                    .contains(problem);
            assertThat(analysis.getAction()).contains(action);
        });
    }

    private static void assertDescribed(Class<?> bean, String beginning) {
        runner(bean)
                .run(context -> assertThat(new LockFailureAnalyzer()
                                .analyze(context.getStartupFailure())
                                .getDescription())
                        .startsWith(beginning));
    }

    private static ApplicationContextRunner runner(Class<?> bean) {
        return memory().withBean("till", bean);
    }
}
