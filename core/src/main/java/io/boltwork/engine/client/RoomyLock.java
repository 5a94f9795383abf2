// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock whose owner has enough stack for its work. If the stack is about to end, the error comes before the lock is
 * taken, and not before it is released, which would never happen then. Thread-safe.
 */
public final class RoomyLock extends ReentrantLock {
    private static final long serialVersionUID = 1;

    /** More than a few kilobytes of stack, compiled or not. */
    private static final int FRAMES = 256;

    @Override
    public void lock() {
        needStack();
        super.lock();
    }

    /**
     * Fails with the error now if the stack is about to end. Called before other code takes a lock and changes what it
     * guards.
     */
    public static void needStack() {
        need(FRAMES);
    }

    private static int need(int frames) {
        return frames == 0 ? 0 : 1 + need(frames - 1);
    }
}
