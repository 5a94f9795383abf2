// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import java.util.concurrent.Future;

/** Runs tasks later. Thread-safe. */
@FunctionalInterface
public interface Scheduler {

    /**
     * Runs a task once after a delay, or as soon as possible if the delay is not positive. A cancelled task is no
     * longer referred to.
     */
    Future<?> schedule(Runnable task, long delayNanos);
}
