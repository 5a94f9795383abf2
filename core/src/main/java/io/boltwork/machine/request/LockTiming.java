// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

/**
 * The times that a client must keep, in nanoseconds.
 *
 * @param recallWait how long a try waits for a lock that another client retains
 * @param underWay how many commands of one lock may be under way at a time
 */
public record LockTiming(long commandTimeout, long slice, long outagePatience, long recallWait, int underWay) {}
