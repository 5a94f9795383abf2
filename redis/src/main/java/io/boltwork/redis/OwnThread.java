// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.BackendException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A task on a thread that ends with it. Netty leaves thread-locals in the thread that connects. In a thread of a
 * container, which lives on after the application was removed, they would keep the application's class loader.
 *
 * @param <T> the type of the result
 */
final class OwnThread<T> {
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Thread thread;

    private OwnThread(Supplier<T> task) {
        this.thread = new Thread(() -> run(task), "boltwork-connect");
        thread.setDaemon(true);
    }

    /** Starts a task. */
    static <T> OwnThread<T> begin(Supplier<T> task) {
        OwnThread<T> begun = new OwnThread<>(task);
        begun.thread.start();
        return begun;
    }

    /** Runs a task, and waits for its end. */
    static <T> T call(Supplier<T> task) {
        return begin(task).await();
    }

    private void run(Supplier<T> task) {
        try {
            result.complete(task.get());
        } catch (RuntimeException | Error failure) {
            result.completeExceptionally(failure);
        }
    }

    /** Waits for the result, or throws what the task has thrown. An interrupt of the caller interrupts the task. */
    T await() {
        boolean interrupted = false;
        try {
            for (; ; ) {
                try {
                    return result.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                    thread.interrupt();
                }
            }
        } catch (ExecutionException e) {
            throw thrown(e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns the failure to throw. A failure of the backend gets the stack trace of the caller. */
    private static RuntimeException thrown(@Nullable Throwable failure) {
        if (failure instanceof BackendException known) {
            return new BackendException(String.valueOf(known.getMessage()), known.isRetryable(), known);
        }
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(failure);
    }
}
