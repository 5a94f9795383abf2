package io.boltwork.testkit;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A thread that does something for a test, and what came of it. Thread-safe. */
final class Task<T> {
    private static final Duration PATIENCE = Duration.ofSeconds(25);

    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Thread thread;

    private Task(String name, Callable<T> body) {
        thread = new Thread(() -> run(body), name);
        thread.setDaemon(true);
        thread.start();
    }

    static <T> Task<T> start(String name, Callable<T> body) {
        return new Task<>(name, body);
    }

    /** What it returned; waits for it. Fails if it threw. */
    T get() {
        return get(PATIENCE);
    }

    /** What it returned; waits for it, but not longer than the bound, stretched by {@link Slack}. */
    T get(Duration bound) {
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

    /** What it threw; waits for it. Fails if it returned. */
    Throwable failure() {
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

    /** Waits until it waits inside of Boltwork. */
    void awaitParked() {
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
        String name = frame.getClassName();
        return name.startsWith("io.boltwork.") && !name.startsWith("io.boltwork.testkit.");
    }

    /** The thread's name. */
    String name() {
        return thread.getName();
    }

    void interrupt() {
        thread.interrupt();
    }

    boolean isDone() {
        return result.isDone();
    }

    /** Waits for the thread's end. */
    void awaitEnd() {
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
