// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

/** A monotonic clock: nanoseconds since some moment, never negative. Thread-safe. */
@FunctionalInterface
public interface Ticker {

    /** A time that is never reached. */
    long NEVER = Long.MAX_VALUE;

    long nanos();
}
