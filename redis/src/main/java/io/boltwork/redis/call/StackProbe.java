// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

/**
 * Uses as much stack as Lettuce and Netty are about to use. If the stack overflows, it overflows here, before a command
 * is in their queues, and not after a command was queued but before its thread was woken.
 */
final class StackProbe {

    /** The number of calls between the dispatch of a call and the queue of the event loop. */
    private static final int CALLS = 24;

    private StackProbe() {}

    /**
     * Returns normally if enough stack is left.
     *
     * @throws StackOverflowError if the stack of this thread is nearly exhausted
     */
    static void reach() {
        if (reach(CALLS, 1, 2, 3, 4, 5, 6) == 0) {
            throw new AssertionError();
        }
    }

    /**
     * Has as many parameters as a frame may have values. They are used after the call, so that each frame keeps them.
     */
    private static long reach(int calls, long a, long b, long c, long d, long e, long f) {
        return calls == 0 ? 1 : reach(calls - 1, b, c, d, e, f, a) + (a | b | c | d | e | f);
    }
}
