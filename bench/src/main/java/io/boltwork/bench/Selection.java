package io.boltwork.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What of the stored data may stand on one page: what was measured at one commit, on one machine, with one set of versions.
 *
 * @param results those that may
 * @param engine what JMH measured, if that may
 * @param others those that may not
 */
record Selection(List<ScenarioResults> results, @Nullable Engine engine, List<ScenarioResults> others) {

    /** What goes with a run that was made now. */
    static Selection of(Store store, Facts facts) {
        List<ScenarioResults> results = new ArrayList<>();
        List<ScenarioResults> others = new ArrayList<>();
        store.load().forEach(each -> (each.facts().isAlike(facts) ? results : others).add(each));
        Engine engine = store.loadEngine();
        return new Selection(results, engine != null && engine.facts().isAlike(facts) ? engine : null, others);
    }

    /** What goes with the newest results. */
    static Selection newest(Store store) {
        return store.load().stream()
                .max(Comparator.comparing(ScenarioResults::when))
                .map(results -> of(store, results.facts()))
                .orElseGet(() -> new Selection(List.of(), store.loadEngine(), List.of()));
    }

    boolean has(Deployment deployment, Scenario scenario) {
        return results.stream()
                .anyMatch(each -> each.scenario().equals(scenario.id())
                        && each.facts().plan().deployment() == deployment);
    }

    /** What the page has not, and how to get it. */
    List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        others.forEach(each -> remarks.add("Left out, since it was measured at another commit or elsewhere: "
                + each.key() + ", " + each.when() + ", at " + each.facts().commit()));
        for (Deployment deployment : Deployment.values()) {
            String missing = Scenario.all().stream()
                    .filter(scenario -> deployment == Deployment.STANDALONE || scenario.isOnCluster())
                    .filter(scenario -> !has(deployment, scenario))
                    .map(Scenario::id)
                    .collect(Collectors.joining(","));
            if (!missing.isEmpty()) {
                remarks.add("Missing: bench/run" + (deployment == Deployment.CLUSTER ? " --deployment cluster" : "")
                        + " --scenarios " + missing);
            }
        }
        if (engine == null) {
            remarks.add("Missing: bench/run --jmh");
        }
        return remarks;
    }
}
