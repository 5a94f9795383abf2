// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

/** A seed whose run fails, with a small plan and its timeline. */
final class Finding {

    private static final int MOST_RUNS = 1_000;
    private static final int LINES = 400;

    private Finding() {}

    /**
     * A failure: its message, the smallest plan found for it, the events of that plan, and the command that repeats it.
     */
    static String of(long seed, Violation violation) {
        Plan plan = Plan.of(seed);
        Plan small = Reduction.of(plan, violation.property, MOST_RUNS);
        Simulation simulation = new Simulation(small, true);
        String what = violation.getMessage();
        try {
            simulation.run();
        } catch (Violation again) {
            what = String.valueOf(again.getMessage());
        }
        return "Seed " + seed + " fails: " + violation.getMessage()
                + "\n\nReduced from " + plan.size() + " clients, users, acts and faults to " + small.size() + ":\n"
                + small
                + "\n\nWhat happens then:\n" + simulation.timeline.last(LINES)
                + "\n" + what
                + "\n\nAgain: mvn -B test -pl core -Dtest=SimulationTest -Dboltwork.seed=" + seed + "\n";
    }
}
