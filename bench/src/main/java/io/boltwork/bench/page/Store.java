// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.page;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.entrant.Sample;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Json;
import io.boltwork.bench.scenario.Scenario;
import io.boltwork.bench.scenario.ScenarioResults;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Stores the raw data in a directory: a JSON file for each scenario and deployment. A new run of a scenario replaces
 * its file.
 */
public record Store(Path directory) {
    private static final String JMH = "JMH";

    public void save(ScenarioResults results) {
        try {
            Files.createDirectories(directory);
            Json.MAPPER
                    .writerWithDefaultPrettyPrinter()
                    .writeValue(file(results.key()).toFile(), results);
            Files.writeString(directory.resolve(results.key() + ".csv"), csv(results));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the stored results in the order of the deployments, and of the scenarios for each. */
    List<ScenarioResults> load() {
        return Stream.of(BenchDeployment.values())
                .flatMap(deployment ->
                        Scenario.all().stream().map(scenario -> file(deployment.prefix() + scenario.id())))
                .map(file -> read(file, ScenarioResults.class))
                .filter(Objects::nonNull)
                .toList();
    }

    public void save(EngineAlone engine) {
        try {
            Files.createDirectories(directory);
            Json.MAPPER.writerWithDefaultPrettyPrinter().writeValue(file(JMH).toFile(), engine);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Nullable
    EngineAlone loadEngine() {
        return read(file(JMH), EngineAlone.class);
    }

    private static <T> @Nullable T read(Path file, Class<T> type) {
        if (!Files.exists(file)) {
            return null;
        }
        try {
            return Json.MAPPER.readValue(file.toFile(), type);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file, e);
        }
    }

    private Path file(String key) {
        return directory.resolve(key + ".json");
    }

    private static String csv(ScenarioResults results) {
        List<String> lines = new ArrayList<>();
        lines.add("scenario,point,contender,repetition,disturbed,violations,figure,value");
        for (Sample sample : results.samples()) {
            for (Map.Entry<Figure, Double> figure : sample.figures().entrySet()) {
                lines.add(String.join(
                        ",",
                        results.scenario(),
                        quoted(sample.point()),
                        quoted(sample.contender()),
                        Integer.toString(sample.repetition()),
                        Boolean.toString(sample.disturbed()),
                        Long.toString(sample.violations()),
                        figure.getKey().name().toLowerCase(Locale.ROOT),
                        figure.getValue().toString()));
            }
        }
        return String.join("\n", lines) + "\n";
    }

    /** Quotes a field as in RFC 4180, because a point may be called "10,000 locks". */
    private static String quoted(String text) {
        return '"' + text.replace("\"", "\"\"") + '"';
    }
}
