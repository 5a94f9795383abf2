// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Proof that the tests of a module can fail: each rule of the protocol that is weakened is noticed. The mutants are in
 * the module's mutants.txt. They are compiled and loaded beside the real classes, which they never touch. The profile
 * {@code mutants} of Maven hunts them.
 */
abstract class Mutants {

    private static final int THREADS = 2;

    private static final Path LIST = Path.of("src", "test", "resources", "io", "boltwork", "mutants.txt");

    /** The beginning of a heading in the list. */
    private static final String RULES = "######## ";

    private static final Path TABLE = Path.of("target", "mutants.md");

    /** The property or test that caught a mutant, and the place; {@code by} is null if the mutant survived. */
    private record Catch(Mutant mutant, String by, String where, long millis) {}

    private final String module;
    private final int least;
    private final List<String> tests;

    /**
     * @param module the directory of the module
     * @param least the smallest number of mutants that it must have
     * @param tests the names of the classes that test rules one by one
     */
    Mutants(String module, int least, List<String> tests) {
        this.module = module;
        this.least = least;
        this.tests = tests;
    }

    /** Returns those of the tests that may notice a change of a file. */
    List<String> testsOf(String file) {
        return tests;
    }

    /**
     * Returns the property that a simulated run of a mutant violates, and the seed of the run; {@code null} if none
     * does.
     */
    String[] simulate(MutantLoader loader, long seed) throws ReflectiveOperationException {
        return null;
    }

    @Test
    void thereAreManyAndTheSourcesStillHaveWhatTheyChange() throws IOException {
        List<Mutant> mutants = Mutant.all();
        assertThat(mutants).extracting(Mutant::name).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(least);
        for (Mutant mutant : mutants) {
            assertThat(mutant.source()).isNotEmpty();
        }
    }

    @Test
    void proofCountsThemByTheRulesThatTheyWeaken() throws IOException {
        StringBuilder table = new StringBuilder();
        String rules = module;
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (String line : Files.readAllLines(LIST)) {
            if (line.startsWith(RULES)) {
                rules = line.substring(RULES.length());
            } else if (line.startsWith("== ")) {
                counts.merge(rules, 1, Integer::sum);
            }
        }
        counts.forEach((name, count) -> table.append(String.format("| %s | %d |%n", name, count)));
        assertThat(Path.of("..", "docs", "inside", "proof.md")).content().contains(table);
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.mutants", matches = ".+", disabledReason = "for mvn verify -Pmutants")
    void everyMutantIsCaught() throws Exception {
        assertThat(Hunt.rules(tests))
                .as("the test of a rule that fails without a mutant")
                .isNull();
        String only = System.getProperty("boltwork.mutants");
        List<Mutant> mutants = Mutant.all().stream()
                .filter(mutant -> only.equals("true") || mutant.name().matches(only))
                .toList();
        assertThat(mutants).allSatisfy(MutantLoader::new); // before the hunt: one may no longer compile
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Catch> caught = new ArrayList<>();
        try {
            List<Future<Catch>> hunts = new ArrayList<>();
            for (Mutant mutant : mutants) {
                hunts.add(threads.submit(() -> hunt(mutant)));
            }
            for (Future<Catch> hunt : hunts) {
                Catch result = hunt.get();
                caught.add(result);
                System.out.printf("mutant %d of %d: %s", caught.size(), mutants.size(), row(result));
            }
        } finally {
            threads.shutdownNow();
        }
        StringBuilder table =
                new StringBuilder("| mutant | weakened behavior | caught by | where | ms |\n|---|---|---|---|---|\n");
        caught.forEach(result -> table.append(row(result)));
        Files.writeString(TABLE, table);
        assertThat(caught)
                .as("survivors")
                .filteredOn(result -> result.by == null)
                .isEmpty();
    }

    private static String row(Catch result) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %,d |%n",
                result.mutant.name(),
                result.mutant.rule(),
                result.by == null ? "**survived**" : result.by,
                result.where,
                result.millis);
    }

    /** With the simulation first, then with the tests of single rules, if not the other way round. */
    private Catch hunt(Mutant mutant) throws Exception {
        MutantLoader loader = new MutantLoader(mutant);
        Method rules = loader.loadClass(Hunt.class.getName()).getDeclaredMethod("rules", List.class);
        rules.setAccessible(true);
        long start = System.nanoTime();
        List<String> names = testsOf(mutant.file());
        String[] found = mutant.byRule() ? (String[]) rules.invoke(null, names) : null;
        if (found == null) {
            found = simulate(loader, mutant.seed());
        }
        if (found == null && !mutant.byRule()) {
            found = (String[]) rules.invoke(null, names);
        }
        long millis = (System.nanoTime() - start) / 1_000_000;
        return found == null ? new Catch(mutant, null, "", millis) : new Catch(mutant, found[0], found[1], millis);
    }
}
