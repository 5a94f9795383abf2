// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * Something that not every {@link LockBackend} has.
 *
 * @since 0.1.0
 */
public enum Capability {
    /** Read-write locks and semaphores. */
    SHARES,
    /** Latches. */
    LATCHES,
    /** Conditions of locks. */
    CONDITIONS,
    /** Votes, so that the backend can be a member of a quorum. */
    VOTES,
    /** Copies of each write on other servers, for which a lock can wait: {@link io.boltwork.Replication}. */
    REPLICATION,
    /** Messages that arrive at once. Without them, a client that waits asks the store again and again. */
    PUSH,
    /**
     * Clients that have died are noticed at once. Without this, a dead client that waits delays the others for seconds.
     */
    DEAD_WAITERS_AT_ONCE,
    /** Any number of requests may wait for one lock. */
    UNBOUNDED_QUEUE,
    /** Leases that stay with their last client until another one wants the lock. */
    RETENTION
}
