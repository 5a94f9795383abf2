package io.boltwork;

/** Runs something later. Thread-safe. */
@FunctionalInterface
interface Scheduler {

    /** Runs {@code task} once, after {@code delayNanos} or as soon as possible if that is not positive. */
    Timer schedule(Runnable task, long delayNanos);

    /** Something scheduled. */
    @FunctionalInterface
    interface Timer {

        /** Forgets the task if it has not run. */
        void cancel();
    }
}
