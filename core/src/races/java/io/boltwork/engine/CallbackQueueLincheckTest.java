// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static io.boltwork.engine.Interleavings.check;
import static io.boltwork.engine.Interleavings.together;

import io.boltwork.engine.client.CallbackQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("interleavings")
class CallbackQueueLincheckTest {

    /** Records the callbacks that have run. It has no synchronization of its own, because the queue must provide it. */
    private static final class CallbackRecorder {
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
            CallbackRecorder recorder = new CallbackRecorder();
            together(
                    () -> {
                        queue.run(() -> recorder.write(1));
                        queue.run(() -> recorder.write(2));
                    },
                    () -> queue.run(() -> {
                        recorder.write(11);
                        throw new IllegalStateException("on purpose");
                    }));
            check(!recorder.overlap, "two at a time");
            check(recorder.ran.size() == 3, "a callback is lost, or has run twice");
            check(recorder.ran.indexOf(1) < recorder.ran.indexOf(2), "out of order");
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
            CallbackRecorder recorder = new CallbackRecorder();
            together(
                    () -> {
                        queue.run(() -> recorder.write(1));
                        queue.run(() -> recorder.write(2));
                    },
                    () -> {
                        ended.set(true);
                        queue.run(() -> recorder.write(11));
                    });
            check(!recorder.overlap, "two at a time");
            check(recorder.ran.size() == 3, "a callback is lost, or has run twice");
        });
    }
}
