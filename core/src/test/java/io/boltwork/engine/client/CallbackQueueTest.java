// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.engine.LogBook;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallbackQueueTest {

    private final ArrayDeque<Runnable> executor = new ArrayDeque<>();
    private final Listeners listeners = new Listeners();
    private final CallbackQueue callbacks = new CallbackQueue(executor::add);
    private final List<String> done = new ArrayList<>();
    private final LogBook log = new LogBook();

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void callbacksRunInOrderInOneTaskEvenIfOneThrows() {
        callbacks.run(() -> {
            callbacks.run(() -> done.add("from inside"));
            done.add("first");
        });
        callbacks.run(() -> {
            throw new IllegalStateException("on purpose");
        });
        callbacks.run(() -> done.add("third"));
        assertThat(done).isEmpty();
        assertThat(callbacks.isEmpty()).isFalse();
        assertThat(executor).hasSize(1);
        executor.remove().run();
        assertThat(done).containsExactly("first", "third", "from inside");
        assertThat(log.entries).containsExactly("A callback threw; the lock is not affected");
        assertThat(callbacks.isEmpty()).isTrue();
        callbacks.run(() -> done.add("later"));
        assertThat(executor).as("a separate task").hasSize(1);
    }

    @Test
    void callbacksRunOnTheCallerIfTheExecutorRefuses() {
        CallbackQueue refused = new CallbackQueue(task -> {
            throw new RejectedExecutionException("closed");
        });
        refused.run(() -> done.add("late"));
        assertThat(done).containsExactly("late");
        assertThat(log.entries).containsExactly("The executor for callbacks no longer accepts tasks");
        assertThat(refused.isEmpty()).isTrue();
    }

    @Test
    void aThrowingExecutorIsReplacedAndNothingRunsTwice() {
        AtomicBoolean runs = new AtomicBoolean();
        Executor broken = task -> {
            if (runs.get()) {
                task.run();
            }
            throw new OutOfMemoryError("unable to create native thread: on purpose");
        };
        CallbackQueue queue = new CallbackQueue(broken);
        listeners.add(
                new LockListener() {
                    @Override
                    public void restored(Restored event) {
                        done.add(event.lockName());
                    }
                },
                broken);
        for (String when : List.of("before", "after")) {
            runs.set(when.equals("after"));
            done.clear();
            log.entries.clear();
            queue.run(() -> done.add("callback"));
            listeners.notifyListeners(
                    l -> l.restored(new LockListener.Restored(LockKind.LOCK, "lock", 7, "me")), queue::run);
            assertThat(done).as(when + " it has run the task").containsExactly("callback", "lock");
            assertThat(log.entries)
                    .isNotEmpty()
                    .containsOnly("The executor for callbacks threw; the lock is not affected");
            assertThat(queue.isEmpty()).isTrue();
        }
    }

    @Test
    void listenersAreNotifiedEvenIfOneThrows() {
        assertThat(listeners.isEmpty()).isTrue();
        LockListener throwing = new LockListener() {
            @Override
            public void restored(Restored event) {
                throw new IllegalStateException("on purpose");
            }
        };
        listeners.add(throwing);
        listeners.add(new LockListener() {
            @Override
            public void restored(Restored event) {
                done.add(event.lockName());
            }
        });
        assertThat(listeners.isEmpty()).isFalse();
        listeners.notifyListeners(
                l -> l.restored(new LockListener.Restored(LockKind.LOCK, "lock", 7, "me")), callbacks::run);
        executor.remove().run();
        listeners.remove(throwing);
        listeners.notifyListeners(
                l -> l.restored(new LockListener.Restored(LockKind.LOCK, "other", 8, "me")), callbacks::run);
        executor.remove().run();
        assertThat(done).containsExactly("lock", "other");
        assertThat(log.entries).containsExactly("A listener threw; the lock is not affected");
    }

    @Test
    void aListenersExecutorIsUsedUnlessItRefuses() {
        ArrayDeque<Runnable> own = new ArrayDeque<>();
        AtomicBoolean open = new AtomicBoolean(true);
        LockListener quick = new LockListener() {
            @Override
            public void restored(Restored event) {
                done.add(event.lockName());
                throw new IllegalStateException("on purpose");
            }
        };
        listeners.add(quick, task -> {
            if (!open.get()) {
                throw new RejectedExecutionException("closed");
            }
            own.add(task);
        });
        assertThat(listeners.isEmpty()).isFalse();
        listeners.notifyListeners(
                l -> l.restored(new LockListener.Restored(LockKind.LOCK, "lock", 7, "me")), callbacks::run);
        assertThat(executor).as("tasks of the client's executor").isEmpty();
        own.remove().run();
        open.set(false);
        listeners.notifyListeners(
                l -> l.restored(new LockListener.Restored(LockKind.LOCK, "other", 8, "me")), callbacks::run);
        assertThat(own).isEmpty();
        executor.remove().run();
        assertThat(done).containsExactly("lock", "other");
        assertThat(log.entries)
                .containsExactly(
                        "A listener threw; the lock is not affected",
                        "The executor for callbacks no longer accepts tasks",
                        "A listener threw; the lock is not affected");
        listeners.remove(quick);
        assertThat(listeners.isEmpty()).isTrue();
    }
}
