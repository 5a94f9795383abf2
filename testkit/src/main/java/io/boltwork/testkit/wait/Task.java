// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.wait;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * A thread that executes part of a test, and its result. Thread-safe.
 *
 * @param <T> the type of the result
 * @since 0.1.0
 */
public final class Task<T> {
    private static final Pattern CORE = Pattern.compile("io\\.boltwork\\.(engine\\.)?[A-Z].*");
    private static final Duration PATIENCE = Duration.ofSeconds(25);

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Thread thread;

    private Task(String name, Callable<T> body) {
        thread = new Thread(() -> run(body), name);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Starts a thread.
     *
     * @param name the name of the thread
     * @param body the code to execute
     * @param <T> the type of the result
     * @return the thread, running
     */
    public static <T> Task<T> start(String name, Callable<T> body) {
        return new Task<>(name, body);
    }

    /**
     * Returns the result; waits for it for at most 25 s times {@link Slack#factor()}.
     *
     * @return the result
     * @throws AssertionError if the body threw an exception, or has not ended in time
     */
    public T get() {
        return get(PATIENCE);
    }

    /**
     * Returns the result; waits for it.
     *
     * @param bound the maximum time to wait, to be multiplied by {@link Slack#factor()}
     * @return the result
     * @throws AssertionError if the body threw an exception, or has not ended in time
     */
    public T get(Duration bound) {
        try {
            return result.get(Slack.of(bound).toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("Thread '" + thread.getName() + "' failed", e.getCause());
        } catch (TimeoutException e) {
            AssertionError late = new AssertionError(
                    "Thread '" + thread.getName() + "' has not ended within " + Slack.of(bound) + "; it is here:");
            late.setStackTrace(thread.getStackTrace());
            throw late;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Returns the exception that the body threw; waits for it for at most 25 s times {@link Slack#factor()}.
     *
     * @return the exception
     * @throws AssertionError if the body returned, or has not ended in time
     */
    public Throwable failure() {
        Await.within(PATIENCE, "end of thread '" + thread.getName() + "'", result::isDone);
        return result.handle((value, thrown) -> {
                    if (thrown == null) {
                        throw new AssertionError(
                                "Thread '" + thread.getName() + "' returned " + value + " and did not throw");
                    }
                    return thrown;
                })
                .join();
    }

    /**
     * Waits until the thread is waiting for a lock of Boltwork.
     *
     * @throws AssertionError if the body has ended, or does not wait in time
     */
    public void awaitParked() {
        Await.until("thread '" + thread.getName() + "' waits for a lock", () -> {
            if (result.isDone()) {
                throw new AssertionError("Thread '" + thread.getName() + "' has ended instead of waiting: " + result);
            }
            return isParked();
        });
    }

    private boolean isParked() {
        Thread.State state = thread.getState();
        return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
                && Arrays.stream(thread.getStackTrace()).anyMatch(Task::isOfBoltwork);
    }

    private static boolean isOfBoltwork(StackTraceElement frame) {
        return CORE.matcher(frame.getClassName()).matches();
    }

    /**
     * Returns the name of the thread.
     *
     * @return the name
     */
    public String name() {
        return thread.getName();
    }

    /** Interrupts the thread. */
    public void interrupt() {
        thread.interrupt();
    }

    /**
     * Returns whether the body has returned or thrown.
     *
     * @return whether there is a result
     */
    public boolean isDone() {
        return result.isDone();
    }

    /** Waits for the thread's end. */
    public void awaitEnd() {
        Await.until("end of thread '" + thread.getName() + "'", () -> !thread.isAlive());
    }

    private void run(Callable<T> body) {
        try {
            result.complete(body.call());
        } catch (Throwable e) {
            result.completeExceptionally(e);
        }
    }
}
