package io.boltwork.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page says what the data say. */
class PageTest {
    @TempDir
    private Path directory;

    @Test
    void showsMediansRatiosTargetsAndWhereAPeerIsBetter() {
        String page = new Page(List.of(results()), null, Map.of("S1", List.of("performance/S1.svg"))).text();
        assertThat(page)
                .contains("| **Boltwork** | 3,000 | 1.5 |") // median of 1,000, 3,000 and 5,000; Redisson has 2,000
                .contains("| Redisson getLock | 2,000 | 1 |")
                .contains("| S1 | 1 thread: pairs/s, Boltwork / Redisson getLock | ≥ 1.3 | 1.5 | yes |")
                .contains(
                        "| S1 | 1 thread: pairs/s, Boltwork / floor: the two scripts over Lettuce | ≥ 0.97 | 0.75 | **no** |")
                .contains("| S1, 1 thread | wait p50, µs | 100 | 50 | Redisson getLock |")
                .doesNotContain("| S1, 1 thread | pairs/s |")
                .contains("Redisson getLock: 1 of 3 disturbed by other processes")
                .contains("![S1](performance/S1.svg)")
                .doesNotContain("VOID");
    }

    @Test
    void isMadeOfTheStoredData() {
        Store store = new Store(directory);
        store.save(results());
        assertThat(new Page(store.load(), store.loadEngine(), Map.of()).text())
                .isEqualTo(new Page(List.of(results()), null, Map.of()).text());
        assertThat(directory.resolve("S1.csv")).content().contains("S1,1 thread,boltwork,1,false,0,throughput,1000.0");
    }

    @Test
    void plotsAreSvg() throws Exception {
        Map<String, List<String>> files = new Plots(directory).draw(List.of(results()));
        assertThat(files).containsEntry("S1", List.of("S1-percentiles.svg"));
        assertThat(Files.readString(directory.resolve("S1-percentiles.svg"))).contains("<svg", "<path");
    }

    private static ScenarioResults results() {
        List<Sample> samples = new ArrayList<>();
        for (int repetition = 1; repetition <= 3; repetition++) {
            samples.add(sample(Entrant.BOLTWORK, repetition, 2_000 * repetition - 1_000, 100, false));
            samples.add(sample(Entrant.REDISSON, repetition, 2_000, 50, repetition == 2));
            samples.add(sample(Entrant.SCRIPTS, repetition, 4_000, 10, false));
        }
        return new ScenarioResults("S1", new Facts("2026-01-01", Plan.FULL, Map.of(), Map.of()), samples);
    }

    private static Sample sample(Entrant entrant, int repetition, double throughput, double wait, boolean disturbed) {
        Map<Figure, Double> figures = new LinkedHashMap<>();
        figures.put(Figure.THROUGHPUT, throughput);
        figures.put(Figure.WAIT_P50, wait);
        Histogram waits = Wait.histogram();
        for (int i = 1; i <= 100; i++) {
            Wait.record(waits, (long) (i * wait * 1_000));
        }
        return new Sample("1 thread", entrant.id(), repetition, 0, disturbed, 0, null, figures, Wait.encode(waits));
    }
}
