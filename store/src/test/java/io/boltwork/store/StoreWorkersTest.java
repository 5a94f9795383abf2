// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands for one lock are executed one after another, in order, and each is answered once. */
@Timeout(60)
class StoreWorkersTest {
    private static final int WORKERS = 2;
    private static final int TASKS = 5_000;
    /** Enough to meet the end within a microsecond several times. */
    private static final int ROUNDS = 500;

    /** A task that counts its answers. */
    private static final class Counted implements StoreWorkers.Task {
        private final Runnable action;
        final AtomicInteger answers = new AtomicInteger();
        final CompletableFuture<BackendException> failure = new CompletableFuture<>();

        Counted(Runnable action) {
            this.action = action;
        }

        @Override
        public void run() {
            answers.incrementAndGet();
            action.run();
        }

        @Override
        public void fail(BackendException why) {
            answers.incrementAndGet();
            failure.complete(why);
        }
    }

    @Test
    void tasksOfOneLockAreExecutedInOrder() throws Exception {
        StoreWorkers workers = new StoreWorkers(WORKERS);
        try {
            CountDownLatch answers = new CountDownLatch(WORKERS * TASKS);
            List<List<Integer>> executed = new ArrayList<>();
            List<Thread> senders = new ArrayList<>();
            for (int hash = 0; hash < WORKERS; hash++) {
                List<Integer> mine = new ArrayList<>(); // only the thread of its hash writes to it
                executed.add(mine);
                int at = hash;
                senders.add(new Thread(() -> {
                    for (int i = 0; i < TASKS; i++) {
                        int number = i;
                        workers.execute(at, new Counted(() -> {
                            mine.add(number);
                            answers.countDown();
                        }));
                    }
                }));
            }
            senders.forEach(Thread::start);
            assertThat(answers.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(executed)
                    .allSatisfy(numbers -> assertThat(numbers).hasSize(TASKS).isSorted());
        } finally {
            workers.end();
        }
    }

    @Test
    void aTaskThatThrowsDoesNotEndItsThread() throws Exception {
        StoreWorkers workers = new StoreWorkers(1);
        try {
            CompletableFuture<Boolean> next = new CompletableFuture<>();
            workers.execute(0, new Counted(() -> {
                throw new IllegalStateException("a defect of this test");
            }));
            workers.execute(0, new Counted(() -> next.complete(true)));
            assertThat(next.get(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            workers.end();
        }
    }

    @Test
    void aCallerExecutesAnActionInPlaceOfAnIdleThread() throws Exception {
        StoreWorkers workers = new StoreWorkers(1);
        try {
            List<String> executed = new CopyOnWriteArrayList<>();
            CountDownLatch last = new CountDownLatch(1);
            assertThat(workers.isIdle(0)).isTrue();
            assertThat(workers.executeHere(0, () -> {
                        executed.add(Thread.currentThread().getName());
                        assertThat(workers.isIdle(0)).isFalse();
                        assertThat(workers.executeHere(0, () -> executed.add("at the same time")))
                                .isFalse();
                        workers.execute(0, new Counted(() -> {
                            executed.add(Thread.currentThread().getName());
                            last.countDown();
                        }));
                        executed.add("before the next");
                    }))
                    .isTrue();
            assertThat(last.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(executed)
                    .containsExactly(Thread.currentThread().getName(), "before the next", "boltwork-store-0");
        } finally {
            workers.end();
        }
        assertThat(workers.executeHere(0, () -> {})).as("after the end").isFalse();
    }

    @Test
    void tasksAndCallersOfOneLockExcludeEachOther() throws Exception {
        StoreWorkers workers = new StoreWorkers(WORKERS);
        try {
            int[] count = new int[1]; // only what has the lock's turn changes it
            int[] refused = new int[1];
            CountDownLatch answers = new CountDownLatch(TASKS);
            Thread sender = new Thread(() -> {
                for (int i = 0; i < TASKS; i++) {
                    workers.execute(0, new Counted(() -> {
                        count[0]++;
                        answers.countDown();
                    }));
                }
            });
            sender.start();
            for (int i = 0; i < TASKS; i++) {
                if (!workers.executeHere(0, () -> count[0]++)) {
                    refused[0]++;
                }
            }
            assertThat(answers.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(count[0] + refused[0]).isEqualTo(2 * TASKS);
        } finally {
            workers.end();
        }
    }

    @Test
    void tasksThatAreQueuedAtTheEndFail() throws Exception {
        StoreWorkers workers = new StoreWorkers(1);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        workers.execute(0, new Counted(() -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException end) {
                interrupted.countDown();
            }
        }));
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
        Counted queued = new Counted(() -> {});
        workers.execute(0, queued);
        workers.end();
        Counted late = new Counted(() -> {});
        workers.execute(0, late);
        assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
        assertThat(queued.failure.get(10, TimeUnit.SECONDS)).hasMessage("The backend is closed");
        assertThat(late.failure.get(10, TimeUnit.SECONDS)).hasMessage("The backend is closed");
    }

    @Test
    void aTaskThatMeetsTheEndIsAnsweredOnce() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            StoreWorkers workers = new StoreWorkers(1);
            Counted task = new Counted(() -> {});
            Thread sender = new Thread(() -> workers.execute(0, task));
            sender.start();
            workers.end();
            sender.join();
            while (task.answers.get() == 0) {
                Thread.onSpinWait(); // the time limit of the class ends it
            }
            assertThat(task.answers).as("round %s", round).hasValue(1);
        }
    }
}
