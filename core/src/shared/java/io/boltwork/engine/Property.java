// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

/** A property of each simulated run. docs/inside/proof.md explains each. */
enum Property {
    /** Never two valid holders; after a loss of data, no longer than a lease, and the tokens tell them apart. */
    EXCLUSION,
    /** A valid holder is the owner at the server, and there at least until its deadline. */
    LEASE_AT_SERVER,
    /** A hold that requires replicas begins when they know of it, and is not lost if one of them takes over. */
    REPLICATED,
    /** Later holds have larger tokens. */
    TOKENS_GROW,
    /** A hold that the server forgot is restored only if the lock was not held since. */
    RESTORED_ALONE,
    /** A lease that has ended stays ended, and no hold lasts longer than its longest time. */
    LEASES_END,
    /** A holder is told that the lock has another owner at the server. */
    TOLD_IN_TIME,
    /** A hold that was valid, and was not taken, is not reported as lost. */
    NO_FALSE_LOSS,
    /** While one server is frozen or gone, holds at the others are renewed on time, and none of them is lost. */
    OTHERS_GO_ON,
    /** A hold that was released by force does not come back. */
    FORCE_IS_FINAL,
    /** Shortest holds and takeover delays are kept. */
    BOUNDS_KEPT,
    /** Requests are granted in the order of their arrival at the server. No request overtakes a FIFO request. */
    FIFO,
    /** A client hands a lock over locally for a slice only. */
    BOUNDED_BYPASS,
    /**
     * A client gives a retained lock back when another one wants it, does not hand it on for long either, and takes no
     * lease that the server may have given to another client long ago.
     */
    RETENTION,
    /** No thread waits for a condition for ever after it was signalled. */
    SIGNALS_ARRIVE,
    /** Every waiter is served once faults are over. */
    SERVED,
    /** A lock is not free for long while a request waits for it. */
    NOT_IDLE,
    /** A client that is gone costs the others one short claim, and none if the server knows. */
    SHORT_CLAIMS,
    /** No finished request owns a lock for long. */
    NO_ORPHAN,
    /** Every call ends by its deadline. */
    CALLS_END,
    /** Nothing fails without a fault. */
    NO_FAILURE,
    /** Nested acquisitions are one hold, and the answers of calls agree with it. */
    API,
    /** Nothing is left at the end: no owner, no queue entry, no state. */
    NOTHING_LEFT,
    /** The engine does not throw, and does not spin. */
    NO_DEFECT,
    /** Events do not cause others without end. */
    TIME_PASSES
}
