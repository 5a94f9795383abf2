package io.boltwork.examples.handmade;

import io.boltwork.examples.handmade.TrapStep.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Collects the steps of a trap. Steps may come from several threads, if these wait for one another. */
final class TrapLog {
    private final Trap trap;
    private final List<TrapStep> steps = new ArrayList<>();
    private Supplier<String> state = () -> "";
    private TrapVerdict verdict = TrapVerdict.NOT_SHOWN;
    private String reason = "";

    TrapLog(Trap trap) {
        this.trap = trap;
    }

    /** Sets how to look at the server after each step. */
    synchronized void showing(Supplier<String> look) {
        state = look;
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
    synchronized void end(boolean observed, TrapVerdict expected, String why) {
        verdict = observed ? expected : TrapVerdict.NOT_SHOWN;
        reason = why;
    }

    synchronized TrapReport report() {
        return new TrapReport(trap, List.copyOf(steps), verdict, reason);
    }

    private synchronized void add(Side side, String text) {
        steps.add(new TrapStep(steps.size() + 1, side, text, state.get()));
    }
}
