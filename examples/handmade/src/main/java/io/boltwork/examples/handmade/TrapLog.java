// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

import io.boltwork.examples.handmade.TrapStep.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Collects the steps of a trap, which may come from several threads. Thread-safe. */
final class TrapLog {
    private final ReentrantLock lock = new ReentrantLock();
    private final Trap trap;
    private final List<TrapStep> steps = new ArrayList<>();
    private Supplier<String> state = () -> "";
    private TrapVerdict verdict = TrapVerdict.NOT_SHOWN;
    private String reason = "";

    TrapLog(Trap trap) {
        this.trap = trap;
    }

    /** Sets how to look at the server after each step. */
    void showing(Supplier<String> look) {
        alone(() -> state = look);
    }

    /** Adds a step of client A. */
    void a(String text) {
        add(Side.CLIENT_A, text);
    }

    /** Adds a step of client B, or of a third client. */
    void b(String text) {
        add(Side.CLIENT_B, text);
    }

    /** Adds an event at the server, to which no client contributes. */
    void server(String text) {
        add(Side.SERVER, text);
    }

    /** Ends the trap with a verdict if the expected facts were observed. */
    void end(boolean observed, TrapVerdict expected, String why) {
        alone(() -> {
            verdict = observed ? expected : TrapVerdict.NOT_SHOWN;
            reason = why;
            return verdict;
        });
    }

    TrapReport report() {
        return alone(() -> new TrapReport(trap, List.copyOf(steps), verdict, reason));
    }

    private void add(Side side, String text) {
        alone(() -> steps.add(new TrapStep(steps.size() + 1, side, text, state.get())));
    }

    /** Does something while no other thread reads or changes this log. */
    private <T> T alone(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
