package io.boltwork.machine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Counts what becomes of a client's holds and waiters after it was connected again, until each hold has been verified.
 * Thread-safe.
 */
public final class RecoveryTally {

    /** What was counted. */
    public record Counts(int kept, int restored, int lost, int askedAgain) {}

    private volatile Consumer<Counts> end = counts -> {};
    private final AtomicInteger outstanding = new AtomicInteger(1); // for over()
    private final AtomicInteger kept = new AtomicInteger();
    private final AtomicInteger restored = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger askedAgain = new AtomicInteger();

    /** There is something whose outcome is to be waited for, until {@link #done}. */
    public void begin() {
        outstanding.incrementAndGet();
    }

    /** One outcome less is to be waited for. */
    public void done() {
        if (outstanding.decrementAndGet() == 0) {
            end.accept(new Counts(kept.get(), restored.get(), lost.get(), askedAgain.get()));
        }
    }

    /** Nothing will begin any more; {@code then} is told the counts when all is done. Once. */
    public void over(Consumer<Counts> then) {
        end = then;
        done();
    }

    /** A request that waits asks again. */
    void askedAgain() {
        askedAgain.incrementAndGet();
    }

    /** The backend knew a hold. */
    void kept() {
        kept.incrementAndGet();
        done();
    }

    /** The backend had forgotten a hold, and has it again. */
    void restored() {
        restored.incrementAndGet();
        done();
    }

    /** A hold is lost. */
    void lost() {
        lost.incrementAndGet();
        done();
    }
}
