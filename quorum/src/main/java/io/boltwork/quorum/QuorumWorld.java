// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import static io.boltwork.spi.PrintableLog.LOG;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * The clock, timer and random numbers of a quorum. The JVM or a simulation provides them.
 *
 * @param ticker the monotonic clock: nanoseconds, never negative
 * @param timers runs tasks later
 * @param random returns a number from 0 to below its argument
 * @param openers runs tasks that block until a server is connected
 * @param opensWithin the longest time that a client waits for the servers when it is created, in nanoseconds; 0 not to
 *     wait
 * @param defects receives faults that must not happen
 * @param stop ends the timer
 */
record QuorumWorld(
        LongSupplier ticker,
        Timers timers,
        LongUnaryOperator random,
        Executor openers,
        long opensWithin,
        Consumer<Throwable> defects,
        Runnable stop) {

    /** Runs tasks later. Thread-safe. */
    @FunctionalInterface
    interface Timers {
        /** Runs a task once after a delay. */
        Future<?> schedule(Runnable task, long delayNanos);
    }

    /** Returns the clock of the JVM, and a timer with a daemon thread of its own. */
    static QuorumWorld system(Duration opensWithin) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, QuorumWorld::daemon);
        timer.setRemoveOnCancelPolicy(true);
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // tasks after stop are void
        long origin = System.nanoTime();
        return new QuorumWorld(
                () -> System.nanoTime() - origin,
                (task, delay) -> timer.schedule(task, delay, TimeUnit.NANOSECONDS),
                bound -> bound <= 0 ? 0 : ThreadLocalRandom.current().nextLong(bound),
                opener -> daemon(opener).start(),
                opensWithin.toNanos(),
                defect -> LOG.log(System.Logger.Level.ERROR, "A quorum has a defect; locks may fail", defect),
                timer::shutdownNow);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "boltwork-quorum");
        thread.setDaemon(true);
        return thread;
    }

    long now() {
        return ticker.getAsLong();
    }
}
