// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Hold;
import java.util.function.Consumer;

/** The part of a client that a {@link LanePool} needs: the machines of its lanes, by their keys. */
interface Lanes {

    /** Returns the time of the client's monotonic clock, in nanoseconds. */
    long now();

    /**
     * Posts an event to the machine of a lane, which is made if it is not in use. Returns {@code false} if it is not
     * and the client is closed.
     */
    boolean post(String key, Consumer<LockMachine> event);

    /** Posts an event to the machine of a lane if it is in use. */
    void postIfInUse(String key, Consumer<LockMachine> event);

    /** Returns whether the machine of a hold has it, or remembers its loss. */
    boolean remembers(Hold hold);

    /** Reports that clients are configured with different permits of a semaphore. */
    void differs(String name, int here, int there);

    /** Counts the pool's lock as used, because callers wait for it outside of its lanes. */
    void used(LanePool pool);

    /** Forgets a pool that is no longer in use. */
    void forget(LanePool pool);
}
