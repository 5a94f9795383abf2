// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands for one lock are executed one after another, in order, whichever threads execute them. */
@Timeout(60)
class StoreWorkersTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int WORKERS = 2;
    private static final int TASKS = 5_000;
    /** Enough to meet the end within a microsecond several times. */
    private static final int ROUNDS = 3_000;

    /** The end of a task that its sender begins. */
    private enum Way {
        RUN,
        AT_ONCE,
        LATER,
        LATER_RUN,
        LATER_FAILED,
        THROWS
    }

    /** The state of one lock's tasks. */
    private static final class Lane {
        final AtomicReference<@Nullable Recorded> active = new AtomicReference<>();
        final List<Integer> ended = new ArrayList<>();
        final List<String> faults = new ArrayList<>();

        synchronized void ended(int number) {
            ended.add(number);
        }

        synchronized void fault(String fault) {
            faults.add(fault);
        }
    }

    private static final class Recorded implements StoreWorkers.Task {
        private final Lane lane;
        private final int number;
        private final Way way;
        private final ExecutorService store;
        private final CountDownLatch answers;
        private final AtomicInteger answered = new AtomicInteger();

        Recorded(Lane lane, int number, Way way, ExecutorService store, CountDownLatch answers) {
            this.lane = lane;
            this.number = number;
            this.way = way;
            this.store = store;
            this.answers = answers;
        }

        private void enter() {
            if (!lane.active.compareAndSet(null, this)) {
                lane.fault(number + " while another one was executed");
            }
        }

        private void end() {
            lane.active.set(null);
            lane.ended(number);
            if (answered.incrementAndGet() > 1) {
                lane.fault(number + " was answered twice");
            }
            answers.countDown();
        }

        @Override
        public void run() {
            enter();
            Thread.yield();
            end();
        }

        @Override
        public @Nullable CompletionStage<Boolean> begin() {
            if (way == Way.RUN) {
                return null;
            }
            enter();
            return switch (way) {
                case THROWS -> throw new IllegalStateException("this way");
                case AT_ONCE -> CompletableFuture.completedStage(true);
                case LATER -> CompletableFuture.supplyAsync(() -> true, store);
                case LATER_RUN ->
                    CompletableFuture.supplyAsync(
                            () -> {
                                lane.active.set(null);
                                return false;
                            },
                            store);
                default ->
                    CompletableFuture.supplyAsync(
                            () -> {
                                throw new IllegalStateException("later");
                            },
                            store);
            };
        }

        @Override
        public void answer() {
            end();
        }

        @Override
        public void fail(boolean begun, BackendException failure) {
            end();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void tasksOfOneLockAreExecutedInOrder(long seed) throws Exception {
        Random random = new Random(seed);
        ExecutorService store = Executors.newFixedThreadPool(2);
        StoreWorkers workers = new StoreWorkers("map", WORKERS, LONG);
        try {
            CountDownLatch answers = new CountDownLatch(WORKERS * TASKS);
            List<Lane> lanes = new ArrayList<>();
            List<Thread> senders = new ArrayList<>();
            for (int hash = 0; hash < WORKERS; hash++) {
                Lane lane = new Lane();
                lanes.add(lane);
                int at = hash;
                Random own = new Random(random.nextLong());
                senders.add(new Thread(() -> {
                    for (int i = 0; i < TASKS; i++) {
                        Way way = Way.values()[own.nextInt(Way.values().length)];
                        workers.execute(at, new Recorded(lane, i, way, store, answers));
                        if (own.nextInt(3) == 0) {
                            Thread.yield();
                        }
                    }
                }));
            }
            senders.forEach(Thread::start);
            assertThat(answers.await(30, TimeUnit.SECONDS))
                    .as("all are answered, seed %s", seed)
                    .isTrue();
            for (Lane lane : lanes) {
                assertThat(lane.faults).isEmpty();
                assertThat(lane.ended).hasSize(TASKS).isSorted();
            }
        } finally {
            workers.end();
            store.shutdownNow();
        }
    }

    /** A task that is begun and whose answer does not come. */
    private static final class Silent implements StoreWorkers.Task {
        final CompletableFuture<Boolean> stage = new CompletableFuture<>();
        final CompletableFuture<BackendException> failure = new CompletableFuture<>();
        final AtomicInteger answers = new AtomicInteger();

        @Override
        public void run() {
            answers.incrementAndGet();
        }

        @Override
        public CompletionStage<Boolean> begin() {
            return stage;
        }

        @Override
        public void answer() {
            answers.incrementAndGet();
        }

        @Override
        public void fail(boolean begun, BackendException why) {
            answers.incrementAndGet();
            failure.complete(begun ? why : new BackendException("had not begun", true, why));
        }
    }

    @Test
    void anAnswerThatDoesNotComeFailsAfterTheTimeLimit() throws Exception {
        StoreWorkers workers = new StoreWorkers("map", 1, Duration.ofMillis(50));
        try {
            Silent silent = new Silent();
            workers.execute(0, silent);
            CompletableFuture<Boolean> next = new CompletableFuture<>();
            assertThat(silent.failure.get(10, TimeUnit.SECONDS)).hasMessage("map has not answered within 50 ms");
            workers.execute(0, task(() -> next.complete(true)));
            assertThat(next.get(10, TimeUnit.SECONDS)).isTrue();
            silent.stage.complete(false);
            assertThat(silent.answers).as("a late answer changes nothing").hasValue(1);
        } finally {
            workers.end();
        }
    }

    @Test
    void whatWasBegunFailsAtTheEnd() throws Exception {
        StoreWorkers workers = new StoreWorkers("map", 1, LONG);
        Silent silent = new Silent();
        Silent queued = new Silent();
        workers.execute(0, silent);
        workers.execute(0, queued);
        workers.end();
        assertThat(silent.failure.get(10, TimeUnit.SECONDS)).hasMessage("The backend is closed");
        assertThat(queued.failure.get(10, TimeUnit.SECONDS)).hasMessage("had not begun");
        silent.stage.complete(true);
        assertThat(silent.answers).hasValue(1);
    }

    @Test
    void anAnswerThatMeetsTheEndIsGivenOnce() throws Exception {
        ExecutorService store = Executors.newSingleThreadExecutor();
        try {
            for (int round = 0; round < ROUNDS; round++) {
                StoreWorkers workers = new StoreWorkers("map", 1, LONG);
                Silent silent = new Silent();
                workers.execute(0, silent);
                Future<?> answer = store.submit(() -> silent.stage.complete(false));
                workers.end();
                answer.get(10, TimeUnit.SECONDS);
                Instant limit = Instant.now().plusSeconds(10);
                while (silent.answers.get() == 0 && Instant.now().isBefore(limit)) {
                    Thread.onSpinWait();
                }
                assertThat(silent.answers).as("round %s", round).hasValue(1);
            }
        } finally {
            store.shutdownNow();
        }
    }

    private static StoreWorkers.Task task(Runnable action) {
        return new StoreWorkers.Task() {
            @Override
            public void run() {
                action.run();
            }

            @Override
            public void fail(boolean begun, BackendException failure) {}
        };
    }
}
