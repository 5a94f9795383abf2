package io.boltwork;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lost holds of one lock whose threads have not unwound, so that they hear of the loss when they do. Immutable: the lock's
 * machine replaces it, any thread may look.
 *
 * @param holds the holds
 * @param lookAt when to look next whether their threads still live; {@link Ticker#NEVER} if there are none
 */
record LostHolds(List<Hold> holds, long lookAt) {

    static final LostHolds NONE = new LostHolds(List.of(), Ticker.NEVER);

    /** How often to look whether the threads still live. */
    private static final long LOOK = TimeUnit.SECONDS.toNanos(30);

    LostHolds with(Hold lost, long now) {
        if (lost.thread == null || lost.isOver()) {
            return this; // a handle keeps its hold itself
        }
        return new LostHolds(Stream.concat(holds.stream(), Stream.of(lost)).toList(), Math.min(lookAt, now + LOOK));
    }

    LostHolds without(Hold unwound) {
        return left(holds.stream().filter(hold -> hold != unwound).toList(), lookAt);
    }

    private static LostHolds left(List<Hold> holds, long lookAt) {
        return holds.isEmpty() ? NONE : new LostHolds(holds, lookAt);
    }

    boolean isEmpty() {
        return holds.isEmpty();
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

    /** Without those whose threads have ended, if it is time to look: they will never unwind. */
    LostHolds looked(long now) {
        return now < lookAt
                ? this
                : left(holds.stream().filter(LostHolds::mayUnwind).toList(), now + LOOK);
    }

    private static boolean mayUnwind(Hold lost) {
        return !lost.isOver() && lost.thread != null && lost.thread.isAlive();
    }
}
