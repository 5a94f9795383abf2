package io.boltwork.testkit;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * A thread that does something for a test, and what came of it. Thread-safe.
 *
 * @param <T> what it computes
 */
public final class Task<T> {
    private static final Pattern CORE = Pattern.compile("io\\.boltwork\\.[A-Z].*");
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
     * @param name its name
     * @param body what it does
     * @param <T> what it computes
     * @return the thread, running
     */
    public static <T> Task<T> start(String name, Callable<T> body) {
        return new Task<>(name, body);
    }

    /**
     * What it returned; waits for it.
     *
     * @return the value
     * @throws AssertionError if it threw, or has not ended in time
     */
    public T get() {
        return get(PATIENCE);
    }

    /**
     * What it returned; waits for it.
     *
     * @param bound how long at most, to be stretched by {@link Slack}
     * @return the value
     * @throws AssertionError if it threw, or has not ended in time
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
     * What it threw; waits for it.
     *
     * @return the exception
     * @throws AssertionError if it returned, or has not ended in time
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
     * Waits until it waits for a lock of Boltwork.
     *
     * @throws AssertionError if it has ended, or does not wait in time
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
     * The thread's name.
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
     * Tells whether it has returned or thrown.
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
