// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.job.Facts;
import io.boltwork.bench.scenario.Scenario;
import io.boltwork.bench.scenario.ScenarioResults;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The stored data that may appear on one page: results of one commit, on one machine, with one set of versions.
 *
 * @param results the results that may appear on the page
 * @param engine the results of JMH, if they may appear on the page
 * @param others the other results of the page
 * @param page the deployments of the page
 */
public record Selection(
        List<ScenarioResults> results,
        @Nullable EngineAlone engine,
        List<ScenarioResults> others,
        List<BenchDeployment> page) {

    /** Returns the data that go with a run made now. */
    public static Selection of(Store store, Facts facts) {
        List<ScenarioResults> results = new ArrayList<>();
        List<ScenarioResults> others = new ArrayList<>();
        List<BenchDeployment> page = facts.plan().deployment().onSamePage();
        load(store, page).forEach(each -> (each.facts().isAlike(facts) ? results : others).add(each));
        EngineAlone engine = store.loadEngine();
        return new Selection(results, engine != null && engine.facts().isAlike(facts) ? engine : null, others, page);
    }

    /** Returns the data that go with the newest results on the page of a deployment. */
    public static Selection newest(Store store, BenchDeployment deployment) {
        List<BenchDeployment> page = deployment.onSamePage();
        return load(store, page).stream()
                .max(Comparator.comparing(ScenarioResults::when))
                .map(results -> of(store, results.facts()))
                .orElseGet(() -> new Selection(List.of(), store.loadEngine(), List.of(), page));
    }

    private static List<ScenarioResults> load(Store store, List<BenchDeployment> page) {
        return store.load().stream()
                .filter(each -> page.contains(each.deployment()))
                .toList();
    }

    public boolean has(BenchDeployment deployment, Scenario scenario) {
        return results.stream()
                .anyMatch(each -> each.scenario().equals(scenario.id()) && each.deployment() == deployment);
    }

    /** Returns what the page lacks, and the commands that measure it. */
    public List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        others.forEach(each -> remarks.add("Left out, because it was measured at another commit or elsewhere: "
                + each.key() + ", " + each.when() + ", at " + each.facts().commit()));
        for (BenchDeployment deployment : page) {
            String missing = Scenario.all().stream()
                    .filter(scenario -> scenario.isOn(deployment))
                    .filter(scenario -> !has(deployment, scenario))
                    .map(Scenario::id)
                    .collect(Collectors.joining(","));
            if (!missing.isEmpty()) {
                remarks.add("Missing: bench/run" + deployment.option() + " --scenarios " + missing);
            }
        }
        if (engine == null && page.contains(BenchDeployment.STANDALONE)) {
            remarks.add("Missing: bench/run --jmh");
        }
        return remarks;
    }
}
