// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.latch;

import io.boltwork.machine.request.LockTiming;
import io.boltwork.machine.request.Promise;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.rules.ServerClock;

/**
 * The environment of a {@link LatchMachine}: everything outside of the machine that it can observe or cause. No method
 * blocks or throws.
 */
public interface LatchEffects {

    /** Returns the name of the latch. */
    String latch();

    /** Returns the id of the client. */
    String client();

    /** Returns the time of the client's monotonic clock, in nanoseconds. */
    long now();

    /** Returns the client's timeouts. */
    LockTiming timing();

    /** Returns the estimate of the server's clock. */
    ServerClock serverClock();

    /** Returns a random number from 0 to {@code bound - 1}, so that clients do not all act at once. */
    long random(long bound);

    /** Sends a command. Its reply comes back as the event {@link LatchMachine#answered}, with the same object. */
    void send(LatchCommand command);

    /** Decides an outcome. A thread that sleeps on it is woken after the event. */
    <T> void decide(Promise<T> outcome, T value);
}
