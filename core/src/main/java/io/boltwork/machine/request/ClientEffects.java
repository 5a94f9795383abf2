// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import io.boltwork.spi.rules.ServerClock;

/** The part of a client that the machines of locks and latches observe and change. No method blocks or throws. */
public interface ClientEffects {

    /** Returns the id of the client; the ids of its requests begin with it. */
    String client();

    /** Returns the time of the client's monotonic clock, in nanoseconds. */
    long now();

    /** Returns the client's timeouts and other limits. */
    LockTiming timing();

    /** Returns the estimate of the server's clock. */
    ServerClock serverClock();

    /** Returns a random number from 0 to {@code bound - 1}, so that clients do not all act at once. */
    long random(long bound);

    /** Decides an outcome. A thread that sleeps on it is woken after the drain. */
    <T> void decide(Promise<T> outcome, T value);
}
