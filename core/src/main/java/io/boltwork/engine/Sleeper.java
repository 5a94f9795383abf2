package io.boltwork.engine;

import io.boltwork.machine.Promise;

/** How a thread of a user waits for an outcome. A simulation has a way of its own. */
@FunctionalInterface
interface Sleeper {

    /** {@link Promise#sleep}. */
    void sleep(Promise<?> outcome, Object blocker, long nanos);
}
