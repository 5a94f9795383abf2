// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import io.boltwork.spi.ConditionWait;

/**
 * The wait of a caller for a signal of a condition, after which it wants the lock back: the part of a {@link Waiter}
 * that other waiters do not have. Belongs to the lock's machine until the waiter's outcome is decided, and then to its
 * caller.
 */
public final class SignalWait {

    public final String condition;

    /** The number of levels of the hold that the caller has left, and that it gets back with the lock. */
    public final int levels;

    /** The run of the server at the beginning of the wait. Another one may not know of all signals. */
    public String run = "";

    /** True while the caller waits for its signal. After that it asks for the lock. */
    public boolean goesOn;

    /** True if the server has answered a request for the lock. */
    public boolean hasAsked;

    /** True if the server has given the request a signal, as far as it is known. */
    public boolean signalled;

    /** True if the wait for a signal was ended by an interrupt. */
    public boolean interrupted;

    /** True if the caller was woken: the wait for a signal did not end by its time or an interrupt. */
    public boolean woken;

    public SignalWait(String condition, int levels) {
        this.condition = condition;
        this.levels = levels;
    }

    /** Returns whether the caller was woken, by a signal or without a reason, before its time ended. */
    public boolean isWoken() {
        return woken;
    }

    /** Returns whether the caller was interrupted before it was woken. */
    public boolean isInterrupted() {
        return interrupted && !woken;
    }

    /** Returns what a request says of this wait to the server. */
    public ConditionWait atServer() {
        return new ConditionWait(condition, goesOn);
    }
}
