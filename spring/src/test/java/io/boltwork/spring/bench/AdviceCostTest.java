package io.boltwork.spring.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** The annotation costs less than 3 µs over the plain lock. */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class AdviceCostTest {

    @Test
    void lessThanThreeMicroseconds() throws Exception {
        Map<String, Double> nanos = new Runner(new OptionsBuilder()
                        .include(AdviceBenchmark.class.getName())
                        .forks(1)
                        .warmupIterations(3)
                        .warmupTime(TimeValue.seconds(2))
                        .measurementIterations(5)
                        .measurementTime(TimeValue.seconds(2))
                        .shouldFailOnError(true)
                        .build())
                .run().stream()
                        .collect(Collectors.toMap(
                                result -> result.getPrimaryResult().getLabel(),
                                result -> result.getPrimaryResult().getScore()));
        nanos.forEach((name, score) -> System.out.printf(Locale.ROOT, "%s %.0f ns%n", name, score));
        assertThat(nanos.get("literalName") - nanos.get("plainLock")).isLessThan(3_000);
        assertThat(nanos.get("computedName") - nanos.get("plainLock")).isLessThan(3_000);
    }
}
