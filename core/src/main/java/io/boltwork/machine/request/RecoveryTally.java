// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Counts the fates of a client's holds and waiters after a reconnection, until each hold has been verified.
 * Thread-safe.
 */
public final class RecoveryTally {

    /** The result of the count. */
    public record Counts(int kept, int restored, int lost, int askedAgain) {}

    private volatile Consumer<Counts> end = counts -> {};
    private final AtomicInteger outstanding = new AtomicInteger(1); // for over()
    private final AtomicInteger kept = new AtomicInteger();
    private final AtomicInteger restored = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger askedAgain = new AtomicInteger();

    /** Adds an outcome to wait for, until {@link #done}. */
    public void addOutcome() {
        outstanding.incrementAndGet();
    }

    /** Counts one outcome as known. */
    public void done() {
        if (outstanding.decrementAndGet() == 0) {
            end.accept(new Counts(kept.get(), restored.get(), lost.get(), askedAgain.get()));
        }
    }

    /** Ends the adding of outcomes. Passes the counts to {@code then} when all outcomes are known. Called once. */
    public void over(Consumer<Counts> then) {
        end = then;
        done();
    }

    /** Counts a waiting request that asks again. */
    public void askedAgain() {
        askedAgain.incrementAndGet();
    }

    /** Counts a hold that the backend knew. */
    void kept() {
        kept.incrementAndGet();
        done();
    }

    /** Counts a hold that the backend had forgotten, and has again. */
    void restored() {
        restored.incrementAndGet();
        done();
    }

    /** Counts a hold that is lost. */
    public void lost() {
        lost.incrementAndGet();
        done();
    }
}
