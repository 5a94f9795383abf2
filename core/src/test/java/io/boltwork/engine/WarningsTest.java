// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.ClientOptions;
import io.boltwork.LockListener;
import io.boltwork.memory.MemoryBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each listener is told each warning once, even if the warning comes while the listener is being added. */
class WarningsTest {

    private static final Logger LOG = Logger.getLogger("io.boltwork");
    private static final int TIMES = 300;

    @BeforeEach
    void silence() {
        LOG.setLevel(Level.OFF);
    }

    @AfterEach
    void speak() {
        LOG.setLevel(null);
    }

    @Test
    void eachListenerHearsEachWarningOnce() throws InterruptedException {
        ExecutorService callbacks = Executors.newSingleThreadExecutor();
        ExecutorService others = Executors.newSingleThreadExecutor();
        List<Queue<String>> told = new ArrayList<>();
        Engine engine =
                Engine.open(MemoryBackend.create(), ClientOptions.defaults().withCallbackExecutor(callbacks));
        try {
            for (int i = 0; i < TIMES; i++) {
                String warning = "warning " + i;
                CountDownLatch both = new CountDownLatch(2);
                others.execute(() -> {
                    meet(both);
                    engine.backendWatch.warned(warning);
                });
                Queue<String> heard = new ConcurrentLinkedQueue<>();
                told.add(heard);
                meet(both);
                engine.listen(new LockListener() {
                    @Override
                    public void backendWarning(BackendWarning event) {
                        heard.add(event.text());
                    }
                });
            }
            others.shutdown();
            assertThat(others.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        } finally {
            engine.close();
        }
        callbacks.shutdown();
        assertThat(callbacks.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        for (Queue<String> heard : told) {
            assertThat(heard).hasSize(TIMES).doesNotHaveDuplicates();
        }
    }

    private static void meet(CountDownLatch both) {
        both.countDown();
        while (both.getCount() > 0) {
            Thread.onSpinWait();
        }
    }
}
