package io.boltwork;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The threads of a client: one for its timers, and as many as callbacks need. All are daemons. */
final class ClientThreads implements Scheduler {

    private static final long KEEP_CALLBACK_THREADS_SECONDS = 10;

    private final ScheduledThreadPoolExecutor timer;
    private final ExecutorService ownCallbacks;
    private final Executor callbacks;

    ClientThreads(@Nullable Executor callbackExecutor) {
        timer = new ScheduledThreadPoolExecutor(1, named("boltwork-timer"));
        timer.setRemoveOnCancelPolicy(true); // else state lives on in the queue
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // what comes after stop() is void
        ownCallbacks = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                KEEP_CALLBACK_THREADS_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                named("boltwork-callback"));
        callbacks = callbackExecutor == null ? ownCallbacks : new ApartExecutor(callbackExecutor, ownCallbacks);
    }

    Executor callbacks() {
        return callbacks;
    }

    @Override
    public Future<?> schedule(Runnable task, long delayNanos) {
        return timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    void stop() {
        timer.shutdownNow();
        ownCallbacks.shutdown();
    }

    private static ThreadFactory named(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
