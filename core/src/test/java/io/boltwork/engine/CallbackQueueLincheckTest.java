package io.boltwork.engine;

import static io.boltwork.engine.Interleavings.check;
import static io.boltwork.engine.Interleavings.together;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("interleavings")
class CallbackQueueLincheckTest {

    /** Writes down which callbacks have run, without any synchronization of its own: the queue must give it. */
    private static final class Diary {
        final List<Integer> ran = new ArrayList<>();
        private int inside;
        boolean overlap;

        void write(int callback) {
            inside++;
            overlap |= inside != 1;
            ran.add(callback);
            inside--;
        }
    }

    @Test
    void callbacksRunOnceInOrderAndOneAtATime() {
        Interleavings.of(60, () -> {
            CallbackQueue queue = new CallbackQueue(Runnable::run);
            Diary diary = new Diary();
            together(
                    () -> {
                        queue.run(() -> diary.write(1));
                        queue.run(() -> diary.write(2));
                    },
                    () -> queue.run(() -> {
                        diary.write(11);
                        throw new IllegalStateException("on purpose");
                    }));
            check(!diary.overlap, "two at a time");
            check(diary.ran.size() == 3, "a callback is lost, or has run twice");
            check(diary.ran.indexOf(1) < diary.ran.indexOf(2), "out of order");
            check(queue.isEmpty(), "not empty");
        });
    }

    @Test
    void anExecutorThatShutsDownLosesNoCallback() {
        Interleavings.of(60, () -> {
            AtomicBoolean ended = new AtomicBoolean();
            CallbackQueue queue = new CallbackQueue(task -> {
                if (ended.get()) {
                    throw new RejectedExecutionException();
                }
                task.run();
            });
            Diary diary = new Diary();
            together(
                    () -> {
                        queue.run(() -> diary.write(1));
                        queue.run(() -> diary.write(2));
                    },
                    () -> {
                        ended.set(true);
                        queue.run(() -> diary.write(11));
                    });
            check(!diary.overlap, "two at a time");
            check(diary.ran.size() == 3, "a callback is lost, or has run twice");
        });
    }
}
