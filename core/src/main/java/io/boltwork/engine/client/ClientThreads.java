// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The threads of a client: one for timers, and as many as callbacks need. All are daemons. */
public final class ClientThreads implements Scheduler {
    /** More than a few kilobytes of stack, compiled or not. */
    private static final int FRAMES = 256;

    private static final long KEEP_CALLBACK_THREADS_SECONDS = 10;

    private final Timer timer;
    private volatile Consumer<Throwable> onFailure = cause -> {};
    private final ExecutorService ownCallbacks;
    private final Executor callbacks;

    public ClientThreads(@Nullable Executor callbackExecutor) {
        timer = new Timer(named("boltwork-timer", (died, cause) -> failed(cause)));
        timer.setRemoveOnCancelPolicy(true); // else cancelled tasks keep their locks reachable
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // tasks after stop() are void
        ownCallbacks = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                KEEP_CALLBACK_THREADS_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                named("boltwork-callback", null));
        callbacks = callbackExecutor == null ? ownCallbacks : new OtherThreadExecutor(callbackExecutor, ownCallbacks);
    }

    /**
     * Sets the listener that is called when a task of the timer has failed, or when the timer's thread has died,
     * because of a full heap or a defect. Tasks may be lost then.
     */
    public void onFailure(Consumer<Throwable> listener) {
        onFailure = listener;
    }

    private void failed(Throwable cause) {
        onFailure.accept(cause);
    }

    public Executor callbacks() {
        return callbacks;
    }

    @Override
    public Future<?> schedule(Runnable task, long delayNanos) {
        return timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    public void stop() {
        timer.shutdownNow();
        ownCallbacks.shutdown();
    }

    /** Fails with the error now if the stack is about to end. */
    private static int needStack(int frames) {
        return frames == 0 ? 0 : 1 + needStack(frames - 1);
    }

    /** One thread for scheduled tasks, which reports each task that fails. */
    private final class Timer extends ScheduledThreadPoolExecutor {
        Timer(ThreadFactory threads) {
            super(1, threads);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            needStack(FRAMES); // else the queue could stay locked
            return super.schedule(task, delay, unit);
        }

        /** Called when a task is cancelled. */
        @Override
        public boolean remove(Runnable task) {
            needStack(FRAMES);
            return super.remove(task);
        }

        @Override
        protected void afterExecute(Runnable task, @Nullable Throwable failure) {
            super.afterExecute(task, failure);
            if (failure != null) {
                failed(failure);
            } else if (task instanceof Future<?> future && future.isDone() && !future.isCancelled()) {
                try {
                    future.get();
                } catch (ExecutionException thrown) {
                    Throwable cause = thrown.getCause();
                    failed(cause == null ? thrown : cause);
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** Returns a factory of daemon threads; {@code onDeath} is {@code null} for the JVM's default handler. */
    private static ThreadFactory named(String name, Thread.@Nullable UncaughtExceptionHandler onDeath) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            thread.setUncaughtExceptionHandler(onDeath);
            return thread;
        };
    }
}
