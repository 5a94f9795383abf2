package io.boltwork.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** Measures: contenders take turns, repetition by repetition, each time beginning with another one. */
final class Runner {
    private final Plan plan;
    private final Facts facts;
    private final Set<Entrant> chosen;
    private final Progress progress;

    Runner(Plan plan, Facts facts, Set<Entrant> chosen, Progress progress) {
        this.plan = plan;
        this.facts = facts;
        this.chosen = chosen;
        this.progress = progress;
    }

    static Duration estimate(Plan plan, List<Scenario> scenarios, Set<Entrant> chosen) {
        Duration sum = Duration.ZERO;
        for (Scenario scenario : scenarios) {
            for (Point point : scenario.points(plan)) {
                long all = scenario.entrants().stream().filter(chosen::contains).count();
                sum = sum.plus(scenario.estimate(plan, point).multipliedBy(all * plan.repetitions()));
            }
        }
        return sum;
    }

    ScenarioResults measure(Scenario scenario) throws InterruptedException {
        List<Sample> samples = new ArrayList<>();
        List<Entrant> entrants = new ArrayList<>(
                scenario.entrants().stream().filter(chosen::contains).toList());
        for (int repetition = 1; repetition <= plan.repetitions(); repetition++) {
            for (Point point : scenario.points(plan)) {
                for (Entrant entrant : entrants) {
                    progress.begin(String.join(
                            ", ", scenario.id(), point.id(), entrant.id(), repetition + " of " + plan.repetitions()));
                    samples.add(measure(scenario, point, entrant, repetition));
                    progress.end(scenario.estimate(plan, point));
                }
            }
            Collections.rotate(entrants, -1);
        }
        return new ScenarioResults(scenario.id(), facts, samples);
    }

    private Sample measure(Scenario scenario, Point point, Entrant entrant, int repetition)
            throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            Sample sample;
            try {
                sample = scenario.measure(plan, point, entrant, repetition);
            } catch (MeasurementFailedException e) {
                progress.remark(entrant.id() + " failed: " + e.getMessage());
                if (attempt < Math.min(2, plan.attempts())) { // once may be bad luck
                    continue;
                }
                return Sample.failed(point, entrant, repetition, String.valueOf(e.getMessage()));
            }
            if (sample.violations() > 0) {
                progress.remark("VOID: " + entrant.id() + ", " + sample.violations() + " overlaps or lost updates");
                return sample;
            }
            if (!sample.disturbed() || attempt == plan.attempts()) {
                return sample;
            }
            progress.remark(
                    String.format("others used %.0f %% of a processor: thrown away, again", sample.foreign() * 100));
        }
    }
}
