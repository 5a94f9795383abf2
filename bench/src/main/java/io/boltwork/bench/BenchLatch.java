package io.boltwork.bench;

import java.util.concurrent.CompletionStage;

/** A latch of a contender. */
interface BenchLatch {
    /** Sets the count to one. */
    void set();

    void countDown();

    /** Waits for zero without a thread. */
    CompletionStage<?> await();
}
