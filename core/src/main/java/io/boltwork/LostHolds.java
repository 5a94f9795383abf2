package io.boltwork;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lost holds of one lock whose threads have not unwound, so that they hear of the loss when they do. Written by the lock's
 * machine, read by any thread.
 */
final class LostHolds {

    private static final Hold[] NONE = {};

    /** How often to look whether the threads still live. */
    private static final long LOOK = TimeUnit.SECONDS.toNanos(30);

    private volatile Hold[] holds = NONE;

    /** When to look next. */
    private long lookAt = Ticker.NEVER;

    void add(Hold lost, long now) {
        if (lost.thread == null || lost.isOver()) {
            return; // a handle keeps its hold itself
        }
        List<Hold> more = new ArrayList<>(List.of(holds));
        more.add(lost);
        holds = more.toArray(NONE);
        lookAt = Math.min(lookAt, now + LOOK);
    }

    void remove(Hold unwound) {
        List<Hold> rest = new ArrayList<>(List.of(holds));
        if (rest.remove(unwound)) {
            holds = rest.toArray(NONE);
        }
    }

    void clear() {
        holds = NONE;
    }

    boolean isEmpty() {
        return holds.length == 0;
    }

    /** The lost hold of that thread, or {@code null}. */
    @Nullable
    Hold of(Thread thread) {
        for (Hold lost : holds) {
            if (lost.thread == thread && !lost.isOver()) {
                return lost;
            }
        }
        return null;
    }

    /** When {@link #tick} has something to do. */
    long wakeAt() {
        return isEmpty() ? Ticker.NEVER : lookAt;
    }

    /** Forgets those whose threads have ended: they will never unwind. */
    void tick(long now) {
        if (now < wakeAt()) {
            return;
        }
        lookAt = now + LOOK;
        for (Hold lost : holds) {
            if (lost.isOver() || lost.thread != null && !lost.thread.isAlive()) {
                remove(lost);
            }
        }
    }
}
