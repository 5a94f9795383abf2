package io.boltwork.engine;

import io.boltwork.machine.Outcome;

/** How a thread of a user waits for an outcome. A simulation has a way of its own. */
@FunctionalInterface
interface Sleeper {

    /** {@link Outcome#sleep}. */
    void sleep(Outcome<?> outcome, Object blocker, long nanos);
}
