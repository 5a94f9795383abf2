package io.boltwork.engine;

import java.util.concurrent.Future;

/** Runs something later. Thread-safe. */
@FunctionalInterface
interface Scheduler {

    /** Runs {@code task} once, after {@code delayNanos} or as soon as possible if that is not positive. Cancelled, it is forgotten. */
    Future<?> schedule(Runnable task, long delayNanos);
}
