// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.engine.client.ErrorFlagOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MailboxTest {

    private static final int THREADS = 4;
    private static final int POSTS = 50_000;

    /** Counts events. It has no synchronization of its own, because the mailbox must provide it. */
    private static class Counter extends Mailbox<Counter, ErrorFlagOwner> {
        final int retireAt;
        int events;
        int settlements;
        boolean retired;
        Throwable defect = new AssertionError("none");

        Counter(int retireAt) {
            super(new ErrorFlagOwner() {});
            this.retireAt = retireAt;
        }

        @Override
        public boolean settled() {
            settlements++;
            return events >= retireAt;
        }

        @Override
        public List<Thread> sleepers() {
            return List.of();
        }

        @Override
        public void broken(Throwable thrown) {
            defect = thrown;
        }

        @Override
        public void resumed() {}

        @Override
        public void handOn() {
            new Thread(this::resume).start();
        }

        /** Waits until all events that were posted before have happened. */
        void settle() throws InterruptedException {
            CountDownLatch latch = new CountDownLatch(1);
            if (post(c -> latch.countDown())) {
                latch.await();
            }
        }

        @Override
        public void retired() {
            retired = true;
        }
    }

    @Test
    void aDrainCutShortIsResumedInOrder() {
        Counter counter = new Counter(Integer.MAX_VALUE);
        List<Integer> seen = new ArrayList<>();
        assertThatThrownBy(() -> counter.post(c -> {
                    c.post(d -> seen.add(1));
                    c.post(d -> seen.add(2));
                    throw new StackOverflowError();
                }))
                .isInstanceOf(StackOverflowError.class);
        assertThat(counter.isAbandoned()).isTrue();
        assertThat(seen).isEmpty();
        counter.post(c -> seen.add(3));
        assertThat(seen).containsExactly(1, 2, 3);
        assertThat(counter.isAbandoned()).isFalse();
    }

    @Test
    void anErrorWhileADefectIsReportedLosesNoEvent() {
        Counter counter = new Counter(Integer.MAX_VALUE) {
            @Override
            public void broken(Throwable thrown) {
                throw new OutOfMemoryError("in a test");
            }
        };
        assertThatThrownBy(() -> counter.post(c -> {
                    c.post(d -> d.events++);
                    throw new IllegalStateException();
                }))
                .isInstanceOf(OutOfMemoryError.class);
        counter.resume();
        assertThat(counter.events).isEqualTo(1);
    }

    @Test
    void eventsHappenOnceAndOneAtATime() throws InterruptedException {
        Counter counter = new Counter(Integer.MAX_VALUE);
        inThreads(() -> {
            for (int i = 0; i < POSTS; i++) {
                assertThat(counter.post(c -> c.events++)).isTrue();
            }
        });
        counter.settle();
        assertThat(counter.events).isEqualTo(THREADS * POSTS);
    }

    @Test
    void eventsOfAThreadHappenInOrder() throws InterruptedException {
        Counter counter = new Counter(Integer.MAX_VALUE);
        List<int[]> seen = new ArrayList<>();
        AtomicInteger names = new AtomicInteger();
        inThreads(() -> {
            int name = names.getAndIncrement();
            for (int i = 0; i < POSTS / 10; i++) {
                int number = i;
                counter.post(c -> seen.add(new int[] {name, number}));
            }
        });
        counter.settle();
        int[] next = new int[THREADS];
        assertThat(seen).allSatisfy(entry -> assertThat(entry[1]).isEqualTo(next[entry[0]]++));
    }

    @Test
    void anEventThatPostsIsNotInterrupted() {
        Counter counter = new Counter(Integer.MAX_VALUE);
        List<String> order = new ArrayList<>();
        counter.post(c -> {
            c.post(inner -> order.add("posted by it"));
            order.add("the event");
        });
        assertThat(order).containsExactly("the event", "posted by it");
    }

    @Test
    void aPostToARetiredMailboxFailsAndNoneIsLost() throws InterruptedException {
        AtomicInteger happened = new AtomicInteger();
        AtomicReference<Counter> current = new AtomicReference<>(new Counter(100));
        inThreads(() -> {
            for (int i = 0; i < POSTS; i++) {
                for (; ; ) {
                    Counter counter = current.get();
                    boolean taken = counter.post(c -> {
                        assertThat(c.retired).isFalse();
                        c.events++;
                        happened.incrementAndGet();
                    });
                    if (taken) {
                        break;
                    }
                    current.compareAndSet(counter, new Counter(100));
                }
            }
        });
        current.get().settle();
        assertThat(happened).hasValue(THREADS * POSTS);
    }

    @Test
    void aLongDrainIsHandedOnInOrder() throws InterruptedException {
        List<Integer> seen = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        Counter counter = new Counter(Integer.MAX_VALUE);
        counter.post(c -> {
            for (int i = 0; i < 1_000; i++) {
                int number = i;
                c.post(d -> {
                    seen.add(number);
                    threads.add(Thread.currentThread());
                });
            }
        });
        counter.settle();
        assertThat(seen).isEqualTo(IntStream.range(0, 1_000).boxed().toList());
        assertThat(threads.stream().filter(Thread.currentThread()::equals))
                .as("events that run on the thread of another poster")
                .hasSizeLessThanOrEqualTo(2 * counter.longestDrain());
        assertThat(counter.isAbandoned()).isFalse();
    }

    @Test
    void anEventThatThrowsDoesNotStopTheNext() {
        Counter counter = new Counter(Integer.MAX_VALUE);
        IllegalStateException thrown = new IllegalStateException("on purpose");
        counter.post(c -> {
            throw thrown;
        });
        counter.post(c -> c.events++);
        assertThat(counter.defect).isSameAs(thrown);
        assertThat(counter.events).isOne();
        assertThat(counter.settlements).isEqualTo(2);
    }

    @Test
    void aMachineThatCannotSettleIsBrokenAndNotRetired() {
        IllegalStateException thrown = new IllegalStateException("on purpose");
        Counter counter = new Counter(Integer.MAX_VALUE) {
            @Override
            public boolean settled() {
                throw thrown;
            }
        };
        counter.post(c -> c.events++);
        assertThat(counter.defect).isSameAs(thrown);
        assertThat(counter.post(c -> c.events++)).isTrue();
        assertThat(counter.events).isEqualTo(2);
    }

    private static void inThreads(Runnable task) throws InterruptedException {
        CountDownLatch start = new CountDownLatch(1);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                    task.run();
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failure).hasNullValue();
    }
}
