// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.job.BenchPlan;
import io.boltwork.bench.job.Facts;
import io.boltwork.bench.measure.MeasurementFailedException;
import io.boltwork.bench.measure.Moment;
import io.boltwork.bench.measure.Point;
import io.boltwork.bench.measure.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Runs the measurements. Contenders take turns in each repetition, and each repetition begins with another contender.
 */
public final class Runner {
    private final BenchPlan plan;
    private final Facts facts;
    private final Set<Entrant> chosen;
    private final Progress progress;
    private final Set<String> failed = new HashSet<>();

    /** A measurement to make. */
    private record Step(Scenario scenario, Point point, Entrant entrant, int repetition, int repetitions) {
        Duration estimate(BenchPlan plan) {
            return scenario.estimate(plan, point);
        }

        String what() {
            return String.join(", ", scenario.id(), point.id(), entrant.id(), repetition + " of " + repetitions);
        }
    }

    public Runner(BenchPlan plan, Facts facts, Set<Entrant> chosen, Progress progress) {
        this.plan = plan;
        this.facts = facts;
        this.chosen = chosen;
        this.progress = progress;
    }

    private static List<Step> steps(BenchPlan plan, Scenario scenario, Set<Entrant> chosen) {
        List<Step> steps = new ArrayList<>();
        List<Point> points = scenario.points(plan);
        int most = points.stream()
                .mapToInt(point -> scenario.repetitions(plan, point))
                .max()
                .orElse(0);
        for (int repetition = 1; repetition <= most; repetition++) {
            for (Point point : points) {
                int repetitions = scenario.repetitions(plan, point);
                if (repetition <= repetitions) {
                    List<Entrant> entrants = new ArrayList<>(scenario.entrants(plan, point));
                    entrants.retainAll(chosen);
                    Collections.rotate(entrants, 1 - repetition);
                    for (Entrant entrant : entrants) {
                        steps.add(new Step(scenario, point, entrant, repetition, repetitions));
                    }
                }
            }
        }
        return steps;
    }

    public static Duration estimate(BenchPlan plan, List<Scenario> scenarios, Set<Entrant> chosen) {
        return scenarios.stream()
                .flatMap(scenario -> steps(plan, scenario, chosen).stream())
                .map(step -> step.estimate(plan))
                .reduce(Duration.ZERO, Duration::plus);
    }

    public static int measurements(BenchPlan plan, List<Scenario> scenarios, Set<Entrant> chosen) {
        return scenarios.stream()
                .mapToInt(scenario -> steps(plan, scenario, chosen).size())
                .sum();
    }

    public ScenarioResults measure(Scenario scenario) throws InterruptedException {
        String begin = Moment.now();
        List<Sample> samples = new ArrayList<>();
        for (Step step : steps(plan, scenario, chosen)) {
            progress.begin(step.what());
            samples.add(measure(step));
            progress.end(step.estimate(plan));
        }
        return new ScenarioResults(scenario.id(), Moment.since(begin), facts, samples);
    }

    private Sample measure(Step step) throws InterruptedException {
        Entrant entrant = step.entrant;
        for (int attempt = 1; ; attempt++) {
            Sample sample;
            try {
                sample = step.scenario.measure(plan, step.point, entrant, step.repetition);
            } catch (MeasurementFailedException e) {
                progress.remark(entrant.id() + " failed: " + e.getMessage());
                if (failed.add(String.join(",", step.scenario.id(), step.point.id(), entrant.id()))) {
                    continue; // the first failure may be bad luck
                }
                return Sample.failed(step.point, entrant, step.repetition, String.valueOf(e.getMessage()));
            }
            if (sample.violations() > 0) {
                progress.remark("VOID: " + entrant.id() + ", " + sample.violations() + " overlaps or lost updates");
                return sample;
            }
            if (!sample.disturbed() || attempt >= plan.attempts()) {
                return sample;
            }
            progress.remark(String.format(
                    "other processes used %.0f %% of a processor: discarded and repeated", sample.foreign() * 100));
        }
    }
}
