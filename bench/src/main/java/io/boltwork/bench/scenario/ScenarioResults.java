// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.scenario;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Entrant;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.job.Facts;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Statistics;
import io.boltwork.bench.measure.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * The results of a scenario in one run.
 *
 * @param scenario the id of the scenario
 * @param when the time of the measurement, such as {@code 2026-01-31 09:12 to 09:20 UTC}
 * @param facts the circumstances of the run
 * @param samples the measurements in their order
 */
public record ScenarioResults(String scenario, String when, Facts facts, List<Sample> samples) {

    /** Returns the median of the repetitions; NaN if none counts. */
    public double median(String point, Entrant entrant, Figure figure) {
        return Statistics.median(counted(point, entrant)
                .map(sample -> sample.figures().get(figure))
                .filter(Objects::nonNull)
                .filter(value -> !value.isNaN())
                .toList());
    }

    /** Returns the waits of all repetitions together. */
    public Histogram wait(String point, Entrant entrant) {
        return Wait.sum(counted(point, entrant)
                .map(Sample::waits)
                .filter(Objects::nonNull)
                .map(Wait::decode)
                .toList());
    }

    public List<String> points() {
        return samples.stream().map(Sample::point).distinct().toList();
    }

    /** Returns the name of the files. A scenario has separate results on a cluster. */
    public String key() {
        return deployment().prefix() + scenario;
    }

    public String title() {
        return scenario + ": " + Scenario.of(scenario).title()
                + (deployment() == BenchDeployment.STANDALONE
                        ? ""
                        : ", on " + deployment().title());
    }

    public BenchDeployment deployment() {
        return facts.plan().deployment();
    }

    /** Returns the columns of the tables. On a store other than Redis, those that only Redis counts are missing. */
    public List<Figure> columns() {
        return Scenario.of(scenario).columns().stream()
                .filter(figure -> deployment().isRedis() || !figure.isCountedByRedis())
                .toList();
    }

    /** Returns the repetitions of a point, those of the contender with the most. */
    public int repetitions(String point) {
        return samples.stream()
                .filter(sample -> sample.point().equals(point))
                .mapToInt(Sample::repetition)
                .max()
                .orElse(0);
    }

    /** Returns the contenders in the order of the catalogue. */
    public List<Entrant> entrants(String point) {
        List<String> ids = samples.stream()
                .filter(sample -> sample.point().equals(point))
                .map(Sample::contender)
                .toList();
        return Stream.of(Entrant.values())
                .filter(entrant -> ids.contains(entrant.id()))
                .toList();
    }

    /** Returns remarks about the measurements of a contender. */
    public List<String> remarks(String point, Entrant entrant) {
        List<String> remarks = new ArrayList<>();
        List<Sample> all = of(point, entrant).toList();
        long violations = all.stream().mapToLong(Sample::violations).sum();
        if (violations > 0) {
            remarks.add("VOID: " + violations + " overlaps or lost updates");
        }
        all.stream()
                .map(Sample::failure)
                .filter(Objects::nonNull)
                .distinct()
                .forEach(why -> remarks.add("failed: " + why));
        long disturbed = all.stream().filter(Sample::disturbed).count();
        if (disturbed > 0) {
            remarks.add(disturbed + " of " + all.size() + " disturbed by other processes");
        }
        return remarks;
    }

    public boolean isVoid() {
        return samples.stream().anyMatch(sample -> sample.violations() > 0);
    }

    private Stream<Sample> of(String point, Entrant entrant) {
        return samples.stream()
                .filter(sample ->
                        sample.point().equals(point) && sample.contender().equals(entrant.id()));
    }

    private Stream<Sample> counted(String point, Entrant entrant) {
        return of(point, entrant).filter(sample -> sample.failure() == null && sample.violations() == 0);
    }
}
