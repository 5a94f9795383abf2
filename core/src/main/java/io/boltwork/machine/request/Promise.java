// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import io.boltwork.spi.CallerRun;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A value that is decided once. One thread may sleep until it is decided, or one callback may be called then. Leaner
 * than a future: sleeping on a promise allocates nothing.
 *
 * @param <T> the type of the value
 */
public final class Promise<T> {

    /* `state` is OPEN, an offered command, the sleeping thread, the waiting callback, or the decision in a box. */
    private static final Object OPEN = new Object();

    private record Decided<T>(T value) {}

    @SuppressWarnings("rawtypes") // the updater of a generic class
    private static final AtomicReferenceFieldUpdater<Promise, Object> STATE =
            AtomicReferenceFieldUpdater.newUpdater(Promise.class, Object.class, "state");

    private volatile Object state = OPEN;

    public static <T> Promise<T> decided(T value) {
        Promise<T> outcome = new Promise<>();
        outcome.decide(value);
        return outcome;
    }

    /** Decides the value, and wakes the sleeping thread or calls the callback. Later decisions change nothing. */
    public void decide(T value) {
        Thread sleeper = decideQuietly(value);
        if (sleeper != null) {
            LockSupport.unpark(sleeper);
        }
    }

    /** Decides the value, and calls the callback. Returns the sleeping thread, if any, which the caller must unpark. */
    @Nullable
    public Thread decideQuietly(T value) {
        Decided<T> decided = new Decided<>(value);
        for (; ; ) {
            Object before = state;
            if (before instanceof Decided) {
                return null;
            }
            if (STATE.compareAndSet(this, before, decided)) {
                if (before instanceof Runnable callback && !(before instanceof Thread)) {
                    callback.run();
                }
                return before instanceof Thread sleeper ? sleeper : null;
            }
        }
    }

    /** Offers the caller a command to execute before it sleeps. Returns whether it has not come to sleep yet. */
    public boolean offer(CallerRun run) {
        return STATE.compareAndSet(this, OPEN, run);
    }

    /** Returns whether a command is offered. */
    public boolean isOffered() {
        return state instanceof CallerRun;
    }

    /** Takes the offered command, which only the taker may execute or send; {@code null} if there is none. */
    @Nullable
    public CallerRun takeOffer() {
        return state instanceof CallerRun run && STATE.compareAndSet(this, run, OPEN) ? run : null;
    }

    public boolean isDecided() {
        return state instanceof Decided;
    }

    /** Returns the value that was decided. */
    @SuppressWarnings("unchecked") // only decide() boxes, and it boxes a T
    public T value() {
        if (state instanceof Decided<?> decided) {
            return (T) decided.value();
        }
        throw new IllegalStateException("not decided");
    }

    /**
     * Sleeps until the value is decided, the time has passed, or the thread is unparked or interrupted. For one thread.
     */
    public void sleep(Object blocker, long nanos) {
        Thread current = Thread.currentThread();
        Object before = state;
        if (before == current || before == OPEN && STATE.compareAndSet(this, OPEN, current)) {
            if (nanos == Ticker.NEVER) {
                LockSupport.park(blocker);
            } else if (nanos > 0) {
                LockSupport.parkNanos(blocker, nanos);
            }
        }
    }

    /** Calls {@code callback} when the value is decided: now, or later on the deciding thread. For one callback. */
    public void then(Runnable callback) {
        if (!STATE.compareAndSet(this, OPEN, callback)) {
            callback.run();
        }
    }
}
