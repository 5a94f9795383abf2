package io.boltwork.redis.call;

/**
 * Uses as much stack as Lettuce and Netty are about to. If the stack ends, it ends here, before a command is in their
 * queues, and not between an entry and the waking of its thread.
 */
final class StackProbe {

    /** The number of calls between the dispatch of a call and the queue of the event loop. */
    private static final int CALLS = 24;

    private StackProbe() {}

    /**
     * Does nothing.
     *
     * @throws StackOverflowError if the stack of this thread is about to end
     */
    static void reach() {
        if (reach(CALLS, 1, 2, 3, 4, 5, 6) == 0) {
            throw new AssertionError();
        }
    }

    /** Takes as many values as a frame may have. They are used after the call, so that each frame keeps them. */
    private static long reach(int calls, long a, long b, long c, long d, long e, long f) {
        return calls == 0 ? 1 : reach(calls - 1, b, c, d, e, f, a) + (a | b | c | d | e | f);
    }
}
