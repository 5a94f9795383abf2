// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** The annotation costs less than 3 µs more than the plain lock, with and without observations. Compares medians. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class AdviceCostTest {

    @Test
    void adviceCostsLessThanThreeMicroseconds() throws Exception {
        Map<String, Double> nanos = new Runner(new OptionsBuilder()
                        .include(AdviceBenchmark.class.getName() + ".(plainLock|literalName|computedName)")
                        .forks(3) // one JVM is faster than the next by a microsecond
                        .warmupIterations(4)
                        .warmupTime(TimeValue.seconds(2))
                        .measurementIterations(5)
                        .measurementTime(TimeValue.seconds(1))
                        .shouldFailOnError(true)
                        .build())
                .run().stream()
                        .collect(Collectors.toMap(
                                result -> name(result.getPrimaryResult().getLabel(), result.getParams()),
                                result -> result.getPrimaryResult()
                                        .getStatistics()
                                        .getPercentile(50)));
        new TreeMap<>(nanos).forEach((name, score) -> System.out.printf(Locale.ROOT, "%s %.0f ns%n", name, score));
        for (String advised : List.of("literalName", "computedName")) {
            for (String how : List.of("", ", observed")) {
                assertThat(nanos.get(advised + how) - nanos.get("plainLock" + how))
                        .as(advised + how)
                        .isLessThan(3_000);
            }
        }
    }

    private static String name(String benchmark, BenchmarkParams params) {
        return benchmark + (Boolean.parseBoolean(params.getParam("observed")) ? ", observed" : "");
    }
}
